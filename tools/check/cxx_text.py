# SPDX-License-Identifier: Apache-2.0
"""C++ as text, well enough for rules of style: without comments and literals, and where a bracket closes."""

import re

# Comments, raw strings, strings, characters; a digit separator (1'000) begins no character literal.
_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r"""|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def code_of(text: str) -> str:
    """The text with comments and literals blanked; every other character, and every line, stays where it was."""
    return _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def includes_of(text: str) -> list[tuple[int, str]]:
    """Line and name of everything the file includes."""
    without = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return [(line_of(without, match.start(1)), match.group(1)) for match in _INCLUDE.finditer(without)]


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def closing(code: str, opening: int) -> int:
    """Where the bracket at `opening` is closed; the end of the text if it never is."""
    pair = {"(": ")", "{": "}"}[code[opening]]
    depth = 0
    for offset in range(opening, len(code)):
        depth += (code[offset] == code[opening]) - (code[offset] == pair)
        if depth == 0:
            return offset
    return len(code)
