# SPDX-License-Identifier: Apache-2.0
"""The numbers of a figure: median and MAD of each contestant, for the page and for a terminal."""

import dataclasses
import html

from harness.part import Figure
from harness.summary import Summary
from report.lookup import Lookup, Shown, scaled
from report.units import Scaled


@dataclasses.dataclass(frozen=True)
class Cell:
    number: str = "–"
    spread: str = ""  # of the repetitions: the MAD
    extent: str = ""  # least and greatest of them, where there were several
    repetitions: int = 0
    share: str = ""  # of what the contestant takes that the figure sets all beside


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    unit: str  # in which the cells are, if it is one for all
    corner: str  # over the names
    columns: tuple[str, ...]
    rows: tuple[tuple[str, bool, tuple[Cell, ...]], ...]  # name, ours, cells


def compare_table(figure: Figure, lookup: Lookup) -> Table:
    """Contestants down, panels across; each panel has its unit."""
    columns, by_name = [], {}
    panels = [panel for panel in figure.panels if lookup.shown(panel)]
    for panel in panels:
        shown = lookup.shown(panel)
        unit = scaled([shown])
        beside = next((entry.by_n[panel.n].median for entry in shown if entry.contestant.name == figure.beside), 0)
        columns.append(", ".join(words for words in (panel.title, unit.name) if words))
        for entry in shown:
            share = f"{entry.by_n[panel.n].median / beside:.0%}" if beside and entry.contestant.name != figure.beside else ""
            by_name.setdefault(entry.contestant, {})[panel] = dataclasses.replace(cell(entry.by_n[panel.n], unit), share=share)
    rows = tuple((contestant.label, contestant.ours, tuple(cells.get(panel, Cell()) for panel in panels))
                 for contestant, cells in by_name.items())
    return Table(figure.title, "", "", tuple(columns), rows)


def scaling_table(title: str, n_is: str, panel: list[Shown], unit: Scaled) -> Table:
    """Contestants down, populations across."""
    populations = sorted({n for shown in panel for n in shown.by_n})
    cells = {shown.contestant: tuple(cell(shown.by_n[n], unit) if n in shown.by_n else Cell() for n in populations)
             for shown in panel}
    rows = tuple((contestant.label, contestant.ours, of_one) for contestant, of_one in cells.items())
    return Table(title, unit.name, n_is, tuple(f"{n:,}" for n in populations), rows)


def cell(summary: Summary, unit: Scaled) -> Cell:
    if summary.repetitions == 1:
        return Cell(unit.number(summary.median), repetitions=1)
    least, greatest = unit.number(summary.least), unit.number(summary.greatest)
    return Cell(unit.number(summary.median), f"± {unit.spread(summary.mad, summary.median)}",
                f"{least}–{greatest}" if least != greatest else "", summary.repetitions)


def as_html(table: Table) -> str:
    corner = html.escape(", ".join(words for words in (table.corner, table.unit) if words))
    head = "".join(f'<th scope="col">{html.escape(column)}<small>{_runs(table, number)}</small></th>'
                   for number, column in enumerate(table.columns))
    body = ""
    for name, ours, cells in table.rows:
        filled = "".join(f"<td><b>{each.number}</b> {each.spread}<small>{_below(each)}</small></td>" for each in cells)
        body += f'<tr{" class=ours" if ours else ""}><th scope="row">{html.escape(name)}</th>{filled}</tr>'
    return (f'<div class="numbers"><table><thead><tr><th scope="col">{corner}</th>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def as_text(table: Table, width: int) -> str:
    """For a terminal; columns whose heads are long are named by numbers that are explained above."""
    cells = [[" ".join(filter(None, (each.number, each.spread, each.share and f"({each.share})")))
              for each in row] for _, _, row in table.rows]
    heads = list(table.columns)
    names = [name for name, _, _ in table.rows]
    first = max(map(len, [*names, table.corner]))
    lines = [f"{table.title}{', ' + table.unit if table.unit else ''}"]
    if 2 + first + sum(3 + max(map(len, column)) for column in zip(heads, *cells)) > width:
        lines += [f"  [{number}] {head}" for number, head in enumerate(heads, 1)]
        heads = [f"[{number}]" for number in range(1, len(heads) + 1)]
    widths = [max(map(len, column)) for column in zip(heads, *cells)]
    for name, row in zip([table.corner, *names], [heads, *cells]):
        lines.append(f"  {name:<{first}}" + "".join(f"   {text:>{size}}" for text, size in zip(row, widths)))
    return "\n".join(line.rstrip() for line in lines)


def _below(each: Cell) -> str:
    return "; ".join(filter(None, (each.share, each.extent)))


def _runs(table: Table, column: int) -> str:
    """How many repetitions stand behind the cells of a column; nothing where they were reckoned from others."""
    counts = sorted({cells[column].repetitions for _, _, cells in table.rows} - {0})
    if not counts:
        return ""
    return f"{counts[0]} to {counts[-1]} runs" if len(counts) > 1 else f"{counts[0]} run{'s' if counts[0] > 1 else ''}"
