# SPDX-License-Identifier: Apache-2.0
"""What is made from cmake/parts.json and committed: FILES, and PIECES of files.

A piece stands between a line that ends in `from cmake/parts.json: NAME` and one that ends in `end of NAME`.
`tools/mend` writes all of them, `./check style` compares.
"""

import json
import re
from collections.abc import Callable

import parts
from check import catalogue
from parts import Option, Package, Part, Tree

COMMAND = "tools/mend"
_MARK = r"^ *(?:<!--|//|#)"
_PIECE = re.compile(
    rf"(?P<begin>{_MARK} from cmake/parts\.json: (?P<name>[a-z]+)[^\n]*\n)(?P<content>.*?)"
    rf"(?P<end>{_MARK} end of (?P=name)\b)", re.MULTILINE | re.DOTALL)
# What vcpkg calls the port itself, and the helpers that its portfile calls.
_PORT = "pinion"
_HELPERS = [{"name": name, "host": True} for name in ("vcpkg-cmake", "vcpkg-cmake-config")]


def out_of_date(path: str, text: str, texts: dict[str, str]) -> list[str]:
    """A rule of style."""
    wanted = mended(path, text, texts)
    pairs = zip([*text.splitlines(), "the end"], [*wanted.splitlines(), "the end"])
    line = next((number for number, (ours, theirs) in enumerate(pairs, 1) if ours != theirs), None)
    return [f"{path}:{line}: this is not what {parts.FILE} says; the remedy: {COMMAND}"] if line else []


def mended(path: str, text: str, texts: dict[str, str]) -> str:
    """The text of this file, as it is to be."""
    if path not in FILES and _PIECE.search(text) is None:
        return text
    known = catalogue.read(texts)
    if path in FILES:
        return json.dumps(FILES[path](known), indent=2, ensure_ascii=False) + "\n"
    return _PIECE.sub(lambda match: f"{match['begin']}{_piece(match['name'], known)}{match['end']}", text)


def _piece(name: str, known: Tree) -> str:
    if name not in PIECES:
        return f"one of {' '.join(PIECES)}\n"
    return "".join(f"{line}\n" for line in PIECES[name](known))


def _code(words, between: str = " ") -> str:
    return between.join(f"`{word}`" for word in words)


