# SPDX-License-Identifier: Apache-2.0
"""What cmake/parts.json offers: the names, values and defaults that Conan's options and vcpkg's features follow."""

from check import tree
from parts import Option, read_tree
from parts import version as version_of


def parts() -> list[str]:
    """The parts that can be left out."""
    return [part.name for part in read_tree(tree.ROOT).parts]


def hosts() -> list[str]:
    """The parts that are dropped into a host; none is built unless asked for."""
    return [part.name for part in read_tree(tree.ROOT).hosts]


def feature_of(option: Option) -> str:
    """As vcpkg calls a switch that is a feature there: timer, modules, and for a host asio."""
    return option.short_name.removeprefix("with_")


def for_users() -> list[Option]:
    return read_tree(tree.ROOT).package_options()


def defaults(part: str) -> list[Option]:
    """The options that say which backends the part recommends."""
    return read_tree(tree.ROOT).part(part).backends


def another_backend(option: Option) -> str:
    return option.another_value()


def version() -> str:
    return version_of(tree.ROOT)
