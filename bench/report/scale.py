# SPDX-License-Identifier: Apache-2.0
"""From values to places on a plot, and the round numbers at which an axis has its ticks."""

import math

_LOGARITHMIC_FROM = 20  # the ratio of the greatest to the least value from which a linear axis hides the small ones


class Scale:
    """Maps values between `low` and `high` to places between `begin` and `end`."""

    def __init__(self, low: float, high: float, begin: float, end: float):
        if not low < high:
            raise ValueError(f"a scale from {low} to {high} has no length")
        self.low, self.high = low, high
        self._begin, self._end = begin, end

    def place(self, value: float) -> float:
        return round(self._begin + (self._end - self._begin) * self._fraction(value), 1)

    def _fraction(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """About four round numbers within the scale, the ends included where they are round."""
        step = _round_step((self.high - self.low) / 4)
        first = math.ceil(round(self.low / step, 9))
        last = math.floor(round(self.high / step, 9))
        return [number * step for number in range(first, last + 1)]


class LogScale(Scale):
    """Equal factors are equal distances. Values below `low` are placed at its end: zero has no place on it."""

    def __init__(self, low: float, high: float, begin: float, end: float):
        if low <= 0:
            raise ValueError(f"a logarithmic scale can't begin at {low}")
        super().__init__(low, high, begin, end)

    def _fraction(self, value: float) -> float:
        return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """Powers of ten; where there are fewer than three of them, 2 and 5 times them as well."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for factors in ((1,), (1, 2, 5)):
            ticks = [factor * 10.0**decade for decade in decades for factor in factors]
            within = [tick for tick in ticks if self.low * 0.999 <= tick <= self.high * 1.001]
            if len(within) >= 3:
                break
        return within


def is_logarithmic(values: list[float]) -> bool:
    """Whether values differ so much that only a logarithmic axis shows all of them."""
    return min(values) > 0 and max(values) / min(values) >= _LOGARITHMIC_FROM


def log_domain(values: list[float]) -> tuple[float, float]:
    """The round numbers (1, 2 or 5 times a power of ten) around positive values; room for one factor at least."""
    steps = [factor * 10.0**decade for decade in range(-6, 19) for factor in (1, 2, 5)]
    low = max((step for step in steps if step <= min(values) * 1.0001), default=steps[0])
    high = min((step for step in steps if step >= max(values) * 0.9999), default=steps[-1])
    return (low, high) if low < high else (low, min(step for step in steps if step > high))


def linear_domain(values: list[float]) -> tuple[float, float]:
    """From zero to a round number."""
    greatest = max(values)
    if greatest <= 0:
        return 0.0, 1.0
    step = _round_step(greatest / 4)
    return 0.0, step * math.ceil(round(greatest / step, 9))


def _round_step(length: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `length`."""
    decade = 10.0 ** math.floor(math.log10(length))
    return next(factor * decade for factor in (1, 2, 2.5, 5, 10) if factor * decade >= length * 0.9999)
