# SPDX-License-Identifier: Apache-2.0
"""What cmake/parts.json says of parts, hosts and options, for the recipe and the checks; cmake/parts.cmake is the same for
CMake. Whatever is wrong in the file is Wrong, in one sentence that names what is valid."""

import dataclasses
import functools
import json
import pathlib
import re
from collections.abc import Callable

FILE = "cmake/parts.json"
_KINDS = {dict: "OBJECT", list: "ARRAY", str: "STRING", bool: "BOOLEAN"}
TOP_LEVEL = "TOP_LEVEL"
SWITCH = ("ON", "OFF")


class Wrong(Exception):
    """The file can't be obeyed; str() says why."""

    def __init__(self, text: str):
        super().__init__(f"{FILE}: {text}")


@dataclasses.dataclass(frozen=True)
class Package:
    """What something else provides. The keys are those of the file, and explained there."""

    package: str = ""
    pkg_config: str = ""
    version: str = ""
    title: str = ""
    target: str = ""
    conan: str = ""
    vcpkg: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.title or self.package or self.pkg_config, self.version)))


class Offered:
    """A part or an option, which a package manager can offer if it has all packages that it requires."""

    requires: tuple[Package, ...]

    def offered_by(self, manager: str) -> bool:
        """`manager` is "conan" or "vcpkg"."""
        return all(getattr(package, manager) for package in self.requires)


@dataclasses.dataclass(frozen=True)
class Option(Offered):
    name: str
    what: str
    default: str
    values: tuple[str, ...] = ()
    takes: str = ""
    headers: bool = False
    others: tuple[str, ...] = ()
    feature: str = ""
    requires: tuple[Package, ...] = ()

    @property
    def short_name(self) -> str:
        """As Conan calls it: timer_default."""
        return self.name.removeprefix("PINION_").lower()

    @property
    def is_switch(self) -> bool:
        return self.values == SWITCH

    @property
    def chooses_backend(self) -> bool:
        return self.name.endswith("_DEFAULT")

    def another_value(self) -> str:
        """A value other than the usual one; the usual one while it is the only one."""
        return next((value for value in self.values if value != self.default), self.default)


@dataclasses.dataclass(frozen=True)
class Part(Offered):
    name: str
    what: str
    required: bool = False
    links: tuple[str, ...] = ()
    linux: str = ""
    holds: str = ""
    into: str = ""
    requires: tuple[Package, ...] = ()
    options: tuple[Option, ...] = ()
    is_host: bool = False

    @property
    def folder(self) -> str:
        return f"hosts/{self.name}" if self.is_host else self.name

    @property
    def switch(self) -> Option:
        """The option that builds it."""
        name = f"PINION_{'WITH_' if self.is_host else ''}{self.name.upper()}"
        return Option(name, f"The {self.name} part", "OFF" if self.is_host else "ON", SWITCH)

    @property
    def all_options(self) -> list[Option]:
        """Its switch, and its own."""
        return [*([] if self.required else [self.switch]), *self.options]

    @property
    def backends(self) -> list[Option]:
        return [option for option in self.options if option.chooses_backend]


@dataclasses.dataclass(frozen=True)
class Tree:
    tools: dict[str, dict[str, str]]  # "headers" and "modules" -> gcc, clang, cmake -> the oldest that will do
    everything: tuple[Part, ...]  # base, the parts, the hosts
    options: tuple[Option, ...]
    development: tuple[Option, ...]

    @property
    def parts(self) -> list[Part]:
        """Those that are there unless left out."""
        return [part for part in self.everything if not part.is_host and not part.required]

    @property
    def hosts(self) -> list[Part]:
        return [part for part in self.everything if part.is_host]

    @property
    def optional(self) -> list[Part]:
        return [*self.parts, *self.hosts]

    def part(self, name: str) -> Part:
        return next(part for part in self.everything if part.name == name)

    def rests_on(self, part: Part) -> set[str]:
        """The names of all that its links lead to."""
        return {name for link in part.links for name in (link, *self.rests_on(self.part(link)))}

    def package_options(self) -> list[Option]:
        """All that a user of a package may choose, in the order of the tables."""
        return [option for part in self.everything for option in part.all_options] + list(self.options)


@functools.cache
def read(text: str) -> Tree:
    try:
        file = json.loads(text)
        keys = file["keys"]
        _check_keys(keys, "all", "the file", file)
    except (ValueError, KeyError, TypeError) as reason:
        raise Wrong(f"it is no JSON with \"keys\": {reason}") from reason
    for name in ("headers", "modules"):
        _check_keys(keys, "tool", f"\"{name}\" of \"tools\"", file["tools"].get(name))
    everything = tuple(_part(keys, array, number, value) for array in ("parts", "hosts")
                       for number, value in enumerate(file[array]))
    options, development = (tuple(_option(keys, f"\"{array}\"", value) for value in file[array])
                            for array in ("options", "development"))
    _check_names(everything, [*(option for part in everything for option in part.options), *options, *development])
    _check_links(everything)
    return Tree(file["tools"], everything, options, development)


