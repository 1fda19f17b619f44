# SPDX-License-Identifier: Apache-2.0
"""Median and spread of repetitions, and the refusal of figures that were taken of different work."""

import collections
import dataclasses
import statistics
from collections.abc import Iterable

from harness.measurement import Measurement


class WorkDiffers(Exception):
    """Contestants, or repetitions of one, did not do the same work, so their figures say nothing; str() tells who."""


@dataclasses.dataclass(frozen=True, order=True)
class Key:
    """What a figure is of."""

    part: str
    workload: str
    quantity: str
    contestant: str
    n: int


@dataclasses.dataclass(frozen=True)
class Summary:
    unit: str
    median: float
    mad: float  # median absolute deviation from the median, not scaled
    least: float
    greatest: float
    repetitions: int


def summary_of(values: Iterable[float], unit: str) -> Summary:
    values = sorted(values)
    median = statistics.median(values)
    mad = statistics.median(abs(value - median) for value in values)
    return Summary(unit, median, mad, values[0], values[-1], len(values))


def summarise(rows: list[Measurement]) -> dict[Key, Summary]:
    """Raises WorkDiffers rather than compare what can't be compared."""
    require_same_work(rows)
    values, units = collections.defaultdict(list), {}
    for row in rows:
        key = Key(row.part, row.workload, row.quantity, row.contestant, row.n)
        if units.setdefault(key, row.unit) != row.unit:
            raise WorkDiffers(f"{row.part}: {row.workload} {row.quantity} of {row.contestant} is given in {row.unit} "
                              f"and in {units[key]}")
        values[key].append(row.value)
    return {key: summary_of(values[key], units[key]) for key in values}


def require_same_work(rows: list[Measurement]) -> None:
    """Every contestant and every repetition of one workload at one n has the same checksum; else raises WorkDiffers."""
    first: dict[tuple[str, str, int], Measurement] = {}
    for row in rows:
        other = first.setdefault((row.part, row.workload, row.n), row)
        if other.checksum != row.checksum:
            raise WorkDiffers(
                f"{row.part}: {row.workload} at {row.n:,}: the work of {row.contestant} in repetition {row.repetition} "
                f"has the checksum {row.checksum}, that of {other.contestant} in repetition {other.repetition} has "
                f"{other.checksum}; they did different work, so none of these figures count")
