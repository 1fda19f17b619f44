# SPDX-License-Identifier: Apache-2.0
"""The rule for the samples of use in headers: each stands, word for word, in a program that `./check` runs.

A sample is a paragraph of code in a header's opening comment. It stands in a program where its words follow each other,
however they are broken into lines, comments left out. `…` in a sample is any text within one test.
"""

import functools
import re

from check.cxx_text import line_of
from documentation import contracts

_HEADER = re.compile(r"(?:hosts/)?\w+/include/pinion/.+\.hpp")
_PROGRAM = re.compile(r"(?P<folder>examples|(?:hosts/)?\w+/tests)/(?P<name>\w+)\.cpp")
_WORD = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|[\w']+|\S""", re.DOTALL)
_ANYTHING = r"(?:(?!\nTEST(?:_F)?\n).)*?"


def samples_are_run(path, text, texts):
    if not _HEADER.fullmatch(path):
        return []
    programs, findings = _programs(texts), []
    for number, lines in enumerate(samples(text), 1):
        if missing := _first_missing(lines, programs):
            findings.append(
                f"{path}:{line_of(text, text.index(missing))}: sample {number}: no program that is run has "
                f"`{missing.strip()}` after what stands before it in the sample: write a test of it in samples_test.cpp")
    return findings


def samples(text: str) -> list[list[str]]:
    """The paragraphs of code in a header's opening comment."""
    code = [line for kind, lines in contracts.blocks(contracts.opening(text)) if kind == "code" for line in [*lines, ""]]
    result, paragraph = [], []
    for line in code:
        if line.strip():
            paragraph.append(line)
        else:
            result += [paragraph] if contracts.is_code(paragraph) else []
            paragraph = []
    return result


def _first_missing(lines: list[str], programs: list[str]) -> str | None:
    """The first line with which the sample stands in no program."""
    pattern = r"\n"
    for line in lines:
        pattern += "".join(_ANYTHING if word == "…" else re.escape(f"{word}\n") for word in _words(line))
        programs = [program for program in programs if re.search(pattern, program, re.DOTALL)]
        if not programs:
            return line
    return None


def _programs(texts: dict[str, str]) -> list[str]:
    """The words of every source that the list beside it makes a program of."""
    return [_by_words(text) for path, text in texts.items() if (match := _PROGRAM.fullmatch(path))
            and re.search(rf"\b{match['name']}\b", texts.get(f"{match['folder']}/CMakeLists.txt", ""))]


@functools.lru_cache(maxsize=None)
def _by_words(text: str) -> str:
    return "\n" + "".join(f"{word}\n" for word in _words(text))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if not word.startswith(("//", "/*"))]


RULES = {"samples in headers are run": samples_are_run}
