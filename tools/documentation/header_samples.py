# SPDX-License-Identifier: Apache-2.0
"""The uses that headers open with, compiled: each one as it stands, in a world of its part (worlds/PART.hpp).

A world declares what a sample speaks of and does not declare itself: a task, a deadline, a socket. The sample becomes
the body of a member function of it, a coroutine where it awaits; functions that it defines become members beside that.
`…` stands for whatever a reader puts there, and is left out. What can't be compiled so stands in worlds/not_compiled.toml
with the reason, and is counted as skipped.
"""

import dataclasses
import pathlib
import re
import tomllib

from check import commands, tree
from documentation import contracts
from documentation.source import Source

WORLDS = pathlib.Path(__file__).parent / "worlds"
NOT_COMPILED = WORLDS / "not_compiled.toml"
_COMPILER = ("clang++-19", "-std=c++20", "-fsyntax-only", "-ferror-limit=0", "-Wno-everything", "-fno-caret-diagnostics")
_ERROR = re.compile(r"^sample (\S+) (\d+):(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_STATEMENT = re.compile(r"[;{}]\s*(?://.*)?$")
_FUNCTION = re.compile(r"(?:template <(?!>)|"
                       r"(?!(?:if|for|while|switch|do|else|return|struct|class|const|auto|using|co_\w+)\b)"
                       r"(?:[\w:]+(?:<[^()]*>)?[&*]? )+[\w:]+\([^;]*\)[\w ]*\{)")


@dataclasses.dataclass(frozen=True)
class Sample:
    part: str
    header: str  # as it is included
    origin: str  # its path in the tree
    number: int  # among the header's
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.header} {self.number}"


def read(files: list[str]) -> list[Sample]:
    """Every sample of C++ in the opening comments of public headers."""
    result = []
    for path in files:
        if match := re.fullmatch(r"(?:hosts/)?(\w+)/include/(pinion/.+\.hpp)", path):
            blocks = contracts.blocks(Source(tree.ROOT / path).opening())
            codes = [code for kind, lines in blocks if kind == "code" and (code := _code_of(lines))]
            result += [Sample(match[1], match[2], path, number, tuple(contracts.dedented(lines)))
                       for number, lines in enumerate(codes, 1)]
    return result


def _code_of(lines: list[str]) -> list[str]:
    """The block without paragraphs in which nothing ends as a statement does."""
    paragraphs, paragraph = [], []
    for line in [*lines, ""]:
        paragraph.append(line)
        if not line.strip():
            paragraphs += paragraph if any(map(_STATEMENT.search, paragraph)) else []
            paragraph = []
    return paragraphs


def compile_part(log: commands.Log, part: str, samples: list[Sample], include_folders: list[pathlib.Path],
                 folder: pathlib.Path) -> dict[Sample, str]:
    """The first error of each sample of the part that does not compile. Raises StepFailed where its world does not."""
    source = folder / f"{part}.cpp"
    headers = dict.fromkeys(sample.header for sample in samples)
    source.write_text("\n".join([*(f"#include <{header}>" for header in headers), f'#include "{_world(part)}"',
                                 *(line for at, sample in enumerate(samples) for line in _placed(at, sample))]),
                      encoding="utf-8")
    result = log.run([*_COMPILER, *(f"-I{path}" for path in [*include_folders, WORLDS]), source])
    errors: dict[str, str] = {}
    for header, number, line, what in _ERROR.findall(result.output):
        errors.setdefault(f"{header} {number}", f"line {line} of it: {what}")
    if re.search(r"^\S*/world(s/\S+|\.hpp\S*) error: ", result.output, re.MULTILINE) or not (result.ok or errors):
        raise commands.StepFailed(commands.relevant(result.output))
    return {sample: errors[str(sample)] for sample in samples if str(sample) in errors}


def excused() -> dict[str, str]:
    """Samples that are not compiled, by name, and why."""
    with open(NOT_COMPILED, "rb") as file:
        return tomllib.load(file)


def _world(part: str) -> pathlib.Path:
    own = WORLDS / f"{part}.hpp"  # a host's is below hosts/, which alone may name it
    return own if own.exists() else tree.ROOT / "hosts" / part / "tests" / "world.hpp"


def _placed(at: int, sample: Sample) -> list[str]:
    """The sample as a member function of its world."""
    functions, body = [], []
    for first, item in _items(sample.lines):
        place = functions if _FUNCTION.match(item[0]) else body
        place += [f'#line {first} "sample {sample}"', *map(_filled, item)]
    text = "\n".join(body)
    result = "awaited" if re.search(r"\bco_(await|return|yield)\b", text) else "auto"
    return [f"namespace sample_{at} {{", "struct here : world {", *functions, f"{result} sample() {{", *body,
            "}", "};", "}"]


def _items(lines: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """The lines, cut where nothing is open: each with the number of its first."""
    result, item, depth = [], [], 0
    for number, line in enumerate(lines, 1):
        item.append(line)
        code = re.sub(r'"[^"]*"|//.*', "", line)
        depth += sum(code.count(each) for each in "({[") - sum(code.count(each) for each in ")}]")
        if depth <= 0:
            result.append((number - len(item) + 1, item))
            item, depth = [], 0
    return [*result, (len(lines) - len(item) + 1, item)] if item else result


def _filled(line: str) -> str:
    """The line without what a reader is to put in: a statement, an argument, what is between braces."""
    code, comment, rest = line.partition("//")
    code = re.sub(r"\{…\}", "{}", code)
    while "…" in code:
        before, _, after = code.partition("…")
        is_argument = before.count("(") > before.count(")") and "{" not in before[before.rfind("("):]
        code = before + ("{}" if is_argument else ";") + after
    return code + comment + rest
