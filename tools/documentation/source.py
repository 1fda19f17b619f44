# SPDX-License-Identifier: Apache-2.0
"""A declaration as it is written: its signature, the comment that is its contract, the condition it is compiled under.

One character of `text` and `code` is one byte of the file, so that the compiler's offsets are indices.
"""

import dataclasses
import pathlib
import re

from check.cxx_text import code_of
from documentation import contracts
from documentation.declarations import IMPLEMENTATION, Declaration

_OPEN, _CLOSE = "([{", ")]}"
_EXPORT = "PINION_EXPORT"  # an attribute, behind a macro
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?P<name>if|ifdef|ifndef|elif|else|endif)\b[ \t]*(?P<condition>[^\n]*)", re.M)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>PINION_\w+)(?P<parameters>\([^)\n]*\))?", re.M)


@dataclasses.dataclass(frozen=True)
class Macro:
    name: str
    signature: str
    line: int
    comment: list[str]


class Source:
    """One header's text."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.text = path.read_bytes().decode("latin-1")
        self.code = code_of(self.text)
        self._conditions = list(_conditions(self.code))

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def begin(self, declaration: Declaration) -> int:
        """Where the declaration begins, its attributes included, which clang counts apart."""
        at = declaration.begin
        while (before := self.code[:at].rstrip()).endswith(("]]", _EXPORT)):
            at = before.rindex("[[" if before.endswith("]]") else _EXPORT)
        return at

    def signature(self, declaration: Declaration) -> str:
        """The declaration as it is written, without a body and without the members."""
        begin = self.begin(declaration)
        if declaration.kind == "enumerator":
            end = declaration.end
        elif declaration.body is not None:
            end = self._head_end(declaration, declaration.body)
        else:
            end = self._first(declaration.name_at, "{;" if declaration.kind in {"class", "enumeration"} else ";")
        column = begin - (self.text.rfind("\n", 0, begin) + 1)
        # How a shared library gives it away is of no use to the one who calls it.
        written = _decoded(self.text[begin:end]).replace(f"{_EXPORT} ", "").rstrip().rstrip(",")
        return re.sub(rf"\n {{0,{column}}}", "\n", written)

    def comment(self, declaration: Declaration) -> list[str]:
        """The lines of the `///` comment above the declaration, or of the `///<` comment behind it."""
        return self._above(self.begin(declaration)) or self._behind(self._last(declaration))

    def follows(self, declaration: Declaration, earlier: Declaration) -> bool:
        """Whether the two stand in consecutive lines, so that one comment speaks of both."""
        return self.line(self.begin(declaration)) == self.line(self._last(earlier)) + 1

    def condition(self, declaration: Declaration) -> str | None:
        """The preprocessor's condition without which there is no such declaration."""
        inside = [condition for begin, end, condition in self._conditions if begin < declaration.begin < end]
        return " && ".join(inside) or None

    def opening(self) -> list[str]:
        """The lines of the comment that the header opens with, below the licence."""
        return contracts.opening(_decoded(self.text))

    def macros(self) -> list[Macro]:
        """The macros that the header defines for its users, each once."""
        boundary = self.text.find(IMPLEMENTATION)
        result = {}
        for match in _MACRO.finditer(self.code):
            if boundary < 0 or match.start() < boundary:
                name = match.group("name")
                result.setdefault(name, Macro(name, f"#define {name}{match.group('parameters') or ''}",
                                              self.line(match.start("name")), self._above(match.start())))
        return list(result.values())

    def _head_end(self, declaration: Declaration, body: int) -> int:
        """Where a function's head ends: before its body, and before a constructor's initializers."""
        if declaration.scope[-1:] != (declaration.name,):
            return body
        depth = 0
        for at in range(self.code.index("(", declaration.name_at), body):
            depth += (self.code[at] in _OPEN) - (self.code[at] in _CLOSE)
            if depth == 0 and self.code[at] == ":" and ":" not in (self.code[at - 1], self.code[at + 1]):
                return at
        return body

    def _first(self, at: int, wanted: str) -> int:
        """The first of these characters that stands outside of all brackets opened on the way."""
        depth = 0
        for offset in range(at, len(self.code)):
            character = self.code[offset]
            if depth == 0 and character in wanted:
                return offset
            depth += (character in _OPEN) - (character in _CLOSE)
        return len(self.code)

    def _last(self, declaration: Declaration) -> int:
        """The last character of the declaration, its body included."""
        rest = re.compile(r"\s*[;,]").match(self.code, declaration.end)
        return rest.end() - 1 if rest else declaration.end - 1

    def _above(self, begin: int) -> list[str]:
        result = []
        if self.text[self.text.rfind("\n", 0, begin) + 1:begin].strip():
            return []  # what is above speaks of what stands before it in the same line
        for line in reversed(_decoded(self.text[:begin]).split("\n")[:-1]):
            line = line.strip()
            if not line.startswith("///") or line.startswith("///<"):
                break
            result.insert(0, line[3:].removeprefix(" "))
        return result

    def _behind(self, last: int) -> list[str]:
        lines = _decoded(self.text[last:]).split("\n")
        first = re.search(r"///< ?(.*)", lines[0])
        if first is None:
            return []
        result = [first.group(1)]
        for line in lines[1:]:
            if not (more := re.match(r"\s*///< ?(.*)", line)):
                break
            result.append(more.group(1))
        return result


def _decoded(text: str) -> str:
    return text.encode("latin-1").decode("utf-8")


def _conditions(code: str):
    """Begin, end and condition of each #if that has no #else: what stands there is not in every build."""
    stack = []
    for match in _DIRECTIVE.finditer(code):
        name = match.group("name")
        if name.startswith("if"):
            prefix = {"ifdef": "defined ", "ifndef": "!defined "}.get(name, "")
            stack.append([match.end(), prefix + match.group("condition").strip(), True])
        elif name == "endif" and stack:
            begin, condition, is_alone = stack.pop()
            if is_alone:
                yield begin, match.start(), condition
        elif stack:
            stack[-1][2] = False
