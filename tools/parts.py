# SPDX-License-Identifier: Apache-2.0
"""What cmake/parts.json says of parts, hosts and options, for the recipe and the checks.

cmake/parts.cmake is the same for CMake. What is wrong in the file is Wrong, in one sentence that names what
is valid.
"""

import dataclasses
import functools
import json
import pathlib
import re

FILE = "cmake/parts.json"
_KINDS = {dict: "OBJECT", list: "ARRAY", str: "STRING", bool: "BOOLEAN"}
_NAMED = "all", "tool", "part", "package", "option"  # in `keys`
_PART = re.compile(r"[a-z][a-z0-9_]*")
_OPTION = re.compile(r"PINION_[A-Z0-9_]+")
_WORD = re.compile(r"[A-Za-z0-9_.-]+")
_WAYS = [True, True, False], [False, False, True]  # to find a package: package and target, or pkg_config
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
    def feature_name(self) -> str:
        """As vcpkg calls one that is a feature there: timer, modules, and for a host asio."""
        return self.short_name.removeprefix("with_").replace("_", "-")

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
    def switches(self) -> list[Option]:
        """Those that add something to it."""
        return [option for option in self.options if option.is_switch]

    @property
    def backends(self) -> list[Option]:
        return [option for option in self.options if option.chooses_backend]


@dataclasses.dataclass(frozen=True)
class Tree:
    tools: dict[str, dict[str, str]]  # "headers", "modules" -> gcc, clang, cmake -> the oldest that will do
    everything: tuple[Part, ...]  # base, the parts, the hosts
    options: tuple[Option, ...]
    development: tuple[Option, ...]

    @property
    def base(self) -> Part:
        return next(part for part in self.everything if part.required)

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
    except ValueError as reason:
        raise Wrong(f"it is no JSON: {reason}") from reason
    keys = file.get("keys") if isinstance(file, dict) else None
    for name in _NAMED:
        if not isinstance(keys, dict) or not isinstance(keys.get(name), dict):
            raise Wrong(f"\"keys\" is to have an object \"{name}\", which says what may stand there")
    check = _Check(keys)
    check("all", "the file", file)
    for name in ("headers", "modules"):
        check("tool", f"\"{name}\" of \"tools\"", file["tools"].get(name))
    everything = tuple(check.part(array, number, value) for array in ("parts", "hosts")
                       for number, value in enumerate(file[array]))
    options, development = (tuple(check.option(f"\"{array}\"", value) for value in file[array])
                            for array in ("options", "development"))
    tree = Tree(file["tools"], everything, options, development)
    _check_names([part.name for part in everything],
                 [*file["reserved"], *(f"PINION_HAS_{part.name.upper()}" for part in everything),
                  *(option.name for option in (*tree.package_options(), *development))])
    if [part.name for part in everything if part.required] != ["base"]:
        raise Wrong("\"required\" is to be true for base, which all others rest on, and for no other part")
    _check_links(everything)
    return tree


def read_tree(root: pathlib.Path) -> Tree:
    """Of a whole tree, whose files are looked for."""
    tree = read((root / FILE).read_text(encoding="utf-8"))
    for part in tree.everything:
        for name in (f"{part.folder}/CMakeLists.txt", f"{part.folder}/include/pinion/{part.name}.hpp",
                     f"modules/{part.name}.cppm"):
            if not (root / name).exists():
                raise Wrong(f"the part {part.name} has no {name}; add that, or remove the part's entry")
        folder = f"{part.folder}/include"
        for value in (value for option in part.options if option.headers for value in option.values):
            if (count := len([*(root / folder).rglob(f"{value}.hpp")])) != 1:
                raise Wrong(f"the backend \"{value}\" of the part {part.name} is to be one header "
                            f"{value}.hpp below {folder}, and there are {count}")
    return tree


