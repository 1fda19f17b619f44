# SPDX-License-Identifier: Apache-2.0
"""How large n may grow before a contestant needs so many times what it needed at the least n.

The last n before the first at which it does. That it needs less at a later one counts for nothing: who asks how large a
population may be wants no size on the way to be worse.
"""

from harness.part import Figure
from report.lookup import Lookup, Shown
from report.table import Cell, Table


def limits_table(figure: Figure, lookup: Lookup) -> Table | None:
    """Contestants down, panels across, last the least of these; None where nobody was measured at two n."""
    panels = [(panel, courses) for panel in figure.panels
              if (courses := [shown for shown in lookup.shown(panel) if len(shown.by_n) > 1])]
    if not panels:
        return None
    by_name: dict = {}
    for panel, courses in panels:
        for shown in courses:
            by_name.setdefault(shown.contestant, {})[panel] = _limit(shown, figure.limit)
    rows = []
    for contestant, limits in by_name.items():
        of_each = [limits.get(panel) for panel, _ in panels]
        # Where one is missing nothing can be said of all of them.
        of_all = None if None in of_each else min(of_each)
        rows.append((contestant.label, contestant.ours, tuple(_cell(each) for each in (*of_each, of_all))))
    begin = min(min(shown.by_n) for _, courses in panels for shown in courses)
    return Table(f"The most {figure.n_is} before it takes {figure.limit} times what it takes at {begin:,}", "", "",
                 (*(panel.title for panel, _ in panels), "Any of them"), tuple(rows))


def _limit(shown: Shown, times: int) -> tuple[int, bool]:
    """The n, and whether it is the largest that was measured, so that nobody knows how much further it goes."""
    populations = sorted(shown.by_n)
    first = shown.by_n[populations[0]].median
    reached = populations[0]
    for n in populations[1:]:
        if shown.by_n[n].median >= times * first:
            return reached, False
        reached = n
    return reached, True


def _cell(limit: tuple[int, bool] | None) -> Cell:
    if limit is None:
        return Cell()
    n, is_open = limit
    return Cell(f"{n:,} or more" if is_open else f"{n:,}")
