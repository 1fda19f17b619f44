# SPDX-License-Identifier: Apache-2.0
"""Figures as people read them: in a unit of their size, three digits, thousands apart."""

import math

# unit of a measurement -> (from this value on, divisor, what it is called), the largest first
_STEPS = {
    "ns": ((1e6, 1e6, "ms"), (1e4, 1e3, "µs"), (0, 1, "ns")),
    "bytes": ((1e7, 1 << 20, "MiB"), (1e4, 1 << 10, "KiB"), (0, 1, "bytes")),
    "count": ((0, 1, ""),),
}


class Scaled:
    """One unit for all the figures that are read together; `name` is the unit's."""

    def __init__(self, unit: str, values: list[float]):
        positive = [value for value in values if value > 0]
        typical = math.exp(sum(map(math.log, positive)) / len(positive)) if positive else 0
        _, self.divisor, self.name = next(step for step in _STEPS[unit] if typical >= step[0])

    def number(self, value: float) -> str:
        return digits(value / self.divisor)

    def spread(self, value: float, beside: float) -> str:
        """A spread, no finer than the number it stands beside."""
        decimals = len(self.number(beside).partition(".")[2])
        return f"{value / self.divisor:,.{decimals}f}"

    def text(self, value: float) -> str:
        return f"{self.number(value)} {self.name}".rstrip()


def digits(value: float) -> str:
    """Three significant digits, or all before the point: 0.0123, 7.20, 61.3, 513, 2,913."""
    if value == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, places)
    return f"{rounded:,.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}" if abs(rounded) < 100 else f"{value:,.0f}"


def tick(value: float) -> str:
    """A round number at an axis."""
    return f"{value:,.0f}" if value >= 1 and abs(value - round(value)) < 1e-9 * value else f"{value:.6g}"


def short_count(n: int) -> str:
    """10K, 100K, 1.28M, for the ticks of an axis."""
    for size, letter in ((1_000_000, "M"), (1_000, "K")):
        if n >= size and n % (size // 100) == 0:
            return f"{n / size:g}{letter}"
    return f"{n:,}"


def ratio(value: float) -> str:
    """How many times as much, as in "5.8 times"."""
    if value < 1.05:
        return "hardly more than once"
    return f"{value:.0f} times" if value >= 9.95 else f"{value:.1f} times"