def _table(head: str, rows: list[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows]
    return [f"| {head} |", f"|{'---|' * len(rows[0])}", *lines]


def _parts(known: Tree) -> list[str]:
    rows = []
    for part in known.everything:
        flag = "always there" if part.required else f"`{part.switch.name}`{', off' if part.is_host else ''}"
        families = [_code((*option.values, *option.others), ", ") for option in part.backends]
        families += [part.holds] if part.holds else []
        rows.append((f"[{part.folder}]({part.folder}/README.md)", flag, "; ".join(families), part.what))
    return _table("part | flag | backends | what it is", rows)


def _tools(known: Tree) -> list[str]:
    headers, modules = known.tools["headers"], known.tools["modules"]
    words = [f"g++ {headers['gcc']} or clang {headers['clang']}", "C++20", f"CMake {headers['cmake']}"]
    rows = [("headers", ", ".join([*words, *map(str, known.base.requires)])),
            ("modules", f"clang {modules['clang']} with clang-scan-deps, or g++ {modules['gcc']}; "
                        f"CMake {modules['cmake']}, Ninja")]
    owners = [(part.folder, part.requires) for part in known.optional]
    owners += [(f"`{option.name}`", option.requires) for part in known.everything for option in part.options]
    owners += [(option.what, option.requires) for option in known.development]
    rows += [(name, ", ".join(map(str, requires))) for name, requires in owners if requires]
    return _table("to use | you need at least", rows)


def _options(known: Tree) -> list[str]:
    rows = []
    for part in known.everything:
        rows += [] if part.required else [_option_row(part.switch, _what_switch_does(part))]
        rows += [_option_row(option, option.what) for option in part.options]
    rows += [_option_row(option, option.what) for option in (*known.options, *known.development)]
    return _table("option | values | default | what it does", rows)


def _what_switch_does(part: Part) -> str:
    does = f"the {part.name} part"
    if part.is_host:
        needs = [*map(str, part.requires), *(f"the {link} part" for link in part.links if link != "base")]
        does = f"[what drops parts into {part.into}]({part.name}.md); needs {' and '.join(needs)}"
    return f"builds and installs {does}{'; Linux only' if part.linux else ''}"


def _option_row(option: Option, what: str) -> tuple[str, ...]:
    default = {parts.TOP_LEVEL: "`ON` at top level", "": "none"}.get(option.default, f"`{option.default}`")
    return f"`{option.name}`", option.takes or _code(option.values), default, what


def _packages(known: Tree) -> list[str]:
    rows = [_package_row(option, part) for part in known.everything for option in part.all_options]
    rows += [_package_row(option, known.base) for option in known.options]
    switch = _code(parts.SWITCH)
    rows += [("`BUILD_SHARED_LIBS`", switch, "`shared`: `True` `False`", "variable `VCPKG_LIBRARY_LINKAGE`"),
             ("`CMAKE_POSITION_INDEPENDENT_CODE`", switch, "`fPIC`: `True` `False`", "always on")]
    return _table("CMake | values | Conan option | vcpkg", rows)


def _package_row(option: Option, owner: Part) -> tuple[str, ...]:
    in_conan = f"`{option.short_name}`: {_code(('True', 'False') if option.is_switch else option.values)}"
    in_vcpkg = f"variable `{option.name}`"
    if option.feature or option == owner.switch:
        without = "" if option.is_switch else ": `ON` with it, `OFF` without"
        in_vcpkg = f"feature `{option.feature_name}`{without}"

    def offered(text: str, manager: str) -> str:
        return text if option.offered_by(manager) and owner.offered_by(manager) else "not offered"

    return (f"`{option.name}`", _code(option.values), offered(in_conan, "conan"), offered(in_vcpkg, "vcpkg"))


def _flags(known: Tree) -> list[str]:
    return [f"using pinion::has_{name};" for name in sorted(part.name for part in known.optional)]


def _expectations(known: Tree) -> list[str]:
    return [f"  static_assert(pinion::has_{part.name} == EXPECTED_{part.switch.short_name.upper()});"
            for part in known.optional]


def _platform(known: Tree) -> list[str]:
    owners = [owner for part in known.everything for owner in (part, *part.options)]
    references = [package.conan for owner in owners for package in owner.requires if package.conan]
    return list(dict.fromkeys(references))


PIECES: dict[str, Callable[[Tree], list[str]]] = {
    "parts": _parts,
    "tools": _tools,
    "options": _options,
    "packages": _packages,
    "flags": _flags,
    "expectations": _expectations,
    "platform": _platform,
}


def _manifest(description: str, dependencies: list, **more) -> dict:
    # In the order in which `vcpkg format-manifest` writes the fields.
    return {"name": _PORT, "version": parts.version(catalogue.ROOT), "description": description,
            "license": "Apache-2.0", "supports": "linux", "dependencies": dependencies} | more


def _dependencies(requires: tuple[Package, ...], of_itself: list[str] = ()) -> list:
    """The ports of these packages, and the port's own features of these names."""
    names = {package.vcpkg for package in requires if package.vcpkg}
    itself = {"name": _PORT, "default-features": False, "features": sorted(of_itself)}
    return [itself if name == _PORT else name for name in sorted(names | ({_PORT} if of_itself else set()))]


def _described(description: str, dependencies: list) -> dict:
    return {"description": description} | ({"dependencies": dependencies} if dependencies else {})


def _port(known: Tree) -> dict:
    """The overlay port, for those who use pinion."""
    features = {option.feature_name: _described(option.feature, [])
                for option in known.options if option.feature}
    for part in (part for part in known.optional if part.offered_by("vcpkg")):
        needs = "".join(f"; needs {package}" for package in part.requires)
        what = f"What drops parts into {part.into}{needs}" if part.is_host else f"The {part.name} part"
        links = [known.part(link).switch.feature_name for link in part.links if link != known.base.name]
        features[part.switch.feature_name] = _described(what, _dependencies(part.requires, links))
        for option in (option for option in part.options if option.feature and option.offered_by("vcpkg")):
            needs = _dependencies(option.requires, [part.switch.feature_name])
            features[option.feature_name] = _described(option.feature, needs)
    defaults = sorted(part.switch.feature_name for part in known.parts if part.offered_by("vcpkg"))
    return _manifest("The parts of a thread-per-core executor as C++20 modules, each one swappable",
                     [*_dependencies(known.base.requires), *_HELPERS],
                     **{"default-features": defaults, "features": dict(sorted(features.items()))})


def _developers(known: Tree) -> dict:
    """The manifest at the root, for those who develop pinion."""
    owners = [(part.switch, part.requires) for part in known.optional]
    owners += [(option, option.requires) for part in known.everything for option in part.options]
    owners += [(option, option.requires) for option in known.development]
    features = {option.feature_name: _described(f"What {option.name}=ON needs", _dependencies(requires))
                for option, requires in owners if _dependencies(requires)}
    return _manifest(
        "What building, testing and measuring pinion takes; its users take the port in ports/pinion",
        _dependencies(known.base.requires), features=dict(sorted(features.items())))


FILES: dict[str, Callable[[Tree], dict]] = {
    "vcpkg.json": _developers,
    "ports/pinion/vcpkg.json": _port,
}

RULES = {f"what comes from {parts.FILE} is up to date": out_of_date}
