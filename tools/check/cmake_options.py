# SPDX-License-Identifier: Apache-2.0
"""What cmake/options.cmake offers: the names, values and defaults that Conan's options and vcpkg's features follow."""

import dataclasses
import re

from check import tree

# What concerns nobody who installs a package.
_DEVELOPERS = {"PINION_TESTS", "PINION_BENCH", "PINION_EXAMPLES", "PINION_INSTALL", "PINION_WARNINGS"}

_SWITCH = re.compile(r'^pinion_switch\((?P<name>\w+)\s+(?P<default>\S+)\s+"[^"]*"\)', re.MULTILINE)
_CHOICE = re.compile(r'^pinion_choice\((?P<name>\w+)\s+(?P<default>\S+)\s+"[^"]*"\s+(?P<values>[^)]+)\)', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Option:
    name: str  # PINION_TIMER_DEFAULT
    values: tuple[str, ...]
    default: str

    @property
    def short_name(self) -> str:
        """As Conan and vcpkg call it: timer_default."""
        return self.name.removeprefix("PINION_").lower()


def parts() -> list[str]:
    """The parts that can be left out."""
    return re.search(r"^set\(PINION_PARTS ([^)]*)\)", _text(), re.MULTILINE).group(1).split()


def hosts() -> list[str]:
    """The parts that are dropped into a host; none is built unless asked for."""
    return re.search(r"^set\(PINION_HOSTS ([^)]*)\)", _text(), re.MULTILINE).group(1).split()


def feature_of(option: Option) -> str:
    """As vcpkg calls a switch that is a feature there: timer, modules, and for a host asio."""
    return option.short_name.removeprefix("with_")


def for_users() -> list[Option]:
    switches = [Option(match["name"], ("ON", "OFF"), match["default"]) for match in _SWITCH.finditer(_text())]
    choices = [Option(match["name"], tuple(match["values"].split()), match["default"])
               for match in _CHOICE.finditer(_text())]
    return [option for option in (*switches, *choices) if option.name not in _DEVELOPERS]


def defaults(part: str) -> list[Option]:
    """The options that say which backends the part recommends: those that follow its switch."""
    behind = _text().partition(f"pinion_switch(PINION_{part.upper()} ")[2].partition("pinion_switch(")[0]
    names = [match["name"] for match in _CHOICE.finditer(behind) if match["name"].endswith("_DEFAULT")]
    return [option for option in for_users() if option.name in names]


def another_backend(option: Option) -> str:
    """A value other than the usual one; the usual one while it is the only one."""
    return next((value for value in option.values if value != option.default), option.default)


def version() -> str:
    text = (tree.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(pinion VERSION ([0-9.]+)", text, re.MULTILINE).group(1)


def _text() -> str:
    return (tree.ROOT / "cmake" / "options.cmake").read_text(encoding="utf-8")