@dataclasses.dataclass(frozen=True)
class _Check:
    """Reads objects of the file that have the keys which `keys` of the file allows, and no others."""

    keys: dict[str, dict[str, str]]

    def __call__(self, kind: str, where: str, value) -> None:
        valid = self.keys[kind]
        names = " ".join(sorted(valid))
        if not isinstance(value, dict):
            raise Wrong(f"{where} is no object; its keys: {names}")
        for key, content in value.items():
            if key not in valid:
                raise Wrong(f"{where} has the key \"{key}\"; valid keys: {names}")
            if not valid[key].startswith(given := _KINDS.get(type(content), "NUMBER or NULL")):
                raise Wrong(f"{where}: \"{key}\" is of the kind {given}; valid is {valid[key]}")
            for index, word in enumerate(content if valid[key].startswith("ARRAY of words") else []):
                if not isinstance(word, str) or not _WORD.fullmatch(word) or word in content[:index]:
                    raise Wrong(f"{where}: entry {index} of \"{key}\" is no word of letters, digits and _.-, or an "
                                f"earlier entry's")
        for key, says in valid.items():
            if says.partition(":")[0].endswith(" required") and key not in value:
                raise Wrong(f"{where} has no \"{key}\"; its keys: {names}")

    def packages(self, where: str, owner: dict) -> tuple[Package, ...]:
        for package in owner.get("requires", []):
            self("package", f"a package of {where}", package)
            if [key in package for key in ("package", "target", "pkg_config")] not in _WAYS:
                raise Wrong(f"a package of {where} is to have \"package\" and \"target\", or \"pkg_config\"")
        return tuple(Package(**package) for package in owner.get("requires", []))

    def option(self, where: str, value) -> Option:
        self("option", f"an option of {where}", value)
        option = Option(**_frozen(value) | {"requires": self.packages(value["name"], value)})
        if option.values == SWITCH[::-1]:
            raise Wrong(f"the values of {option.name} are to be ON OFF, in this order, as those of every switch")
        if not option.takes and option.default not in (*option.values, TOP_LEVEL):
            raise Wrong(f"the default \"{option.default}\" of {option.name} is not among its values: "
                        f"{' '.join(option.values)}")
        return option

    def part(self, array: str, number: int, value) -> Part:
        name = value.get("name") if isinstance(value, dict) else None
        self("part", f"the part {name}" if name else f"entry {number} of \"{array}\"", value)
        options = tuple(self.option(f"the part {name}", option) for option in value.get("options", []))
        return Part(**_frozen(value) | {"requires": self.packages(name, value), "options": options,
                                        "is_host": array == "hosts"})


def _frozen(value: dict) -> dict:
    return {key: tuple(content) if isinstance(content, list) else content for key, content in value.items()}


def _check_names(parts: list[str], options: list[str]) -> None:
    for kind, names, pattern, valid in (
        ("a part,", parts, _PART, "small letters, digits and _, with a letter first"),
        ("an option, reserved,", options, _OPTION, "PINION_ and capital letters"),
    ):
        if bad := [name for name in names if names.count(name) > 1 or not pattern.fullmatch(name)]:
            raise Wrong(f"\"{bad[0]}\" is no name for {kind} or that of another one; valid is {valid}")


def _check_links(everything: tuple[Part, ...]) -> None:
    names = [part.name for part in everything]
    for part in everything:
        if unknown := next((link for link in part.links if link not in names), None):
            raise Wrong(f"the part {part.name} links \"{unknown}\", which is no part; the parts: "
                        f"{' '.join(names)}")
    rest = list(everything)
    while rest:
        waiting = [part for part in rest if any(other.name in part.links for other in rest)]
        if waiting == rest:
            names = " ".join(part.name for part in rest)
            raise Wrong(f"the links of {names} go round in a circle; each part is to link only parts that do "
                        f"without it")
        rest = waiting


def version(root: pathlib.Path) -> str:
    """pinion's own, which stands once, in CMakeLists.txt."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(pinion VERSION ([0-9.]+)", text, re.MULTILINE).group(1)
