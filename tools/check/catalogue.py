# SPDX-License-Identifier: Apache-2.0
"""What cmake/parts.json says of this tree's parts, hosts and options; a fault in it ends the step that asked."""

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
