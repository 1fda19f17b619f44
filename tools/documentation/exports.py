# SPDX-License-Identifier: Apache-2.0
"""The names that a module exports: every `using` of its `export namespace`."""

import re

from check.cxx_text import code_of, line_of

_BEGUN = re.compile(r"\bexport\s+namespace\s+[\w:]+\s*\{")
_EXPORTED = re.compile(_BEGUN.pattern + r"(?P<names>[^{}]*)\}")
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_USING = re.compile(r"\s*using\s+(?P<name>[\w:]+?(?:operator\s*[^\s\w;]+)?)\s*$")


def exported_names(text: str) -> list[tuple[int, str]]:
    """Line and qualified name of all that is exported, in whatever build. What can't be read as a name comes as it
    stands."""
    code, result = _DIRECTIVE.sub(lambda line: " " * len(line.group()), code_of(text)), []
    for begun in _BEGUN.finditer(code):
        if not _EXPORTED.match(code, begun.start()):
            # A namespace inside another: what it exports would be looked at by nobody.
            result.append((line_of(code, begun.start()), begun.group().strip()))
    for block in _EXPORTED.finditer(code):
        at = block.start("names")
        for statement in block.group("names").split(";"):
            if statement.strip():
                name = _USING.match(statement)
                line = line_of(code, at + len(statement) - len(statement.lstrip()))
                result.append((line, re.sub(r"\s", "", name.group("name")) if name else statement.strip()))
            at += len(statement) + 1
    return result
