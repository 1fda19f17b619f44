# SPDX-License-Identifier: Apache-2.0
"""Every page beside the reference: the tree's documents, and what they link to, as the files that Hugo reads.

A document keeps its place: docs/timer.md becomes docs/timer.html, a README the index of its folder. Documents link to
files of the tree, as they do on any forge; the targets say which page such a file is: a document's own, for a public
header its page of the reference, for any other text a page that shows it, and for what no page can show a copy.
"""

import dataclasses
import json
import pathlib
import posixpath
import re

from check import tree

_FENCED = re.compile(r"^(?P<fence>```+|~~~+)[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<inline>[^)\s#]+)|^\[[^\]\n]+\]:\s*(?P<reference>[^\s#]+)", re.MULTILINE)
_QUOTE = re.compile(r"^<!-- (?:quote|output): \S+ -->[ \t]*\n(?=```|~~~)", re.MULTILINE)
_LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cppm": "cpp", ".py": "python", ".cmake": "cmake", ".json": "json",
              ".sh": "sh", ".toml": "toml", ".yml": "yaml"}
_COPIED = (".csv", ".html", ".svg")  # texts that a browser shows better than a page could

FRONT = "README.md"


@dataclasses.dataclass(frozen=True)
class Page:
    address: str
    title: str
    text: str  # Markdown
    origin: str  # the file of the tree that it was made from, or what made it
    part: str = ""  # of the menu, whose entries below it are shown while this page is
    description: str = ""


def documents(texts: dict[str, str]) -> list[Page]:
    """A page for each Markdown file; the comments that mark quotations are left out."""
    paths = {path for path in texts if path.endswith(".md")}
    return [Page(address(path), title(path, text), _QUOTE.sub("", text), path, _chapter(path, paths))
            for path, text in texts.items() if path in paths]


def address(path: str) -> str:
    folder, name = posixpath.split(path)
    if name == "README.md":
        return posixpath.join("/", folder, "index.html")
    return f"/{path.removesuffix('.md')}.html"


def title(path: str, text: str) -> str:
    heading = re.search(r"^# +(.+?) *#*$", _FENCED.sub("", text), re.MULTILINE)
    return heading.group(1).replace("`", "") if heading else path


def linked(documents: list[Page], files: set[str]) -> set[str]:
    """The files and folders of the tree that the documents link to. What they name beside is found broken later."""
    result = set()
    folders = {parent for file in files for parent in _parents(file)}
    for page in documents:
        for match in _LINK.finditer(_FENCED.sub("", page.text)):
            target = match.group("inline") or match.group("reference")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page.origin), target))
            if path in files or path in folders:
                result.add(path)
    return result


def shown(paths: set[str], texts: dict[str, str], files: set[str]) -> tuple[list[Page], dict[str, str], set[str]]:
    """Pages for these files and folders, the address of each, and which of them are to be copied as they are."""
    pages, targets, copies = {}, {}, set()
    waiting = sorted(paths)
    while waiting:
        path = waiting.pop()
        if path in targets:
            continue
        if path in texts and not path.endswith(_COPIED):
            targets[path] = f"/{path}.html"
            pages[path] = Page(targets[path], path, _source_text(path, texts[path]), path)
        elif path in files:
            targets[path] = f"/{path}"
            copies.add(path)
        elif f"{path}/README.md" in files:
            targets[path] = address(f"{path}/README.md")
        else:
            below = [file.removeprefix(f"{path}/") for file in files if file.startswith(f"{path}/")]
            inside = sorted({file.split("/")[0] for file in below})
            targets[path] = f"/{path}/index.html"
            lines = [f"- [{name}](/{path}/{name})" for name in inside]
            pages[path] = Page(targets[path], path, "\n".join([f"# {path}/", "", *lines, ""]), path)
            waiting += [f"{path}/{name}" for name in inside if not name.endswith(".md")]
    return list(pages.values()), targets, copies


def navigation(documents: list[Page], reference: dict[str, list[Page]]) -> list[dict]:
    """The groups of the menu; each page stands in one, or below the page that its folder is named after."""
    parts = sorted({name.split("/include/")[0] for name in tree.files() if "/include/pinion/" in name})
    groups = {"": [], "Guide": [], "Parts": [], "Reference": [], "Design": [], "More": []}
    for page in sorted(documents, key=lambda page: (page.origin != FRONT, page.origin)):
        folder = posixpath.dirname(page.origin)
        if folder and folder == page.part:
            continue
        group = {"": "", "docs": "Guide", "docs/design": "Design"}.get(folder, "Parts" if folder in parts else "More")
        groups[group].append({"title": "Overview" if page.origin == FRONT else page.title, "address": page.address,
                              "part": page.part, "children": _below(page, documents)})
    groups["Reference"] = [{"title": "All names", "address": "/reference/index.html"}]
    for part, headers in reference.items():
        children = [{"title": page.title, "address": page.address} for page in headers]
        groups["Reference"].append({"title": part, "address": f"/reference/{part}.html", "part": part,
                                    "children": children})
    return [{"title": name, "pages": entries} for name, entries in groups.items() if entries]


def write(page: Page, folder: pathlib.Path) -> None:
    """The page as Hugo wants it: what is known of it, then the Markdown. The front page has a name of its own."""
    front = {"title": page.title, "url": page.address, "origin": page.origin, "part": page.part,
             "description": page.description}
    name = "_index" if page.origin == FRONT else "page-" + re.sub(r"[^\w.]", "-", page.address.strip("/"))
    file = folder / "content" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{json.dumps(front, indent=1)}\n\n{page.text}", encoding="utf-8")


def _source_text(path: str, text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    name = posixpath.basename(path)
    language = "cmake" if name == "CMakeLists.txt" else _LANGUAGES.get(posixpath.splitext(name)[1], "text")
    language = "python" if text.startswith("#!/usr/bin/env python3") else language
    return f"# {path}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _chapter(path: str, paths: set[str]) -> str:
    """docs/x.md and the documents in docs/x/ are a chapter, docs/x; any other document is in none."""
    stem, folder = path.removesuffix(".md"), posixpath.dirname(path)
    if f"{folder}.md" in paths:
        return folder
    return stem if any(posixpath.dirname(other) == stem for other in paths) else ""


def _below(page: Page, documents: list[Page]) -> list[dict]:
    """The other pages of its chapter, by their names."""
    others = [other for other in documents if page.part and other.part == page.part and other is not page]
    return [{"title": other.title, "address": other.address} for other in sorted(others, key=lambda other: other.origin)]


def _parents(path: str) -> list[str]:
    result = []
    while path := posixpath.dirname(path):
        result.append(path)
    return result
