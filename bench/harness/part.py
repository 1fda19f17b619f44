# SPDX-License-Identifier: Apache-2.0
"""What a part says about its benchmarks: <part>/bench/report.toml, one file that the harness and the report pick up. A part with
a second page has it in a folder below.

timer/bench/report.toml is the one to copy. Mistakes in it are refused in one sentence, with what is valid there.
"""

import dataclasses
import pathlib
import re
import tomllib

FIGURE_KINDS = ("compare", "scaling")


class BadPart(Exception):
    """A report.toml that can't be used; str() says what is wrong with it."""


@dataclasses.dataclass(frozen=True)
class Contestant:
    name: str  # as the program calls it
    label: str  # as people read it
    words: str  # what it is
    ours: bool = False


@dataclasses.dataclass(frozen=True)
class Panel:
    """One plot of a figure: a quantity of a workload."""

    workload: str
    quantity: str
    title: str
    n: int = 0  # of which population; a figure of kind "scaling" shows all
    bar: float = 0  # in the unit that is measured: what is asked of everybody, drawn as a line; only where n is said
    bar_of: str = ""  # or the contestant whose median is the bar, with so many percent more
    bar_percent: int = 0


@dataclasses.dataclass(frozen=True)
class Figure:
    """Plots that belong together, with one title, one text, one table."""

    kind: str  # "compare": contestants side by side at one n; "scaling": each one's course over n
    title: str
    words: str
    panels: tuple[Panel, ...]
    n_is: str = ""  # what n counts, for the axis of "scaling"
    beside: str = ""  # of "compare": the table says what percent of that contestant's figure each other one's is
    limit: int = 0  # of "scaling": a table says how large n may be before a figure is so many times that of the least n


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    title: str
    program: str  # below the build directory
    words: str
    not_said: tuple[str, ...]  # what the numbers do not say
    contestants: tuple[Contestant, ...]
    figures: tuple[Figure, ...]
    peers: str = ""  # the program of peers in other languages, as cargo names it; bench/peers
    quick: str = ""  # a quick run measures what this regular expression finds in workload/contestant/n
    seldom: str = ""  # what a run without much time leaves out, found in the same way
    repetitions_max: dict[str, int] = dataclasses.field(default_factory=dict)  # workload -> no more than so many

    def workloads(self) -> list[str]:
        """In the order in which the page shows them, which is that of their importance."""
        return list(dict.fromkeys(panel.workload for figure in self.figures for panel in figure.panels))


def discover(root: pathlib.Path) -> list[Part]:
    """Every page: each part of the tree that has a report.toml, and each folder of its benchmarks that has one."""
    return [read(path) for where in ("report.toml", "*/report.toml") for path in sorted(root.glob(f"*/bench/{where}"))]


def read(path: pathlib.Path) -> Part:
    try:
        with open(path, "rb") as file:
            return _part(tomllib.load(file))
    except OSError as error:
        raise BadPart(f"{path} can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadPart(f"{path} is not TOML: {error}") from error
    except BadPart as error:
        raise BadPart(f"{path}: {error}") from None


def _part(table: dict) -> Part:
    table = dict(table)
    contestants = tuple(_of(Contestant, row, "contestant") for row in _rows(table, "contestant"))
    figures = tuple(_figure(row) for row in _rows(table, "figure"))
    table["not_said"] = tuple(table.get("not_said", ()))
    part = _of(Part, table | {"contestants": contestants, "figures": figures}, "part")
    names = [contestant.name for contestant in contestants]
    if len(set(names)) != len(names):
        raise BadPart(f"a contestant stands twice among {' '.join(names)}")
    asked_of = {panel.bar_of for figure in figures for panel in figure.panels if panel.bar_of}
    if strangers := asked_of - set(names):
        raise BadPart(f"a panel's bar_of names \"{strangers.pop()}\"; the contestants are {' '.join(names)}")
    if strangers := {figure.beside for figure in figures if figure.beside} - set(names):
        raise BadPart(f"a figure's beside names \"{strangers.pop()}\"; the contestants are {' '.join(names)}")
    unknown = set(part.repetitions_max) - set(part.workloads())
    if unknown:
        raise BadPart(f"repetitions_max names \"{unknown.pop()}\"; the figures show {' '.join(part.workloads())}")
    for name in ("quick", "seldom"):
        try:
            re.compile(getattr(part, name))
        except re.error as error:
            raise BadPart(f"{name} is no regular expression: {error}") from None
    return part


def _figure(row: dict) -> Figure:
    row = dict(row)
    panels = tuple(_of(Panel, panel, "panel") for panel in _rows(row, "panel"))
    figure = _of(Figure, row | {"panels": panels}, "figure")
    if figure.kind not in FIGURE_KINDS:
        raise BadPart(f"a figure of kind \"{figure.kind}\" is unknown; the kinds are {' '.join(FIGURE_KINDS)}")
    if figure.kind == "compare" and figure.limit:
        raise BadPart(f"\"{figure.title}\" has a limit, which only a figure of kind \"scaling\" can have")
    if figure.kind == "compare" and any(panel.n == 0 for panel in panels):
        raise BadPart(f"a panel of \"{figure.title}\" is to say at which n it compares")
    if figure.kind == "scaling" and figure.beside:
        raise BadPart(f"\"{figure.title}\" has a beside, which only a figure of kind \"compare\" can have")
    if figure.limit == 1 or figure.limit < 0:
        raise BadPart(f"the limit of \"{figure.title}\" is {figure.limit}; it says how many times, 2 or more")
    if any((panel.bar and panel.bar_of) or (panel.bar_percent and not panel.bar_of) for panel in panels):
        raise BadPart(f"a panel of \"{figure.title}\" has a bar, or a bar_of with a bar_percent; not both, nor half of it")
    if figure.kind == "scaling" and any(panel.bar or panel.bar_of for panel in panels):
        raise BadPart(f"a panel of \"{figure.title}\" has a bar, which only a figure of kind \"compare\" can have")
    return figure


def _rows(table: dict, name: str) -> list[dict]:
    """Takes the array of tables [[name]] out of `table`."""
    rows = table.pop(name, None)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise BadPart(f"there is to be at least one [[{name}]]")
    return rows


def _of(kind: type, row: dict, what: str):
    """A dataclass from a table with exactly its fields."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if unknown := sorted(set(row) - set(fields)):
        raise BadPart(f"a {what} has no \"{unknown[0]}\"; it has {' '.join(fields)}")
    needed = [name for name, field in fields.items()
              if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING]
    if missing := [name for name in needed if name not in row]:
        raise BadPart(f"a {what} is to say its \"{missing[0]}\"")
    for name, value in row.items():
        wanted = fields[name].type
        valid = (int, float) if wanted is float else (wanted,)
        if wanted in (str, int, float, bool) and type(value) not in valid:
            raise BadPart(f"\"{name}\" of a {what} is to be {wanted.__name__}, not {value!r}")
    return kind(**row)