def read_tree(root: pathlib.Path) -> Tree:
    """Of a whole tree, whose files are looked for."""
    tree = read((root / FILE).read_text(encoding="utf-8"))
    check_files(tree, lambda folder, pattern: sorted(str(path.relative_to(root)) for path in (root / folder).glob(pattern)))
    return tree


def check_files(tree: Tree, find: Callable[[str, str], list[str]]) -> None:
    """`find` lists what a pattern matches below a folder."""
    for part in tree.everything:
        for folder, name in ((part.folder, "CMakeLists.txt"), (part.folder, f"include/pinion/{part.name}.hpp"),
                             ("modules", f"{part.name}.cppm")):
            if not find(folder, name):
                raise Wrong(f"the part {part.name} has no {folder}/{name}; add that, or remove the part's entry")
        for value in (value for option in part.options if option.headers for value in option.values):
            if (count := len(find(f"{part.folder}/include", f"**/{value}.hpp"))) != 1:
                raise Wrong(f"the backend \"{value}\" of the part {part.name} is to be one header {value}.hpp below "
                            f"{part.folder}/include, and there are {count}")


def _check_keys(keys: dict, kind: str, where: str, value) -> None:
    valid = keys[kind]
    if not isinstance(value, dict):
        raise Wrong(f"{where} is no object; its keys: {' '.join(sorted(valid))}")
    for key, content in value.items():
        if key not in valid:
            raise Wrong(f"{where} has the key \"{key}\"; valid keys: {' '.join(sorted(valid))}")
        if not valid[key].startswith(given := _KINDS.get(type(content), "NUMBER or NULL")):
            raise Wrong(f"{where}: \"{key}\" is of the kind {given}; valid is {valid[key]}")
    for key, says in valid.items():
        if says.partition(":")[0].endswith(" required") and key not in value:
            raise Wrong(f"{where} has no \"{key}\"; its keys: {' '.join(sorted(valid))}")


def _made(kind: type, value: dict, **other):
    """Arrays become tuples, for a frozen class is to stay as it is."""
    return kind(**{key: tuple(content) if isinstance(content, list) else content for key, content in value.items()} | other)


def _packages(keys: dict, where: str, value: dict) -> tuple[Package, ...]:
    for package in value.get("requires", []):
        _check_keys(keys, "package", f"a package of {where}", package)
    return tuple(_made(Package, package) for package in value.get("requires", []))


def _option(keys: dict, where: str, value) -> Option:
    _check_keys(keys, "option", f"an option of {where}", value)
    option = _made(Option, value, requires=_packages(keys, value["name"], value))
    if not option.takes and option.default not in (*option.values, TOP_LEVEL):
        raise Wrong(f"the default \"{option.default}\" of {option.name} is not among its values: {' '.join(option.values)}")
    return option


def _part(keys: dict, array: str, number: int, value) -> Part:
    name = value.get("name") if isinstance(value, dict) else None
    _check_keys(keys, "part", f"the part {name}" if name else f"entry {number} of \"{array}\"", value)
    options = tuple(_option(keys, f"the part {name}", option) for option in value.get("options", []))
    return _made(Part, value, requires=_packages(keys, name, value), options=options, is_host=array == "hosts")


def _check_names(everything: tuple[Part, ...], options: list[Option]) -> None:
    names = [part.name for part in everything]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Wrong(f"there are two entries of the name \"{twice}\"")
    for option in options:
        is_valid = option.name.startswith("PINION_") and option.name.replace("_", "A").isalnum() and option.name.isupper()
        if not is_valid or sum(other.name == option.name for other in options) > 1:
            raise Wrong(f"\"{option.name}\" is no name for an option, or that of another one; valid is PINION_ and capital "
                        f"letters")


def _check_links(everything: tuple[Part, ...]) -> None:
    names, rest = [part.name for part in everything], list(everything)
    for part in everything:
        if unknown := next((link for link in part.links if link not in names), None):
            raise Wrong(f"the part {part.name} links \"{unknown}\", which is no part; the parts: {' '.join(names)}")
    while rest:
        waiting = [part for part in rest if any(other.name in part.links for other in rest)]
        if waiting == rest:
            raise Wrong(f"the links of {' '.join(part.name for part in rest)} go round in a circle; each part is to link only "
                        f"parts that do without it")
        rest = waiting


def version(root: pathlib.Path) -> str:
    """pinion's own, which stands once, in CMakeLists.txt."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(pinion VERSION ([0-9.]+)", text, re.MULTILINE).group(1)
