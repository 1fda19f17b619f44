# SPDX-License-Identifier: Apache-2.0
"""The whole page: its shell, a section for each part, and on what the figures were taken."""

import dataclasses
import html
import pathlib
import re

from harness.measurement import Measurement
from harness.part import Figure, Part
from harness.summary import Key, Summary, summarise
from report import compare, scaling, svg, table
from report.limits import limits_table
from report.lookup import Lookup, bar_of, reading, scaled, within
from report.table import Table

_STYLE = pathlib.Path(__file__).with_name("style.css")


@dataclasses.dataclass(frozen=True)
class Report:
    html: str
    tables: list[Table]  # the same numbers
    readings: list[str]  # the first figure of each part, in words


def report(parts: list[Part], rows: list[Measurement], *, left_out: dict[str, str], raw: list[str]) -> Report:
    """`left_out` says why a contestant, a workload or one of its benchmarks is absent, `raw` names the CSV files beside
    the page. Raises WorkDiffers."""
    summaries = summarise(rows)
    sections, tables, readings = [], [], []
    for part in parts:
        lookup = Lookup(part, summaries)
        if not lookup.contestants():
            continue
        drawn = [_figure(figure, lookup) for figure in part.figures]
        sections.append(_section(lookup, [markup for markup, _, _ in drawn], left_out))
        tables += [each for _, of_figure, _ in drawn for each in of_figure]
        readings += next((said for _, _, said in drawn if said), [])
    style = _STYLE.read_text(encoding="utf-8").partition("*/")[2]
    title = ", ".join(part.title for part in parts)
    document = f"""<!DOCTYPE html>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pinion: {html.escape(title)}, {rows[0].date[:10]}</title>
<style>{style}</style>
</head>
<body>
<header><p class="project">pinion</p><h1>What it costs</h1>{_occasion(rows, summaries)}</header>
<main>
{"".join(sections)}
</main>
{_footer(rows, raw, summaries)}
</body>
</html>
"""
    return Report(document, tables, readings)


def _section(lookup: Lookup, figures: list[str], left_out: dict[str, str]) -> str:
    part = lookup.part
    key = "".join(f'<li><svg viewBox="0 0 16 16" aria-hidden="true">{svg.marker(8, 8, look)}</svg>'
                  f'<span><b>{html.escape(contestant.label)}</b> {_inline(contestant.words)}</span></li>'
                  for contestant, look in lookup.contestants())
    absent = "".join(f"<p class=absent>Not measured in this run: <b>{html.escape(contestant.label)}</b>: "
                     f"{html.escape(left_out[contestant.name])}.</p>"
                     for contestant in lookup.absent() if contestant.name in left_out)
    unasked = ", ".join(f"<b>{html.escape(contestant.label)}</b>" for contestant in lookup.absent()
                        if contestant.name not in left_out)
    absent += f"<p class=absent>Not measured in this run: {unasked}.</p>" if unasked else ""
    absent += "".join(f"<p class=absent>Not measured in this run: <b>{html.escape(work)}</b>: {html.escape(reason)}.</p>"
                      for work, reason in left_out.items() if work.partition("/")[0] in part.workloads())
    not_said = "".join(f"<li>{_inline(words)}</li>" for words in part.not_said)
    limits = f"<h3>What these numbers do not say</h3><ul class=limits>{not_said}</ul>" if not_said else ""
    return (f'<section id="{html.escape(part.name)}"><h2>{html.escape(part.title)}</h2>{_paragraphs(part.words)}'
            f"<ul class=contestants>{key}</ul>{absent}{''.join(figures)}{limits}</section>")


