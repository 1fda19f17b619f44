# SPDX-License-Identifier: Apache-2.0
"""What cmake/parts.json says of this tree; a fault in it ends the step that asked."""

from collections.abc import Collection

import parts
from check import tree
from check.commands import StepFailed

ROOT = tree.ROOT


def read(texts: dict[str, str] | None = None) -> parts.Tree:
    """Of these files by path, else of the tree."""
    try:
        if texts and parts.FILE in texts:
            return parts.read(texts[parts.FILE])
        return parts.read_tree(ROOT)
    except parts.Wrong as reason:
        raise StepFailed(str(reason)) from reason


def expected(known: parts.Tree, chosen: Collection[str], values: dict[str, str]) -> list[str]:
    """What the programs of test_package are told to find: these parts, and these values beside defaults."""
    words = {part.switch.name: "ON" if part.name in chosen else "OFF" for part in known.optional}
    words |= {option.name: option.default for option in known.package_options() if option.name not in words}
    numbers = {"ON": "1", "OFF": "0"}
    return [f"EXPECTED_{name.removeprefix('PINION_')}={numbers.get(value, value)}"
            for name, value in (words | values).items()]
