# SPDX-License-Identifier: Apache-2.0
"""Links of finished pages that lead nowhere, and pages that would load something from elsewhere.

Looks at the HTML, not at what it was made from: what is not found here, no reader can find.
"""

import html.parser
import pathlib
import posixpath
import re
import urllib.parse

_LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
_CSS_LOADS = re.compile(r"@import[^;]*|url\(\s*['\"]?(?!data:)(?:[a-z][a-z0-9+.-]*:|//)[^)]*", re.IGNORECASE)


class _Html(html.parser.HTMLParser):
    """One page: its anchors, where it leads, what it loads, and the file that it was made from."""

    def __init__(self, text: str):
        super().__init__()
        self.origin, self.anchors, self.links, self.loads, self.styles = "", [], [], [], []
        self._tag = ""
        self.feed(text)

    def handle_data(self, data):
        if self._tag == "style":
            self.styles.append(data)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self._tag = tag
        self.styles.append(values.get("style") or "")
        if "id" in values:
            self.anchors.append(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if loaded := values.get(_LOADS.get(tag, "")):
            self.loads.append(loaded)
        if tag == "meta" and values.get("name") == "origin":
            self.origin = values.get("content", "")


def faults(site: pathlib.Path) -> list[str]:
    """What is wrong in this folder of finished pages; one line each, naming the page's origin where it has one."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    pages = {name: _Html((site / name).read_text(encoding="utf-8")) for name in files if name.endswith(".html")}
    result = []
    for name, page in sorted(pages.items()):
        here = page.origin or name
        result += [f"{here}: two places of the page are called #{anchor}"
                   for anchor in sorted({each for each in page.anchors if page.anchors.count(each) > 1})]
        for target in page.loads:
            if _is_elsewhere(target):
                result.append(f"{here}: the page loads {target}; a page loads nothing from elsewhere")
            elif wrong := _wrong_with(target, name, files, pages):
                result.append(f"{here}: the page loads {target}, but {wrong}")
        for target in page.links:
            if not _is_elsewhere(target) and (wrong := _wrong_with(target, name, files, pages)):
                result.append(f"{here}: the link to {target} leads nowhere: {wrong}")
        result += _loaded_by_style(here, "\n".join(page.styles))
    for name in sorted(name for name in files if name.endswith(".css")):
        result += _loaded_by_style(name, (site / name).read_text(encoding="utf-8"))
    return result


def _loaded_by_style(here: str, style: str) -> list[str]:
    return [f"{here}: the style loads {match.group()}; a page loads nothing from elsewhere"
            for match in _CSS_LOADS.finditer(style)]


def _is_elsewhere(target: str) -> bool:
    return bool(re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE))


def _wrong_with(target: str, page: str, files: set[str], pages: dict[str, _Html]) -> str | None:
    path, _, anchor = target.partition("#")
    path, anchor = urllib.parse.unquote(path), urllib.parse.unquote(anchor)
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if path.startswith("/"):
        return "it would leave the site where that is not at the root of its server"
    if file not in files:
        return f"there is no {file}"
    if anchor and file in pages and anchor not in pages[file].anchors:
        return f"{pages[file].origin or file} has no place of that name"
    return None
