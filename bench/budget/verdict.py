# SPDX-License-Identifier: Apache-2.0
"""What was counted beside what was recorded."""

import dataclasses

from budget.counts import BYTES, INSTRUCTIONS, Counts, Row

RECORD = "./check budget --record"
# By how much a row may grow, and from what gain on it is worth recording anew.
MAY_GROW = {INSTRUCTIONS: 0.05, BYTES: 0.15}
_ROUNDED = 0.005  # what a recorded value may be off


@dataclasses.dataclass(frozen=True)
class Verdict:
    row: Row
    failure: str = ""
    skip: str = ""  # why nothing can be said
    hint: str = ""


def compare(counted: Counts, recorded: Counts) -> list[Verdict]:
    """A verdict for each row that was counted or recorded. Instructions are compared only where the compiler is the same."""
    rows = dict.fromkeys([*recorded.values, *counted.values])
    return [_verdict(row, counted, recorded) for row in rows]


def _verdict(row: Row, counted: Counts, recorded: Counts) -> Verdict:
    if row not in counted.values:
        return Verdict(row, failure=f"{row} is recorded, and was not counted; if it is gone, record anew: {RECORD}")
    if row not in recorded.values:
        return Verdict(row, failure=f"{row} has no budget yet; record one: {RECORD}")
    if row.unit == INSTRUCTIONS and counted.compiler != recorded.compiler:
        return Verdict(row, skip=f"the budget is {recorded.compiler}'s, and this is {counted.compiler}")
    now, before = counted.values[row], recorded.values[row]
    grown = now / before - 1
    told = f"{row}: {now:,.2f} {row.unit} where {before:,.2f} are recorded, {grown:+.1%}"
    allowed = MAY_GROW[row.unit]
    if now > before * (1 + allowed) + _ROUNDED:
        return Verdict(row, failure=f"{told}; {allowed:.0%} more would pass. If that is what it is to cost, record it: "
                                    f"{RECORD}")
    if now < before * (1 - allowed) - _ROUNDED:
        return Verdict(row, hint=f"{told}: keep the gain: {RECORD}")
    return Verdict(row)
