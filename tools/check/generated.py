# SPDX-License-Identifier: Apache-2.0
"""What is made from cmake/parts.json and committed: FILES, and PIECES of files, between a line that ends in
`from cmake/parts.json: NAME` and one that ends in `end of NAME`. `tools/mend` writes them, `./check style` compares."""

import json
import re
from collections.abc import Callable

import parts
from check import catalogue
from parts import Option, Package, Part, Tree

COMMAND = "tools/mend"
_PIECE = re.compile(r"(?P<begin>^ *(?:<!--|//|#) from cmake/parts\.json: (?P<name>[a-z]+)[^\n]*\n)(?P<content>.*?)"
                    r"(?P<end>^ *(?:<!--|//|#) end of (?P=name)\b)", re.MULTILINE | re.DOTALL)


def out_of_date(path: str, text: str, texts: dict[str, str]) -> list[str]:
    """A rule of style."""
    wanted = mended(path, text, texts)
    pairs = zip([*text.splitlines(), "the end"], [*wanted.splitlines(), "the end"])
    line = next((number for number, (ours, theirs) in enumerate(pairs, 1) if ours != theirs), None)
    return [] if line is None else [f"{path}:{line}: this is not what {parts.FILE} says; the remedy: {COMMAND}"]


def mended(path: str, text: str, texts: dict[str, str]) -> str:
    """The text of this file, as it is to be."""
    if path not in FILES and _PIECE.search(text) is None:
        return text
    known = catalogue.read(texts)
    if path in FILES:
        return json.dumps(FILES[path](known), indent=2, ensure_ascii=False) + "\n"
    return _PIECE.sub(lambda match: f"{match['begin']}{_piece(match['name'], known)}{match['end']}", text)


def _piece(name: str, known: Tree) -> str:
    return "".join(f"{line}\n" for line in PIECES[name](known)) if name in PIECES else f"one of {' '.join(PIECES)}\n"


def _code(words) -> str:
    return " ".join(f"`{word}`" for word in words)


