# SPDX-License-Identifier: Apache-2.0
"""One raw figure of one repetition, and the CSV files that hold them; bench/record/README.md explains the columns."""

import csv
import dataclasses
import math
import os
import pathlib
import re

# What a figure may be measured in. The names of a program's figures end in one of these.
UNITS = ("ns", "bytes", "count")


class MalformedRecord(Exception):
    """A CSV file that is not what this module writes; str() names the line."""


@dataclasses.dataclass(frozen=True)
class Measurement:
    date: str  # when this repetition began, UTC
    commit: str  # of the tree; with a + if something in it differed, - where there is no git
    cpu: str
    system: str
    compiler: str
    load_before: float  # load average of the last minute
    load_after: float
    part: str
    workload: str
    contestant: str
    n: int
    repetition: int  # counts from 1
    quantity: str  # what of the workload was measured
    unit: str
    value: float
    checksum: str  # of the work that was done


COLUMNS = tuple(field.name for field in dataclasses.fields(Measurement))
_NUMBERS = [(field.name, field.type) for field in dataclasses.fields(Measurement) if field.type in (int, float)]


def write(path: pathlib.Path, rows: list[Measurement]) -> None:
    """Writes the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    with open(unfinished, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(dataclasses.astuple(row) for row in rows)
    os.replace(unfinished, path)


def read(path: pathlib.Path) -> list[Measurement]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise MalformedRecord(f"{path} can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise MalformedRecord(f"{path} is not CSV: {error}") from error
    if not lines or tuple(lines[0]) != COLUMNS:
        raise MalformedRecord(f"{path}:1: the first line is to name the columns {','.join(COLUMNS)}")
    if len(lines) == 1:
        raise MalformedRecord(f"{path} holds no measurement")
    return [_row(f"{path}:{number}", fields) for number, fields in enumerate(lines[1:], 2)]


def _row(place: str, fields: list[str]) -> Measurement:
    if len(fields) != len(COLUMNS):
        raise MalformedRecord(f"{place}: {len(fields)} fields where there are {len(COLUMNS)} columns; was the file cut "
                              f"off?")
    row = dict(zip(COLUMNS, fields))
    for column, kind in _NUMBERS:
        try:
            row[column] = kind(row[column])
        except ValueError:
            raise MalformedRecord(f"{place}: {column} is \"{row[column]}\", which is no number") from None
        if not math.isfinite(row[column]) or row[column] < 0:
            raise MalformedRecord(f"{place}: {column} is {row[column]}; it can't be negative or infinite")
    if row["unit"] not in UNITS:
        raise MalformedRecord(f"{place}: the unit \"{row['unit']}\" is unknown; the units are {' '.join(UNITS)}")
    if not re.fullmatch(r"[0-9a-f]{16}", row["checksum"]):
        raise MalformedRecord(f"{place}: the checksum \"{row['checksum']}\" is not 16 hexadecimal digits")
    return Measurement(**row)
