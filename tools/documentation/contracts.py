# SPDX-License-Identifier: Apache-2.0
"""Comments as Markdown: paragraphs, indented code, laws; what they name becomes code and, where it is known, a link."""

import dataclasses
import re

_LAW = re.compile(r"(?P<name>[A-Z](?:\d(?=  )|\d\d(?= )))\s+(?P<text>[A-Z].*)")  # at the beginning of a line
_STATEMENT = re.compile(r"[;{}]\s*(?://.*)?$")
_CODE_SPAN = re.compile(r"(`[^`]+`)")
_NAMED = re.compile(r"(?P<code>(?<!\w)(?:\w+::)*~?[a-z_]\w+\((?!s\))(?:\w+(?:, \w+)*)?\)|(?<!\w)\w+(?:::\w+)+)"
                    r"|\b(?P<local>[A-Z]\d{1,2}|\w+\.hpp)\b|\b(?P<perhaps>[a-z][a-z0-9]*_\w+)\b")
_SENTENCE = re.compile(r".+?[^.]\.(?=\s|$)", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Names:
    """Where the reference speaks of what: addresses of qualified names, and of the laws and headers of each part."""

    addresses: dict[str, str]
    local: dict[tuple[str, str], str]

    def find(self, name: str, scopes: list[tuple[str, ...]]) -> str | None:
        """The address of a name as it is written in one of these scopes, looked for outwards as C++ does."""
        for scope in scopes:
            for depth in range(len(scope), -1, -1):
                if scope[depth - 1:depth] == (name,):
                    continue  # inside a class its name is the class, not the constructor
                if address := self.addresses.get("::".join([*scope[:depth], name])):
                    return address
        return None


@dataclasses.dataclass(frozen=True)
class Reader:
    """Whose comment is read: the part it belongs to and the scopes in which its words are looked up."""

    names: Names
    part: str
    scopes: list[tuple[str, ...]]
    parameters: frozenset[str] = frozenset()  # words that mean something of the declaration's own here

    def opening(self, lines: list[str]) -> str:
        """A header's opening comment, the names that it begins with marked as names."""
        if not subjects(lines)[0]:
            return self.markdown(lines)
        first = next(number for number, line in enumerate(lines) if line.strip())
        about, colon, text = lines[first].partition(": ")
        marked = re.sub(r"\w+(?:\(\))?", r"`\g<0>`", about)
        return self.markdown([*lines[:first], marked + colon + text, *lines[first + 1:]])

    def markdown(self, lines: list[str]) -> str:
        """A whole comment. Laws get their names as anchors."""
        result = []
        for kind, content in blocks(lines):
            if kind == "code":
                language = "cpp" if is_code(content) else "text"
                result.append("\n".join([f"```{language}", *dedented(content), "```"]))
            elif kind == "law":
                law = _LAW.match(content[0])
                text = self.inline(" ".join([law.group("text"), *(line.strip() for line in content[1:])]))
                text = re.sub(r"^[^.`]{1,40}\.(?= )", r"**\g<0>**", text)  # what the law is called
                result.append(f'<div class="law" id="{law.group("name")}">\n\n**{law.group("name")}** {text}\n\n</div>')
            elif content[0].startswith(("- ", "1. ")):
                result.append("\n".join(self.inline(line) for line in content))
            else:
                result.append(self.inline(" ".join(line.strip() for line in content)))
        return "\n\n".join(result)

    def inline(self, text: str) -> str:
        return "".join(self._span(part) if number % 2 else _NAMED.sub(self._named, _escaped(part))
                       for number, part in enumerate(_CODE_SPAN.split(text)))

    def _span(self, span: str) -> str:
        name = span.strip("`")
        return span if name in self.parameters else self._linked(span, name.removesuffix("()"))

    def _named(self, match: re.Match) -> str:
        if code := match.group("code"):
            return self._linked(f"`{code}`", code.partition("(")[0])
        if perhaps := match.group("perhaps"):  # a name that is written like one, without any mark
            return self._linked(f"`{perhaps}`", perhaps) if self.names.find(perhaps, self.scopes) else perhaps
        local = match.group("local")
        address = self.names.local.get((self.part, local))
        return f"[{local}]({address})" if address else local

    def _linked(self, span: str, name: str) -> str:
        address = self.names.find(name, self.scopes)
        return f"[{span}]({address})" if address else span


def blocks(lines: list[str]) -> list[tuple[str, list[str]]]:
    """The comment's blocks: text, code (indented below an empty line) and laws (which begin with their names)."""
    result, at = [], 0
    while at < len(lines):
        begin = at
        if not lines[at].strip():
            at += 1
            continue
        if lines[at].startswith("  "):
            while at < len(lines) and (lines[at].startswith("  ") or not lines[at].strip()):
                at += 1
            result.append(("code", lines[begin:at]))
            continue
        at += 1
        while at < len(lines) and lines[at].strip() and not _LAW.match(lines[at]):
            at += 1
        result.append(("law" if _LAW.match(lines[begin]) else "text", lines[begin:at]))
    return result


def is_code(lines: list[str]) -> bool:
    """Whether an indented block is C++: one of its lines ends as a statement does."""
    return any(map(_STATEMENT.search, lines))


def opening(text: str) -> list[str]:
    """The lines of the comment that a header opens with, below the licence."""
    result = []
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            break
        result.append(line[2:].removeprefix(" ").rstrip())
    return result


def laws(lines: list[str]) -> list[str]:
    """The names of the laws that a comment states, in its order."""
    return [_LAW.match(content[0]).group("name") for kind, content in blocks(lines) if kind == "law"]


def first_sentence(lines: list[str]) -> str:
    text = " ".join(line.strip() for kind, content in blocks(lines)[:1] if kind == "text" for line in content)
    sentence = _SENTENCE.match(text)
    return sentence.group() if sentence else text


def subjects(opening: list[str]) -> tuple[list[str], str]:
    """What a header's opening comment is about: the names before the first colon, and the sentence behind it."""
    text = " ".join(line.strip() for kind, content in blocks(opening)[:1] for line in content)
    about, colon, sentence = text.partition(": ")
    names = [name.strip().removesuffix("()") for name in about.split(",")] if colon else []
    if names and all(re.fullmatch(r"\w+", name) for name in names):
        return names, first_sentence([sentence])
    return [], first_sentence([text])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("[", r"\[")


def dedented(lines: list[str]) -> list[str]:
    lines = list(lines)
    while not lines[-1].strip():
        lines.pop()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return [line[margin:] for line in lines]
