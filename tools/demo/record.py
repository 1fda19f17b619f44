# SPDX-License-Identifier: Apache-2.0
"""Keeping a run's raw figures: one file of bench/record a run, never overwritten, and its row for the table there."""

import pathlib

from harness import measurement
from harness.measurement import Measurement


def keep(rows: list[Measurement], name: str, folder: pathlib.Path) -> pathlib.Path:
    """Writes DATE-NAME.csv; of a second run on one day DATE-NAME-2.csv."""
    stem = f"{rows[0].date[:10]}-{name}"
    path, number = folder / f"{stem}.csv", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.csv"
    measurement.write(path, rows)
    return path


def row_of(path: pathlib.Path, rows: list[Measurement]) -> str:
    """The line by which bench/record/README.md is to name the file."""
    loads = [load for row in rows for load in (row.load_before, row.load_after)]
    repetitions = [row.repetition for row in rows]
    counts = {(row.workload, row.contestant, row.n): 0 for row in rows}
    for row in rows:
        key = (row.workload, row.contestant, row.n)
        counts[key] = max(counts[key], row.repetition)
    fewest, most = min(counts.values()), max(repetitions)
    count = f"{fewest} to {most}" if fewest != most else f"{most}"
    contestants = ", ".join(dict.fromkeys(row.contestant for row in sorted(rows, key=lambda row: row.contestant)))
    return (f"| [{path.stem}]({path.name}) | {contestants} | {rows[0].cpu} | {rows[0].system} | {rows[0].compiler} | "
            f"{rows[0].commit} | {count} | {min(loads):.2f} to {max(loads):.2f} |")
