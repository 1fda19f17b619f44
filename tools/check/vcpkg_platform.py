# SPDX-License-Identifier: Apache-2.0
"""Triplets, and whether one matches a manifest's "supports": names joined by & | ! and brackets."""

import pathlib
import re
import subprocess
import tempfile

_VARIABLES = ("VCPKG_TARGET_ARCHITECTURE", "VCPKG_CMAKE_SYSTEM_NAME", "VCPKG_LIBRARY_LINKAGE", "VCPKG_BUILD_TYPE")
_SYSTEMS = {"": "windows", "Linux": "linux", "Darwin": "osx", "FreeBSD": "freebsd"}
KNOWN_NAMES = {*_SYSTEMS.values(), "x64", "x86", "arm", "arm64", "static", "native"}


def triplet_variables(file: pathlib.Path) -> dict[str, str]:
    lines = [f'include("{file}")', *(f'message("{name}=${{{name}}}")' for name in _VARIABLES)]
    with tempfile.TemporaryDirectory(prefix="pinion-triplet-") as folder:
        script = pathlib.Path(folder) / "print.cmake"
        script.write_text("\n".join(lines), encoding="utf-8")
        result = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True)
    return dict(line.split("=", 1) for line in result.stderr.splitlines())


def names(variables: dict[str, str]) -> set[str]:
    """The names that are true of a triplet."""
    result = {_SYSTEMS.get(variables["VCPKG_CMAKE_SYSTEM_NAME"], ""), variables["VCPKG_TARGET_ARCHITECTURE"]}
    return result | ({"static"} if variables["VCPKG_LIBRARY_LINKAGE"] == "static" else set())


def matches(expression: str, true_names: set[str]) -> bool:
    """Raises ValueError for what is no expression."""
    words = re.findall(r"[a-z0-9]+|\S", expression)
    value = _alternatives(words, true_names)
    if words:
        raise ValueError(f"\"{expression}\": nothing can follow where \"{words[0]}\" stands")
    return value


def _alternatives(words: list[str], true_names: set[str]) -> bool:
    value = _conjunction(words, true_names)
    while words and words[0] in "|,":
        words.pop(0)
        value = _conjunction(words, true_names) or value
    return value


def _conjunction(words: list[str], true_names: set[str]) -> bool:
    value = _term(words, true_names)
    while words and words[0] == "&":
        words.pop(0)
        value = _term(words, true_names) and value
    return value


def _term(words: list[str], true_names: set[str]) -> bool:
    word = words.pop(0) if words else ""
    if word == "!":
        return not _term(words, true_names)
    if word == "(":
        value = _alternatives(words, true_names)
        if not words or words.pop(0) != ")":
            raise ValueError("a bracket is not closed")
        return value
    if word not in KNOWN_NAMES:
        raise ValueError(f"\"{word}\" is no platform that is known here: {' '.join(sorted(KNOWN_NAMES))}")
    return word in true_names
