# SPDX-License-Identifier: Apache-2.0
"""Running configurations one after the other: a line for each, what failed and why, and the tally as the last line."""

import contextlib
import dataclasses
import sys
import time
from collections.abc import Callable

from check import commands, tree
from check.results import (FAILED, PASSED, SKIPPED, Test, failed, is_green, last_line, passed, skip_lines, skipped, tally)

BUDGET_MINUTES = 35


@dataclasses.dataclass(frozen=True)
class Run:
    """What a running configuration is given."""

    log: commands.Log
    jobs: int
    progress: Callable[[str], None]  # says what is being done, where somebody is watching


@dataclasses.dataclass(frozen=True)
class Configuration:
    name: str
    description: str
    needs: frozenset[str]  # groups of requirements.py
    run: Callable[[Run], list[Test]]
    daily: bool = True  # else only by name, and in `./check deep`
    record: Callable[[Run], list[Test]] | None = None  # makes what is measured now the standard, where there is one


def execute(configurations: list[Configuration], jobs: int, *, whole: bool = False) -> int:
    """Runs the configurations in this order, prints a line for each and the tally; the exit status."""
    start, before = time.monotonic(), tree.status()
    tests: list[Test] = []
    try:
        for configuration in configurations:
            tests += _run_one(configuration, jobs)
        if whole:
            tests += _untouched_tree(before)
    except KeyboardInterrupt:
        _wipe()
        say(f"interrupted; what had been finished by then: {last_line(tests)}")
        raise
    for line in skip_lines(tests):
        say(line)
    minutes = (time.monotonic() - start) / 60
    if whole and minutes > BUDGET_MINUTES:
        say(f"warning: this took {minutes:.0f} minutes; the budget of a full run is {BUDGET_MINUTES}")
    if not any(test.outcome != SKIPPED for test in tests):
        say("not a single test ran, so nothing has been proved")
    say(last_line(tests))
    return 0 if is_green(tests) else 1


def say(line: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(line, flush=True)


def _run_one(configuration: Configuration, jobs: int) -> list[Test]:
    name, start = configuration.name, time.monotonic()
    log = commands.Log(name)

    def progress(step: str) -> None:
        if sys.stdout.isatty():
            print(f"\r\x1b[K{name:<10} {step} ...", end="", flush=True)

    try:
        tests = configuration.run(Run(log, jobs, progress))
    except commands.StepFailed as reason:
        tests = [failed(f"{name}: build", str(reason))]
    counts = tally(tests)
    _wipe()
    verdict = f"FAILED {counts[FAILED]} of" if counts[FAILED] else "ok"
    skips = f"{counts[SKIPPED]} skipped" if counts[SKIPPED] else ""
    say(f"{name:<10} {verdict:<12} {len(tests):5} tests {time.monotonic() - start:6.0f} s  {skips}".rstrip())
    for test in tests:
        if test.outcome == PASSED and test.detail:
            say(f"  {test.detail}")
    if counts[FAILED]:
        _explain([test for test in tests if test.outcome == FAILED], log)
    return tests


def _explain(failures: list[Test], log: commands.Log) -> None:
    """Every failure by name, then what went wrong: of each its share of the lines, of many only the first."""
    for test in failures:
        say(f"  failed: {test.name}")
    share = max(commands.LINES_SHOWN // len(failures), 8)
    lines = []
    for test in failures:
        detail = test.detail.splitlines()
        lines += [f"--- {test.name}", *detail[:share], *(["..."] if len(detail) > share else [])]
    for line in lines[:commands.LINES_SHOWN + len(failures)]:
        say(f"    {line}")
    say(f"  log: {tree.relative(log.path)}")


def _untouched_tree(before: str | None) -> list[Test]:
    name = "tree: a run leaves the work tree as it was"
    if before is None:
        return [skipped(name, "this is no git checkout")]
    after = tree.status()
    if after == before:
        return [passed(name)]
    changed = sorted(set((after or "").splitlines()) ^ set(before.splitlines()))
    test = failed(name, "\n".join(changed))
    say(f"{'tree':<10} FAILED")
    for line in changed:
        say(f"    {line}")
    return [test]


def _wipe() -> None:
    if sys.stdout.isatty():
        print("\r\x1b[K", end="", flush=True)
