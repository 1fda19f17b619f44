# SPDX-License-Identifier: Apache-2.0
"""What operations may cost in instructions, and things in bytes; `./check budget` compares, README.md tells more.

counts   running a budget program under callgrind: what was counted
record   the files in this folder that hold what was counted before
verdict  what was counted beside what was recorded: which rows cost more
"""
