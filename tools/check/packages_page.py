# SPDX-License-Identifier: Apache-2.0
"""docs/packages.md, taken at its word: what it says to type is typed.

A fenced block is named by the comment before it. `file: NAME` is a file of every project, `MANAGER: file NAME` one of
that package manager's, `MANAGER: use` and `MANAGER: swap` are commands, run one after the other in a fresh
folder, `conan: no-profile` and `conan: no-network` are the ones where there is none of that.
"""

import dataclasses
import pathlib
import re

from check import catalogue, commands, tree
from check.execution import Run
from check.results import Test, failed, verdict

PAGE = tree.ROOT / "docs" / "packages.md"
MANAGERS = ("cmake", "conan", "vcpkg")

_BLOCK = re.compile(r"^(?:<!-- (?:(?P<manager>\w+): )?(?P<kind>use|swap|file|no-profile|no-network)"
                    r"(?:(?: |: )(?P<name>\S+))? -->\n)?"
                    r"^```(?P<language>\w*)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINTS = "it works\n"
_NO_BACKEND = "no_such_backend"


@dataclasses.dataclass(frozen=True)
class Block:
    manager: str | None  # None: of the project itself
    kind: str | None  # None: nobody will look at it
    name: str | None
    content: str


def blocks() -> list[Block]:
    return [Block(match["manager"], match["kind"], match["name"], match["content"])
            for match in _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


def unread_blocks() -> Test:
    """Every block of the page is one that a check reads."""
    unread = [block.content.splitlines()[0] for block in blocks() if block.kind is None
              or block.manager not in (*MANAGERS, None) or (block.kind == "file") != bool(block.name)]
    missing = [f"there is no block `{manager}: {kind}`" for manager in MANAGERS for kind in ("use", "swap")
               if not any((block.manager, block.kind) == (manager, kind) for block in blocks())]
    return verdict("packages page: each block is run or written by a check",
                   "\n".join([*(f"no comment names the block of `{line}`" for line in unread), *missing]))


def follow(run: Run, manager: str, folder: pathlib.Path, environment: dict[str, str]) -> list[Test]:
    """Types what the page says about this manager. Then, for each place where it names the backend that is swapped in,
    once more with one there that doesn't exist, which has to be refused: so each place is known to matter."""
    environment = environment | {"CMAKE_GENERATOR": "Ninja"}
    run.progress(f"the page's lines for {manager}")
    write_project(folder, _files(manager))
    tests = [_works(run, manager, kind, folder, environment) for kind in ("use", "swap")]
    name = f"packages page: {manager}: each place that names the backend matters"
    backend = _swapped_in(manager)
    places = [*((file, place) for file, text in _files(manager).items() for place in _places(backend, text)),
              *((None, place) for place in _places(backend, commands_of(manager, "swap")))]
    wrong = [complaint for file, place in places
             if (complaint := _swap_for_nothing(run, manager, folder, environment, backend, file, place))]
    return [*tests, verdict(name, "\n".join(wrong) if places else "it is named nowhere")]


def commands_of(manager: str, kind: str) -> str:
    return "".join(block.content for block in blocks() if (block.manager, block.kind) == (manager, kind))


def _files(manager: str) -> dict[str, str]:
    return {block.name: block.content for block in blocks()
            if block.kind == "file" and block.manager in (manager, None)}


def _swapped_in(manager: str) -> str:
    texts = [commands_of(manager, "swap"), *_files(manager).values()]
    values = catalogue.read().part("timer").backends[0].values
    return next((value for value in values if any(value in text for text in texts)), values[0])


def _places(backend: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"\b{backend}\b", text)]


def write_project(folder: pathlib.Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "pinion").exists():
        (folder / "pinion").symlink_to(tree.ROOT)
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


def _type(run: Run, lines: str, folder: pathlib.Path, environment: dict[str, str]) -> commands.Finished:
    return run.log.run(["sh", "-e", "-c", lines], cwd=folder, env=environment)


def _works(run: Run, manager: str, kind: str, folder: pathlib.Path, environment: dict[str, str]) -> Test:
    name = f"packages page: {manager}: {kind}"
    result = _type(run, commands_of(manager, kind), folder, environment)
    if not result.ok or not result.output.endswith(_PRINTS):
        return failed(name, commands.relevant(result.output))
    got = _default_of(folder)
    wanted = _swapped_in(manager) if kind == "swap" else catalogue.read().part("timer").backends[0].default
    return verdict(name, None if got == wanted else f"the project was built with the default {got}, not {wanted}")


def _default_of(folder: pathlib.Path) -> str | None:
    """The default store of the pinion that the project in this folder was configured with."""
    cache = (folder / "build" / "CMakeCache.txt").read_text(encoding="utf-8")
    package = pathlib.Path(re.search(r"^pinion_DIR:PATH=(.*)$", cache, re.MULTILINE).group(1))
    header = next(parent / "include" / "pinion" / "config.hpp" for parent in package.parents
                  if (parent / "include" / "pinion" / "config.hpp").is_file())
    match = re.search(r"^#define PINION_TIMER_DEFAULT (\w+)$", header.read_text(encoding="utf-8"), re.MULTILINE)
    return match and match.group(1)


def _swap_for_nothing(run: Run, manager: str, folder: pathlib.Path, environment: dict[str, str], backend: str,
                      file: str | None, place: int) -> str | None:
    """What is wrong with the answer to a backend that isn't there, named at this place of this file or the commands."""

    def falsified(text: str) -> str:
        return text[:place] + _NO_BACKEND + text[place + len(backend):]

    files, lines = _files(manager), commands_of(manager, "swap")
    if file is None:
        lines = falsified(lines)
    else:
        files[file] = falsified(files[file])
    write_project(folder, files)
    result = _type(run, lines, folder, environment)
    where = file or next(line for line in lines.splitlines() if _NO_BACKEND in line)
    if result.ok:
        return f"another value is accepted in: {where}"
    # CMake breaks its lines where it likes.
    said = " ".join(result.output.split())
    return None if _NO_BACKEND in said and backend in said else f"{where}: {commands.relevant(result.output)}"
