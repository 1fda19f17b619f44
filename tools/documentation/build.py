# SPDX-License-Identifier: Apache-2.0
"""Builds the site: reads the headers and the documents, stages every page, runs Hugo, looks at what came out."""

import dataclasses
import json
import os
import pathlib
import re
import shutil

from check import commands, tree
from documentation import declarations, exports, links, pages, reference
from documentation.contracts import Names
from documentation.reference import Header

THEME = pathlib.Path(__file__).parent / "theme"
SITE = tree.BUILD / "site"
STAGED = tree.BUILD / "site-source"
_HEADER = re.compile(r"(?P<folder>.*?(?P<part>[^/]+)/include)/(?P<name>pinion/.+\.hpp)")


@dataclasses.dataclass(frozen=True)
class Built:
    undocumented: list[str]  # public declarations without a contract
    unlisted: dict[str, list[str]]  # module interface -> what it exports and no page of the reference speaks of
    broken: list[str]  # links that lead nowhere


def build(log: commands.Log, generated: pathlib.Path) -> Built:
    """Builds all. `generated` is the include folder of a configured, checked build. Raises commands.StepFailed."""
    shutil.rmtree(STAGED, ignore_errors=True)
    shutil.copytree(THEME, STAGED)
    texts, files = tree.texts(), set(tree.files())
    headers = _headers(files, generated)
    try:
        found = reference.read(headers, _include_folders(headers), STAGED)
    except declarations.NotParsed as reason:
        raise commands.StepFailed(commands.relevant(str(reason))) from reason
    names = reference.names(found)
    documents = pages.documents(texts)
    _stage_documents(documents, headers, texts, files)
    of_headers = _stage_reference(found, names, texts)
    _write_data("navigation", pages.navigation(documents, of_headers))
    _run_hugo(log)
    return Built([fault for page in found for fault in page.faults], _unlisted(texts, names), links.faults(SITE))


def _stage_documents(documents: list[pages.Page], headers: list[Header], texts: dict[str, str],
                     files: set[str]) -> None:
    """The documents, what they link to, and where each file of the tree is to be found on the site."""
    linked = pages.linked(documents, files) | {header.origin for header in headers}
    shown, targets, copies = pages.shown({path for path in linked if not path.endswith(".md")}, texts, files)
    targets |= {page.origin: page.address for page in documents}
    targets |= {header.origin: header.address for header in headers if header.path == tree.ROOT / header.origin}
    _write_data("targets", targets)
    for page in [*documents, *shown]:
        pages.write(page, STAGED)
    for path in copies:
        (STAGED / "static" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree.ROOT / path, STAGED / "static" / path)


def _stage_reference(found: list[reference.Page], names: Names, texts: dict[str, str]) -> dict[str, list[pages.Page]]:
    """The reference; the pages of its headers are returned by part."""
    by_part = _by_part(found)
    result = {part: [_page(page, names, texts) for page in group if not _is_whole(page)]
              for part, group in by_part.items()}
    for page in [_index(by_part, names), *(_part_page(part, group, names, texts) for part, group in by_part.items()),
                 *(page for group in result.values() for page in group)]:
        pages.write(page, STAGED)
    return result


def _headers(files: set[str], generated: pathlib.Path) -> list[Header]:
    """The public headers, those that the build generates among them."""
    result = []
    for path in sorted(files):
        if match := _HEADER.fullmatch(path):
            result.append(Header(match.group("name"), tree.ROOT / path, path, match.group("part")))
    for path in sorted(generated.rglob("*.hpp")):
        name = path.relative_to(generated).as_posix()
        result.append(Header(name, path, f"cmake/{path.name}.in", "base"))
    return result


def _include_folders(headers: list[Header]) -> list[pathlib.Path]:
    return sorted({header.path.parents[header.name.count("/")] for header in headers})


def _by_part(found: list[reference.Page]) -> dict[str, list[reference.Page]]:
    """The headers of each part: base first, a part's own header first within it."""
    result = {}
    for page in sorted(found, key=lambda page: (page.header.part != "base", page.header.part, not _is_whole(page),
                                                page.header.name)):
        result.setdefault(page.header.part, []).append(page)
    return result


def _is_whole(page: reference.Page) -> bool:
    """Whether this is <pinion/PART.hpp>, which includes the others."""
    return page.header.name == f"pinion/{page.header.part}.hpp"


def _module(part: str, texts: dict[str, str]) -> str | None:
    return f"pinion.{part}" if f"modules/{part}.cppm" in texts else None


def _page(page: reference.Page, names: Names, texts: dict[str, str]) -> pages.Page:
    header = page.header
    text = reference.markdown(page, names, _module(header.part, texts))
    return pages.Page(header.address, header.name.rsplit("/", 1)[1], text, header.origin, header.part, page.summary)


def _part_page(part: str, group: list[reference.Page], names: Names, texts: dict[str, str]) -> pages.Page:
    module = _module(part, texts)
    folder = next(page.header.origin for page in group).split("/include/")[0]
    ways = [f"`#include <{page.header.name}>`" for page in group if _is_whole(page)]
    ways += [f"`import {module};`"] if module else []
    readme = [f"[what it is](/{folder}/README.md)"] if f"{folder}/README.md" in texts else []
    lines = [f"# {part}", " · ".join([" or ".join(ways), *readme]) + "\n{.place}"]
    for page in group:
        if page.entries:
            name = page.header.name.removeprefix("pinion/")
            lines += [f"## [{name}]({page.header.address}) {{#{name.replace('/', '-').replace('.', '-')}}}",
                      reference.part_table([page], names)]
    return pages.Page(f"/reference/{part}.html", part, "\n\n".join(lines) + "\n", f"{part}/include", part)


def _index(by_part: dict[str, list[reference.Page]], names: Names) -> pages.Page:
    lines = ["# All names", "Made from the headers: the comment above a declaration is its contract."]
    for part, group in by_part.items():
        lines += [f"## [{part}](/reference/{part}.html) {{#{part}}}", reference.part_table(group, names)]
    return pages.Page("/reference/index.html", "All names", "\n\n".join(lines) + "\n", "reference")


def _write_data(name: str, content) -> None:
    file = STAGED / "data" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _run_hugo(log: commands.Log) -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HUGO_")}
    command = ["hugo", "--source", STAGED, "--destination", SITE, "--cacheDir", STAGED / "cache"]
    result = log.run(command, env=environment)
    if not result.ok:
        raise commands.StepFailed(commands.relevant(result.output))


def _unlisted(texts: dict[str, str], names: Names) -> dict[str, list[str]]:
    result = {}
    for path in sorted(path for path in texts if re.fullmatch(r"modules/.+\.cppm", path)):
        result[path] = [f"{path}:{line}: {name} is exported, and the reference has no entry for it: declare it above "
                        f"the implementation of a header of its part"
                        for line, name in exports.exported_names(texts[path]) if name not in names.addresses]
    return result
