# SPDX-License-Identifier: Apache-2.0
"""One test's outcome, and counting many. Every configuration, whatever it runs, comes down to a list of these."""

import collections
import dataclasses

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    outcome: str
    detail: str = ""  # of a failure: what went wrong; of a skip: why; of a pass: what is worth telling all the same


def passed(name: str, remark: str = "") -> Test:
    return Test(name, PASSED, remark)


def failed(name: str, detail: str) -> Test:
    return Test(name, FAILED, detail)


def skipped(name: str, reason: str) -> Test:
    return Test(name, SKIPPED, reason)


def verdict(name: str, complaint: str | None) -> Test:
    """A test that passed if there is nothing to complain of."""
    return failed(name, complaint) if complaint else passed(name)


def tally(tests: list[Test]) -> collections.Counter:
    return collections.Counter(test.outcome for test in tests)


def is_green(tests: list[Test]) -> bool:
    """Nothing failed, and something ran: a run that tested nothing has proved nothing."""
    counts = tally(tests)
    return counts[FAILED] == 0 and counts[PASSED] > 0


def last_line(tests: list[Test]) -> str:
    counts = tally(tests)
    return f"{counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped"


def failure_lines(tests: list[Test], tests_shown: int = 10, lines_shown: int = 12) -> list[str]:
    """Each failed test by name, and of the first ones what went wrong: for the end of a run, which is often all of its
    output that is kept."""
    said = []
    for place, test in enumerate(test for test in tests if test.outcome == FAILED):
        said.append(f"failed: {test.name}")
        if place < tests_shown:
            said += [f"    {line}" for line in test.detail.splitlines()[:lines_shown]]
    return said


def skip_lines(tests: list[Test]) -> list[str]:
    """One line per reason for skipping: how many, why, and the first of them by name."""
    by_reason = collections.defaultdict(list)
    for test in tests:
        if test.outcome == SKIPPED:
            by_reason[test.detail].append(test.name)
    return [
        f"skipped {len(names):4}  {reason or 'no reason given'}  ({names[0]}{', ...' if len(names) > 1 else ''})"
        for reason, names in by_reason.items()
    ]
