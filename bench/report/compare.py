# SPDX-License-Identifier: Apache-2.0
"""Contestants side by side: a bar from zero for each, or, where they differ much, a point on a logarithmic axis.

The value stands beside each of them, so that the axis is for the eye only.
"""

from report import svg
from report.lookup import Shown
from report.scale import LogScale, Scale, is_logarithmic, linear_domain, log_domain
from report.units import Scaled
from report.units import tick as written_tick

_WIDTH = 460
_ROW, _BAR = 30, 15
_TOP, _BOTTOM = 6, 38
_TYPE, _TICK_TYPE = 13, 12


def plot(panel: list[Shown], unit: Scaled, title: str, bar: float = 0) -> str:
    """Each contestant of the panel has one n here. Where there is a bar, a line shows it."""
    rows = [(shown, next(iter(shown.by_n.values()))) for shown in panel]
    medians = [summary.median for _, summary in rows]
    left = 14 + max(svg.width_of(shown.contestant.label, _TYPE, shown.contestant.ours) for shown, _ in rows)
    right = _WIDTH - 18 - max(svg.width_of(unit.text(summary.median), _TYPE, shown.contestant.ours)
                              for shown, summary in rows)
    logarithmic = is_logarithmic(medians)
    ends = [median + summary.mad for median, (_, summary) in zip(medians, rows)] + ([bar] if bar else [])
    scale = (LogScale(*log_domain(medians + ends), left, right) if logarithmic
             else Scale(*linear_domain(ends), left, right))
    bottom = _TOP + _ROW * len(rows)

    parts, last_end = [], 0.0
    for tick in _ticks(scale, unit):
        x, words = scale.place(tick * unit.divisor), written_tick(tick)
        parts.append(svg.line(x, _TOP, x, bottom, "grid"))
        half = svg.width_of(words, _TICK_TYPE) / 2
        if x - half > last_end:  # else it would stand on the one before
            parts.append(svg.text(x, bottom + 16, words, class_="tick", text_anchor="middle"))
            last_end = x + half
    parts.append(svg.text((left + right) / 2, bottom + 32, f"{unit.name}{', log scale' if logarithmic else ''}",
                          class_="tick", text_anchor="middle"))
    for number, (shown, summary) in enumerate(rows):
        y = _TOP + _ROW * number + _ROW / 2
        parts += _row(shown, summary, scale, unit, y, logarithmic)
    if bar:
        parts.append(svg.line(scale.place(bar), _TOP, scale.place(bar), bottom, "asked"))
    parts.append(svg.line(left, _TOP, left, bottom, "axis"))
    return svg.drawing(_WIDTH, bottom + _BOTTOM, parts, f"{title}: " + "; ".join(
        f"{shown.contestant.label} {unit.text(summary.median)}" for shown, summary in rows))


def _row(shown: Shown, summary, scale: Scale, unit: Scaled, y: float, logarithmic: bool) -> list[str]:
    x, begin = scale.place(summary.median), scale.place(scale.low)
    whisker_end = scale.place(summary.median + summary.mad)
    emphasis = " ours" if shown.contestant.ours else ""
    label = svg.text(begin - 9, y + 4.5, shown.contestant.label, class_=f"name{emphasis}", text_anchor="end")
    whisker = (scale.place(max(summary.median - summary.mad, scale.low)), y, whisker_end, y)
    if logarithmic:
        drawn = [svg.line(begin, y, x, y, "guide"), svg.whisker(*whisker, shown.look),
                 svg.marker(x, y, shown.look, 5.5)]
    else:
        bar = svg.element("rect", x=begin, y=y - _BAR / 2, width=max(x - begin, 1.0), height=_BAR,
                          class_=f"bar {svg.colour(shown.look)}")
        # Once wide in the ground's colour, so that it can be seen on a bar of any colour.
        drawn = [bar, *(svg.element("g", drawn, class_=kind) for kind in ("halo", "over")
                        if (drawn := svg.whisker(*whisker, shown.look)))]
    value = svg.text(max(whisker_end, x + (7 if logarithmic else 0)) + 7, y + 4.5, unit.text(summary.median),
                     class_=f"value{emphasis}")
    return [label, *drawn, value]


def _ticks(scale: Scale, unit: Scaled) -> list[float]:
    """Round numbers in the unit that is read, not in the one that was measured."""
    kind = LogScale if isinstance(scale, LogScale) else Scale
    return kind(scale.low / unit.divisor, scale.high / unit.divisor, 0, 1).ticks()
