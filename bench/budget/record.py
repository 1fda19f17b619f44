# SPDX-License-Identifier: Apache-2.0
"""The recorded budgets: one TOML file a part in this folder, a table for each contestant."""

import pathlib
import tomllib

from budget.counts import BYTES, INSTRUCTIONS, Counts, Row

FOLDER = pathlib.Path(__file__).resolve().parent


class BadRecord(Exception):
    """A file that can't be used; str() says what is wrong with it."""


def path_of(part: str) -> pathlib.Path:
    return FOLDER / f"{part}.toml"


def read(path: pathlib.Path) -> Counts:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRecord(f"{path.name} can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadRecord(f"{path.name} is not TOML: {error}") from error
    compiler = table.pop("compiler", None)
    if not isinstance(compiler, str):
        raise BadRecord(f"{path.name} doesn't say its compiler")
    values = {}
    for who, rows in table.items():
        if not isinstance(rows, dict):
            raise BadRecord(f"{path.name}: \"{who}\" is to be a table of budgets")
        for name, value in rows.items():
            what, _, unit = name.rpartition("_")
            if unit not in (INSTRUCTIONS, BYTES) or type(value) not in (int, float) or value <= 0:
                raise BadRecord(f"{path.name}: \"{name} = {value}\" of {who} is to be a positive number, and its name to "
                                f"end in _{INSTRUCTIONS} or _{BYTES}")
            values[Row(who, what, unit)] = float(value)
    return Counts(compiler, values)


def write(path: pathlib.Path, counts: Counts) -> None:
    lines = ["# SPDX-License-Identifier: Apache-2.0", "#",
             "# What an operation costs, and a thing holds. Written by `./check budget --record`; README.md tells more.",
             f'compiler = "{counts.compiler}"']
    for who in dict.fromkeys(row.who for row in counts.values):
        lines += ["", f"[{who}]"]
        lines += [f"{row.what}_{row.unit} = {value:.2f}" for row, value in counts.values.items() if row.who == who]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
