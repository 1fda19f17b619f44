# SPDX-License-Identifier: Apache-2.0
"""Rules for every text file. A rule takes a path, its text and all texts; it returns `path:line: what, and
remedy`."""

import re

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LINES_MAX = 400

COLUMNS_MAX = 110

_CODE = (".hpp", ".cpp", ".cppm", ".py", ".cmake", ".sh", ".hpp.in", ".cppm.in")
_COMMENT = re.compile(r"\s*//")
_PROSE = re.compile(r"\s*//[/ ] ?\S")
# Written so that the words don't stand in this file, which is under the rule as well.
_LEFT_OVER = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b")
# Excepted are addresses that nothing fetches from: of a namespace, of a licence, of nobody.
_HOST = re.compile(r"\b(?:https?|ftp)://(?!www\.w3\.org/|www\.apache\.org/|example\.invalid\b)[\w.-]+")
_MACHINE_PATH = re.compile(r"(?<![\w.)}\]/-])/(?:home|root|work|tmp)/[A-Za-z0-9_]")


def is_code(path: str, text: str) -> bool:
    return path.endswith((*_CODE, "CMakeLists.txt")) or text.startswith("#!")


def licence_line(path, text, _texts):
    if not is_code(path, text):
        return []
    lines = text.splitlines()
    number = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) > number and lines[number].lstrip("/# ") == LICENCE:
        return []
    comment = "//" if path.endswith((".hpp", ".cpp", ".cppm", ".in")) else "#"
    return [f"{path}:{number + 1}: this line is to be `{comment} {LICENCE}`"]


def file_length(path, text, _texts):
    count = text.count("\n")
    if not is_code(path, text) or count <= LINES_MAX:
        return []
    return [f"{path}:{LINES_MAX + 1}: {count} lines; a file is one idea, at most {LINES_MAX} lines: make it two"]


def comment_columns(path, text, _texts):
    """Of code clang-format decides. A sample or a table, which is indented, may be wider where no user reads it."""
    if not path.endswith((".hpp", ".cpp", ".cppm")):
        return []
    comment = _COMMENT if "/include/" in path else _PROSE
    return [f"{path}:{number}: {len(line)} columns; a comment has at most {COLUMNS_MAX}: break the line"
            for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS_MAX and comment.match(line)]


def left_over_words(path, text, _texts):
    return [f"{path}:{number}: \"{match.group()}\": do it now, or say in the documentation what is not there"
            for number, line in enumerate(text.splitlines(), 1) if (match := _LEFT_OVER.search(line))]


def machine_paths(path, text, _texts):
    return [f"{path}:{number}: \"{match.group()}...\" exists on one machine only; name a path relative to the tree, or "
            f"mark the line with path-allowed"
            for number, line in enumerate(text.splitlines(), 1)
            if "path-allowed" not in line and (match := _MACHINE_PATH.search(line))]


def names_of_hosts(path, text, _texts):
    return [f"{path}:{number}: \"{match.group()}\" names a host; take it from the configuration of the machine, or name "
            f"the project instead"
            for number, line in enumerate(text.splitlines(), 1) if (match := _HOST.search(line))]


RULES = {
    "licence line": licence_line,
    "file length": file_length,
    "columns of comments": comment_columns,
    "left-over words": left_over_words,
    "machine paths": machine_paths,
    "names of hosts": names_of_hosts,
}
