# SPDX-License-Identifier: Apache-2.0
"""Rules for documents: links lead somewhere, quoted code is the code that is compiled, words stay plain."""

import os.path
import re

_FENCED = re.compile(r"^(?P<fence>```+|~~~+)[^\n]*\n(?P<content>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]\n]*\]\((?P<target>[^)\s]+)[^)\n]*\)|^\[[^\]\n]+\]:\s*(?P<reference>\S+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_QUOTE = re.compile(r"^<!-- (?P<kind>quote|output): (?P<source>\S+) -->[ \t]*\n", re.MULTILINE)
_LOUD = re.compile(r"\b(?:blazing(?:ly)?|lightning|world[- ]class|best[- ]in[- ]class|cutting[- ]edge|revolutionary"
                   r"|game[- ]chang\w+|seamless(?:ly)?|effortless(?:ly)?|unparalleled|state[- ]of[- ]the[- ]art)\b",
                   re.IGNORECASE)


def links(path, text, texts):
    if not path.endswith(".md"):
        return []
    prose, findings = _without_code(text), []
    for match in _LINK.finditer(prose):
        target = match.group("target") or match.group("reference")
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if file not in texts and file != "." and not any(other.startswith(f"{file}/") for other in texts):
            findings.append(f"{path}:{_line(prose, match)}: the link to {target} leads nowhere: there is no {file}")
        elif anchor and file.endswith(".md") and anchor not in _anchors(texts[file]):
            findings.append(f"{path}:{_line(prose, match)}: the link to {target} leads nowhere: {file} has no heading "
                            f"of that name")
    return findings


def quotations(path, text, texts):
    """After `<!-- quote: FILE -->` stands the code of FILE; after `<!-- output: FILE -->` what it prints."""
    if not path.endswith(".md"):
        return []
    findings = []
    for match in _QUOTE.finditer(text):
        source = match.group("source")
        if match.group("kind") == "output":
            source = f"{os.path.splitext(source)[0]}.expected"
        block = _FENCED.match(text, match.end())
        if source not in texts:
            findings.append(f"{path}:{_line(text, match)}: there is no {source} to quote")
        elif block is None:
            findings.append(f"{path}:{_line(text, match)}: a fenced block is to follow directly, quoting {source}")
        elif block.group("content").rstrip() != (wanted := quotable(source, texts[source])):
            difference = _first_difference(block.group("content").rstrip(), wanted)
            findings.append(f"{path}:{_line(text, match)}: {difference}; copy {source} into the block")
    return findings


def quotable(source: str, text: str) -> str:
    """What of a file is quoted: of code, from the first include or import on; of anything else, everything."""
    begin = re.search(r"^(?:#include|import)\b", text, re.MULTILINE) if source.endswith(".cpp") else None
    return text[begin.start() if begin else 0:].rstrip()


def plain_words(path, text, _texts):
    if not path.endswith(".md"):
        return []
    prose = _without_code(text)
    return [f"{path}:{_line(prose, match)}: \"{match.group()}\" says nothing; say what was measured, or leave it out"
            for match in _LOUD.finditer(prose)]


def _without_code(text: str) -> str:
    """Fenced blocks and `code` blanked, lines kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())  # noqa: E731  (a name for two uses below)
    return re.sub(r"`[^`\n]+`", blank, _FENCED.sub(blank, text))


def _anchors(text: str) -> set[str]:
    """The headings' anchors, as the usual renderers make them: lower case, no punctuation, spaces as hyphens."""
    result, seen = set(), {}
    for heading in _HEADING.findall(_FENCED.sub("", text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen[anchor] = seen.get(anchor, -1) + 1
        result.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
    return result


def _first_difference(quoted: str, wanted: str) -> str:
    pairs = zip([*quoted.splitlines(), "(the end)"], [*wanted.splitlines(), "(the end)"])
    ours, theirs = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    return f"the block says `{ours.strip()}` where the file says `{theirs.strip()}`"


def _line(text: str, match) -> int:
    return text.count("\n", 0, match.start()) + 1


RULES = {
    "links": links,
    "quotations": quotations,
    "plain words": plain_words,
}
