# SPDX-License-Identifier: Apache-2.0
"""Which of pinion's own contestants stay within the bars that a part's page draws, and which miss them."""

import dataclasses

from harness.measurement import Measurement
from harness.part import Part
from harness.summary import summarise
from report.lookup import Lookup, bar_of, scaled


@dataclasses.dataclass(frozen=True, order=True)
class Place:
    """Where a bar is drawn, and for whom."""

    part: str
    workload: str
    quantity: str
    n: int
    contestant: str

    def __str__(self) -> str:
        return f"{self.part}: {self.workload}/{self.contestant}/{self.n}, {self.quantity}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One contestant under one bar."""

    place: Place
    title: str  # of the panel
    label: str  # of the contestant
    figure: str  # as it is read, with its unit
    bar: str
    is_met: bool

    def __str__(self) -> str:
        return f"{self.place.part}: {self.title}, {self.label}: {self.figure}, and the bar is {self.bar}"


def outcomes(parts: list[Part], rows: list[Measurement]) -> list[Outcome]:
    """Every bar that can be drawn, for each of pinion's own that was measured, in the page's order."""
    summaries = summarise(rows)
    result = []
    for part in parts:
        lookup = Lookup(part, summaries)
        for panel in (panel for figure in part.figures for panel in figure.panels):
            shown = lookup.shown(panel)
            bar = bar_of(panel, shown) if shown else 0
            for each in (each for each in shown if bar and each.contestant.ours):
                median = each.by_n[panel.n].median
                place = Place(part.name, panel.workload, panel.quantity, panel.n, each.contestant.name)
                unit = scaled([shown])
                result.append(Outcome(place, panel.title, each.contestant.label, unit.text(median), unit.text(bar),
                                      median <= bar))
    return result


def in_words(found: list[Outcome]) -> list[str]:
    """The bars missed, a line each, below a line that counts them; nothing where no bar was drawn."""
    if not found:
        return []
    missed = [each for each in found if not each.is_met]
    return [f"bars: {len(found) - len(missed)} of {len(found)} are met by pinion's own, {len(missed)} missed",
            *(f"  missed: {each}" for each in missed)]
