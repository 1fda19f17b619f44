# SPDX-License-Identifier: Apache-2.0
"""Running a budget program (budget.hpp) under callgrind: instructions an operation, and bytes, row by row."""

import dataclasses
import pathlib
import re

INSTRUCTIONS, BYTES = "instructions", "bytes"
SECONDS_MAX = 300
_TOTAL = re.compile(r"^totals: (\d+)$", re.MULTILINE)


class NotCounted(Exception):
    """Nothing could be counted, or not all; str() says why."""


@dataclasses.dataclass(frozen=True, order=True)
class Row:
    """What a budget is for."""

    who: str
    what: str
    unit: str

    def __str__(self) -> str:
        return f"{self.who} {self.what}"


@dataclasses.dataclass(frozen=True)
class Counts:
    compiler: str
    values: dict[Row, float]  # instructions are those of one operation


def command(program: pathlib.Path, folder: pathlib.Path) -> list:
    """Runs the program so that its dumps lie in `folder`."""
    return ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={folder / 'dump'}", program]


def read(printed: str, folder: pathlib.Path, printed_alone: str) -> Counts:
    """What the program printed, put together with the dumps, which callgrind numbers in the order of the rows.

    Bytes are taken from a run without callgrind, `printed_alone`: it holds memory of its own in the same process.
    """
    facts, values, dumps = {}, {}, 0
    for line in printed.splitlines():
        match line.split():
            case ["compiler" | "build" as fact, *words]:
                facts[fact] = " ".join(words)
            case ["instructions", who, what, operations]:
                dumps += 1
                values[Row(who, what, INSTRUCTIONS)] = _total(folder / f"dump.{dumps}") / int(operations)
            case ["wrong", *row]:
                raise NotCounted(f"{' '.join(row)}: the work that was counted was done wrong, as its checksum shows")
    for line in printed_alone.splitlines():
        match line.split():
            case ["bytes", who, what, value]:
                values[Row(who, what, BYTES)] = float(value)
            case ["wrong", *row]:
                raise NotCounted(f"{' '.join(row)}: the work was done wrong, as its checksum shows")
    if not values or set(facts) != {"compiler", "build"}:
        raise NotCounted(f"the program printed no rows, but:\n{printed[-1000:]}")
    if facts["build"] != "optimised":
        raise NotCounted(f"this build is {facts['build']}; budgets are for what users get, the preset `release`")
    # The last, unnumbered one is what was left at the program's end: nothing, if each meter was read once.
    if (folder / f"dump.{dumps + 1}").exists():
        raise NotCounted(f"there are more dumps than the {dumps} rows that the program printed")
    return Counts(facts["compiler"], values)


def _total(dump: pathlib.Path) -> int:
    try:
        total = _TOTAL.search(dump.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        raise NotCounted(f"callgrind wrote no {dump.name}: the program has more rows than meters that were read") from None
    if total is None or int(total[1]) == 0:
        raise NotCounted(f"{dump.name} holds no count: was the program run under callgrind?")
    return int(total[1])