def _figure(figure: Figure, lookup: Lookup) -> tuple[str, list[Table], list[str]]:
    """Its markup, its tables, and its plots in words."""
    panels = [(panel, shown) for panel in figure.panels if (shown := lookup.shown(panel))]
    missing = [panel.title for panel in figure.panels if not lookup.shown(panel)]
    note = f"<p class=absent>Not measured in this run: {html.escape('; '.join(missing))}.</p>" if missing else ""
    if not panels:
        return f"<h3>{html.escape(figure.title)}</h3>{note}", [], []
    of_all = scaled([shown for _, shown in panels])
    domain, logarithmic = scaling.axes([shown for _, shown in panels])
    plots, tables, readings = [], [], []
    for panel, shown in panels:
        unit = scaled([shown]) if figure.kind == "compare" else of_all
        said = reading(shown, unit, figure.n_is)
        readings.append(f"{panel.title}: {said}")
        if figure.kind == "compare":
            bar = bar_of(panel, shown)
            said += within(shown, unit, bar)
            drawing, numbers = compare.plot(shown, unit, panel.title, bar), ""
        else:
            drawing = scaling.plot(shown, unit, domain, logarithmic, panel.title, figure.n_is)
            tables.append(table.scaling_table(panel.title, figure.n_is, shown, unit))
            numbers = table.as_html(tables[-1])
        caption = f"<b>{html.escape(panel.title)}</b><span>{html.escape(said)}</span>"
        plots.append(f"<figure><figcaption>{caption}</figcaption>{drawing}{numbers}</figure>")
    below = ""
    if figure.kind == "compare":
        tables.append(table.compare_table(figure, lookup))
        below = table.as_html(tables[-1])
    elif figure.limit and (limits := limits_table(figure, lookup)):
        tables.append(limits)
        below = f"<p><b>{html.escape(limits.title)}</b></p>{table.as_html(limits)}"
    return (f"<h3>{html.escape(figure.title)}</h3>{_paragraphs(figure.words)}{note}"
            f'<div class="panels">{"".join(plots)}</div>{below}', tables, readings)


def _occasion(rows: list[Measurement], summaries: dict[Key, Summary]) -> str:
    compilers = " and ".join(sorted({row.compiler for row in rows}))
    return (f"<p>{rows[0].date[:10]} · {html.escape(rows[0].cpu)} · {html.escape(compilers)}</p>"
            f"<p class=how>Each figure is the median of {_repetitions(summaries)}, run interleaved with all others, each "
            "in a process of its own. ± and whiskers are the median absolute deviation (MAD); a whisker that you can't "
            "see is shorter than a pixel. Small figures below a median are the least and the greatest. Less is better "
            "everywhere.</p>")


def _repetitions(summaries: dict[Key, Summary]) -> str:
    counts = {summary.repetitions for summary in summaries.values()}
    fewest, most = min(counts), max(counts)
    return f"{fewest} to {most} repetitions" if fewest != most else f"{most} repetition{'s' if most > 1 else ''}"


def _footer(rows: list[Measurement], raw: list[str], summaries: dict[Key, Summary]) -> str:
    loads = [load for row in rows for load in (row.load_before, row.load_after)]
    works = len({(row.part, row.workload, row.n) for row in rows})
    dates = sorted(row.date for row in rows)
    facts = {
        "when": f"{dates[0].replace('T', ' ').rstrip('Z')} to {dates[-1][11:].rstrip('Z')} UTC",
        "processor": _all(row.cpu for row in rows),
        "system": _all(row.system for row in rows),
        "compiler": _all(row.compiler for row in rows),
        "commit": _all(row.commit for row in rows),
        "load average": f"{min(loads):.2f} to {max(loads):.2f} during the run (the benchmark itself is 1)",
        "figures": f"{len(rows):,}, of {_repetitions(summaries)}",
        "same work": f"checksums agree between all contestants and repetitions in all {works} workloads and sizes",
    }
    listed = "".join(f"<dt>{name}</dt><dd>{html.escape(fact)}</dd>" for name, fact in facts.items())
    files = ", ".join(f'<a href="{html.escape(name)}">{html.escape(name)}</a>' for name in raw)
    raw_row = f"<dt>raw figures</dt><dd>{files}, one row a repetition</dd>" if raw else ""
    return f"<footer><h2>Taken on</h2><dl>{listed}{raw_row}</dl></footer>"


def _all(values) -> str:
    return ", ".join(dict.fromkeys(values))


def _paragraphs(words: str) -> str:
    return "".join(f"<p>{_inline(paragraph.strip())}</p>" for paragraph in words.split("\n\n") if paragraph.strip())


def _inline(words: str) -> str:
    """Text of a report.toml: plain, with `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words, quote=False))