def _table(head: str, rows: list[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows]
    return [f"| {head} |", f"|{'---|' * len(rows[0])}", *lines]


def _parts(known: Tree) -> list[str]:
    def row(part: Part) -> tuple[str, ...]:
        flag = "always there" if part.required else f"`{part.switch.name}`{', off' if part.is_host else ''}"
        families = [", ".join(f"`{value}`" for value in (*option.values, *option.others)) for option in part.backends]
        return f"[{part.folder}]({part.folder}/README.md)", flag, "; ".join([*families, *filter(None, [part.holds])]), part.what

    return _table("part | flag | backends | what it is", [row(part) for part in known.everything])


def _tools(known: Tree) -> list[str]:
    headers, modules = known.tools["headers"], known.tools["modules"]
    of_base = next(part for part in known.everything if part.required)
    rows = [("headers", f"g++ {headers['gcc']} or clang {headers['clang']}, C++20, CMake {headers['cmake']}"
             + "".join(f", {package}" for package in of_base.requires)),
            ("modules", f"clang {modules['clang']} with clang-scan-deps, or g++ {modules['gcc']}; CMake {modules['cmake']}, Ninja")]
    owners: list[tuple[str, tuple[Package, ...]]] = [(part.folder, part.requires) for part in known.optional]
    owners += [(f"`{option.name}`", option.requires) for part in known.everything for option in part.options]
    owners += [(option.what, option.requires) for option in known.development]
    return _table("to use | you need at least",
                  [*rows, *((name, ", ".join(map(str, requires))) for name, requires in owners if requires)])


def _options(known: Tree) -> list[str]:
    def switch(part: Part) -> tuple[str, ...]:
        does = f"builds and installs the {part.name} part"
        if part.is_host:
            needs = [*map(str, part.requires), *(f"the {link} part" for link in part.links if link != "base")]
            does = f"builds and installs [what drops parts into {part.into}]({part.name}.md); needs {' and '.join(needs)}"
        return _option_row(part.switch, does + ("; Linux only" if part.linux else ""))

    rows = [row for part in known.everything
            for row in (*([] if part.required else [switch(part)]), *(_option_row(option, option.what) for option in part.options))]
    rows += [_option_row(option, option.what) for option in (*known.options, *known.development)]
    return _table("option | values | default | what it does", rows)


def _option_row(option: Option, what: str) -> tuple[str, ...]:
    default = {parts.TOP_LEVEL: "`ON` at top level", "": "none"}.get(option.default, f"`{option.default}`")
    return f"`{option.name}`", option.takes or _code(option.values), default, what


def _packages(known: Tree) -> list[str]:
    def row(option: Option, owner: Part | None) -> tuple[str, ...]:
        values = ["True", "False"] if option.is_switch else option.values
        conan = f"`{option.short_name}`: {_code(values)}" if _offers("conan", option, owner) else "not offered"
        vcpkg = f"variable `{option.name}`"
        if not _offers("vcpkg", option, owner):
            vcpkg = "not offered"
        elif option.feature or (owner and option == owner.switch):
            vcpkg = f"feature `{_feature(option)}`" + ("" if option.is_switch else ": `ON` with it, `OFF` without")
        return f"`{option.name}`", _code(option.values), conan, vcpkg

    rows = [row(option, part) for part in known.everything for option in part.all_options]
    return _table("CMake | values | Conan option | vcpkg", [
        *rows, *(row(option, None) for option in known.options),
        ("`BUILD_SHARED_LIBS`", "`ON` `OFF`", "`shared`: `True` `False`", "variable `VCPKG_LIBRARY_LINKAGE`"),
        ("`CMAKE_POSITION_INDEPENDENT_CODE`", "`ON` `OFF`", "`fPIC`: `True` `False`", "always on")])


def _offers(manager: str, option: Option, owner: Part | None) -> bool:
    return option.offered_by(manager) and (owner is None or owner.offered_by(manager))


def _feature(option: Option) -> str:
    """As vcpkg calls an option that is a feature there: timer, modules, and for a host asio."""
    return option.short_name.removeprefix("with_").replace("_", "-")


def _flags(known: Tree) -> list[str]:
    return [f"using pinion::has_{name};" for name in sorted(part.name for part in known.optional)]


def _expectations(known: Tree) -> list[str]:
    return [f"  static_assert(pinion::has_{part.name} == EXPECTED_{part.switch.short_name.upper()});" for part in known.optional]


def _platform(known: Tree) -> list[str]:
    return list(dict.fromkeys(package.conan for part in known.everything for owner in (part, *part.options)
                              for package in owner.requires if package.conan))


PIECES: dict[str, Callable[[Tree], list[str]]] = {
    "parts": _parts,
    "tools": _tools,
    "options": _options,
    "packages": _packages,
    "flags": _flags,
    "expectations": _expectations,
    "platform": _platform,
}


def _ports(requires: tuple[Package, ...]) -> list:
    return sorted({package.vcpkg for package in requires if package.vcpkg})


def _manifest(description: str, dependencies: list, **more) -> dict:
    # In the order in which `vcpkg format-manifest` writes the fields.
    return {"name": "pinion", "version": parts.version(catalogue.ROOT), "description": description, "license": "Apache-2.0",
            "supports": "linux", "dependencies": dependencies} | more


def _port(known: Tree) -> dict:
    """The overlay port, for those who use pinion."""
    def feature(description: str, dependencies: list) -> dict:
        return {"description": description} | ({"dependencies": dependencies} if dependencies else {})

    features = {}
    for part in (part for part in known.optional if part.offered_by("vcpkg")):
        of_parts = sorted(link for link in part.links if link != "base")
        itself = [{"name": "pinion", "default-features": False, "features": of_parts}] if of_parts else []
        needs = "".join(f"; needs {package}" for package in part.requires)
        description = f"What drops parts into {part.into}{needs}" if part.is_host else part.switch.what
        features[_feature(part.switch)] = feature(description, _ports(part.requires) + itself)
        features |= {_feature(option): feature(option.feature, [
            *_ports(option.requires), {"name": "pinion", "default-features": False, "features": [_feature(part.switch)]}])
            for option in part.options if option.feature and option.offered_by("vcpkg")}
    features |= {_feature(option): feature(option.feature, []) for option in known.options if option.feature}
    of_base = next(part for part in known.everything if part.required)
    return _manifest("The parts of a thread-per-core executor as C++20 modules, each one swappable",
                     [*_ports(of_base.requires), {"name": "vcpkg-cmake", "host": True}, {"name": "vcpkg-cmake-config", "host": True}],
                     **{"default-features": sorted(part.name for part in known.parts if part.offered_by("vcpkg")),
                        "features": dict(sorted(features.items()))})


def _developers(known: Tree) -> dict:
    """The manifest at the root, for those who develop pinion."""
    owners = [*((part.switch, part.requires) for part in known.optional),
              *((option, option.requires) for part in known.everything for option in part.options),
              *((option, option.requires) for option in known.development)]
    features = {_feature(option): {"description": f"What {option.name}=ON needs", "dependencies": _ports(requires)}
                for option, requires in owners if _ports(requires)}
    of_base = next(part for part in known.everything if part.required)
    return _manifest("What building, testing and measuring pinion takes; its users take the port in ports/pinion",
                     _ports(of_base.requires), features=dict(sorted(features.items())))


FILES: dict[str, Callable[[Tree], dict]] = {
    "vcpkg.json": _developers,
    "ports/pinion/vcpkg.json": _port,
}

RULES = {f"what comes from {parts.FILE} is up to date": out_of_date}
