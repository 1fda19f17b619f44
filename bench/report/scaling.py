# SPDX-License-Identifier: Apache-2.0
"""The course of each contestant as n grows: one line each, its name and last value at the line's end.

All panels of a figure have the same axes, so that they can be compared with each other as well.
"""

from report import svg
from report.labels import apart
from report.lookup import Shown
from report.scale import LogScale, Scale, is_logarithmic, linear_domain, log_domain
from report.units import Scaled, short_count
from report.units import tick as written_tick

_WIDTH, _HEIGHT = 480, 290
_LEFT, _TOP, _BOTTOM = 52, 24, 42
_TYPE = 13
_LABEL_GAP = 17
_TICK_TYPE, _TICK_GAP = 12, 4


def axes(panels: list[list[Shown]]) -> tuple[tuple[float, float], bool]:
    """The domain of y that holds all panels, and whether it is logarithmic."""
    summaries = [summary for panel in panels for shown in panel for summary in shown.by_n.values()]
    medians = [summary.median for summary in summaries]
    logarithmic = is_logarithmic(medians)
    ends = [summary.median + summary.mad for summary in summaries]
    return (log_domain if logarithmic else linear_domain)(medians + ends), logarithmic


def plot(panel: list[Shown], unit: Scaled, domain: tuple[float, float], logarithmic: bool, title: str,
         n_is: str) -> str:
    labels = [f"{shown.contestant.label} {unit.number(_last(shown))}" for shown in panel]
    right = _WIDTH - 28 - max(svg.width_of(label, _TYPE, shown.contestant.ours) for shown, label in zip(panel, labels))
    height = max(_HEIGHT, _TOP + _BOTTOM + _LABEL_GAP * len(panel))  # room for every name
    bottom = height - _BOTTOM
    y = (LogScale if logarithmic else Scale)(domain[0], domain[1], bottom, _TOP)
    x = _horizontal(panel, right)
    populations = sorted({n for shown in panel for n in shown.by_n})

    parts = []
    for tick in (LogScale if logarithmic else Scale)(y.low / unit.divisor, y.high / unit.divisor, 0, 1).ticks():
        place = y.place(tick * unit.divisor)
        parts += [svg.line(_LEFT, place, right, place, "grid"),
                  svg.text(_LEFT - 8, place + 4, written_tick(tick), class_="tick", text_anchor="end")]
    labelled = 0.0  # up to where the axis has labels
    for n in populations:
        parts.append(svg.line(x.place(n), bottom, x.place(n), bottom + 5, "axis"))
        half = svg.width_of(short_count(n), _TICK_TYPE) / 2
        if x.place(n) - half >= labelled:
            parts.append(svg.text(x.place(n), bottom + 19, short_count(n), class_="tick", text_anchor="middle"))
            labelled = x.place(n) + half + _TICK_GAP
    parts += [svg.line(_LEFT, bottom, right, bottom, "axis"),
              svg.text(4, 13, f"{unit.name}{', log scale' if logarithmic else ''}", class_="tick"),
              svg.text((_LEFT + right) / 2, height - 6, n_is, class_="tick", text_anchor="middle")]
    for shown in panel:
        parts += _course(shown, x, y)
    parts += _names(panel, labels, x, y, bottom)
    return svg.drawing(_WIDTH, height, parts, f"{title}: " + "; ".join(
        f"{shown.contestant.label} " + ", ".join(f"{unit.text(summary.median)} at {n:,}"
                                                 for n, summary in shown.by_n.items()) for shown in panel))


def _horizontal(panel: list[Shown], right: float) -> Scale:
    populations = [n for shown in panel for n in shown.by_n]
    low, high = min(populations), max(populations)
    if low == high:  # one population only: it stands in the middle
        low, high = low / 10, high * 10
    return LogScale(low, high, _LEFT + 14, right - 12)


def _course(shown: Shown, x: Scale, y: Scale) -> list[str]:
    points = [(x.place(n), y.place(summary.median)) for n, summary in shown.by_n.items()]
    parts = [svg.course(points, shown.look, shown.contestant.ours)] if len(points) > 1 else []
    for (place, _), summary in zip(points, shown.by_n.values()):
        parts.append(svg.whisker(place, y.place(summary.median - summary.mad), place,
                                 y.place(summary.median + summary.mad), shown.look))
    return parts + [svg.marker(*point, shown.look) for point in points]


def _names(panel: list[Shown], labels: list[str], x: Scale, y: Scale, bottom: float) -> list[str]:
    """Beside the last point of each line; a thin line leads to a name that had to make room for another."""
    ends = [(x.place(max(shown.by_n)), y.place(_last(shown))) for shown in panel]
    places = apart([end[1] for end in ends], _LABEL_GAP, _TOP, bottom)
    begin = max(end[0] for end in ends) + 24
    parts = []
    for shown, label, (end_x, end_y), place in zip(panel, labels, ends, places):
        colour, emphasis = svg.colour(shown.look), " ours" if shown.contestant.ours else ""
        parts += [svg.line(end_x + 7, end_y, begin - 4, place, f"leader {colour}"),
                  svg.text(begin, place + 4.5, label, class_=f"name {colour}{emphasis}")]
    return parts


def _last(shown: Shown) -> float:
    return shown.by_n[max(shown.by_n)].median
