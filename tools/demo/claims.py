# SPDX-License-Identifier: Apache-2.0
"""What the records of bench/record claim: bench/record/bars.tsv has a row for each bar that a record's figures stay
within.

`./demo --record` writes the rows of its record. `./check bench` holds the records to them: each claim has to be true of its
record under the bars that are drawn today, and of every later record that measured the same.
"""

import collections
import csv
import pathlib

from harness import measurement
from harness.measurement import Measurement
from harness.part import Part
from report.bars import Outcome, Place, outcomes

FILE = "bars.tsv"
_COLUMNS = ("record", "part", "workload", "quantity", "n", "contestant")


def read(folder: pathlib.Path) -> dict[str, set[Place]]:
    """The bars that each record claims to meet."""
    result = collections.defaultdict(set)
    with open(folder / FILE, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            result[row["record"]].add(Place(row["part"], row["workload"], row["quantity"], int(row["n"]),
                                            row["contestant"]))
    return dict(result)


def add(folder: pathlib.Path, record: str, found: list[Outcome]) -> None:
    path = folder / FILE
    is_new = not path.exists()
    with open(path, "a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        if is_new:
            writer.writerow(_COLUMNS)
        for place in sorted(each.place for each in found if each.is_met):
            writer.writerow([record, place.part, place.workload, place.quantity, place.n, place.contestant])


def records(folder: pathlib.Path) -> dict[str, list[Measurement]]:
    """The committed records by name, in the order in which they were taken."""
    rows = {path.stem: measurement.read(path) for path in folder.glob("*.csv")}
    return dict(sorted(rows.items(), key=lambda each: each[1][0].date))


def broken(claims: dict[str, set[Place]], parts: list[Part], taken: dict[str, list[Measurement]]) -> list[str]:
    """Claims that are not true. `taken` is in the order of records()."""
    found = {name: {each.place: each for each in outcomes(parts, rows)} for name, rows in taken.items()}
    wrong = [f"{name} claims bars, and there is no such record" for name in claims if name not in taken]
    earlier: dict[Place, str] = {}  # who claimed it first
    for name in taken:
        for place in claims.get(name, ()):
            earlier.setdefault(place, name)
        for place, claimant in sorted(earlier.items()):
            outcome = found[name].get(place)
            if outcome is None and claimant == name:
                wrong.append(f"{name} claims to meet a bar that is not drawn: {place}")
            elif outcome is not None and not outcome.is_met:
                whose = "it" if claimant == name else claimant
                wrong.append(f"{name} misses a bar that {whose} claims to meet: {outcome}")
    return wrong
