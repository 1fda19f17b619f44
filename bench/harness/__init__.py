# SPDX-License-Identifier: Apache-2.0
"""Measuring: shared by the benchmarks of all parts.

part         what a part's report.toml says: its program, its contestants, what its page shows
program      one benchmark program: what it can measure, and measuring one of those once
plan         how often each benchmark runs within the time there is, and in what order
session      a whole run: every program, interleaved, until the plan is done
measurement  one raw figure, and the CSV that holds them
summary      median and spread, and the refusal of figures of different work
machine      what the figures were taken on
progress     how far a run is, for a terminal and for a log
"""
