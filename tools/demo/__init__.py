# SPDX-License-Identifier: Apache-2.0
"""What `./demo` is made of: its options and its course here, measuring in bench/harness, the page in bench/report.

main     the course: install, build, measure, report
options  what can be asked for, and the refusal of everything else
claims   which bars the records of bench/record claim to meet
record   keeping a run's raw figures in bench/record
"""
