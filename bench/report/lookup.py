# SPDX-License-Identifier: Apache-2.0
"""What a part's figures have to show: the summaries of a panel, by contestant and n, with how each is drawn."""

import dataclasses

from harness.part import Contestant, Panel, Part
from harness.summary import Key, Summary
from report.units import Scaled, ratio


@dataclasses.dataclass(frozen=True)
class Shown:
    """One contestant's course in one panel."""

    contestant: Contestant
    look: int  # which colour, shape and dashes; the same on the whole page
    by_n: dict[int, Summary]


class Lookup:
    def __init__(self, part: Part, summaries: dict[Key, Summary]):
        self.part = part
        self._summaries = {key: summary for key, summary in summaries.items() if key.part == part.name}
        known = {contestant.name for contestant in part.contestants}
        # Who was measured but has no words in report.toml is shown all the same, by name.
        strangers = dict.fromkeys(key.contestant for key in sorted(self._summaries) if key.contestant not in known)
        self._contestants = [*part.contestants, *(Contestant(name, name, "") for name in strangers)]

    def shown(self, panel: Panel) -> list[Shown]:
        """Those who were measured, in the order of report.toml; a panel that names an n shows that one only."""
        result = []
        for look, contestant in enumerate(self._contestants):
            by_n = {key.n: self._summaries[key] for key in sorted(self._summaries)
                    if (key.workload, key.quantity, key.contestant) == (panel.workload, panel.quantity, contestant.name)
                    and panel.n in (0, key.n)}
            if by_n:
                result.append(Shown(contestant, look, by_n))
        return result

    def contestants(self) -> list[tuple[Contestant, int]]:
        """Everybody who was measured in anything, with their looks."""
        measured = {key.contestant for key in self._summaries}
        return [(contestant, look) for look, contestant in enumerate(self._contestants) if contestant.name in measured]

    def absent(self) -> list[Contestant]:
        measured = {key.contestant for key in self._summaries}
        return [contestant for contestant in self._contestants if contestant.name not in measured]


def scaled(panels: list[list[Shown]]) -> Scaled:
    """The unit in which all of these are read."""
    summaries = [summary for panel in panels for shown in panel for summary in shown.by_n.values()]
    return Scaled(summaries[0].unit, [summary.median for summary in summaries])


def bar_of(panel: Panel, shown: list[Shown]) -> float:
    """What is asked of everybody in a panel of one n: a figure, or so many percent above that of one of them; 0 where there is none."""
    if not panel.bar_of:
        return panel.bar
    peers = [each for each in shown if each.contestant.name == panel.bar_of]
    return next(iter(peers[0].by_n.values())).median * (100 + panel.bar_percent) / 100 if peers else 0


def within(panel: list[Shown], unit: Scaled, bar: float) -> str:
    """Who of a panel of one n stays within the bar; nothing where there is none."""
    if not bar:
        return ""
    those = [shown.contestant.label for shown in panel if next(iter(shown.by_n.values())).median <= bar]
    return f" Within the bar of {unit.text(bar)}: {', '.join(those) or 'nobody'}."


def reading(panel: list[Shown], unit: Scaled, n_is: str = "") -> str:
    """The plot in words: who needs least at the largest n, and how many times as much the others need. Of nothing there is
    no multiple, so beside that the others' own figures stand."""
    n = max(n for shown in panel for n in shown.by_n)
    there = sorted((shown for shown in panel if n in shown.by_n), key=lambda shown: shown.by_n[n].median)
    least = there[0].by_n[n].median
    place = f"At {n:,} {n_is}: " if n_is else ""
    words = f"{place}{there[0].contestant.label} {unit.text(least)}"
    if len(there) > 1 and there[-1].by_n[n].median == least:
        return f"{place}{unit.text(least)} for all."
    if least == 0:
        nobody = ", ".join(shown.contestant.label for shown in there if shown.by_n[n].median == 0)
        some = "".join(f"; {shown.contestant.label} {unit.text(shown.by_n[n].median)}" for shown in there
                       if shown.by_n[n].median > 0)
        return f"{place}{nobody} {unit.text(0)}{some}."
    if len(there) > 4:  # more than one can take in: the best three, and the last
        there = [*there[:3], there[-1]]
    others = [f"{shown.contestant.label} {ratio(shown.by_n[n].median / least)}" for shown in there[1:]]
    return f"{words}; {', '.join(others)} as much." if others else f"{words}."
