# SPDX-License-Identifier: Apache-2.0
"""The build of the site, proved on samples: it reads headers right, and every fault that it is to find, it finds.

Each function returns what is wrong, or None.
"""

import pathlib

from check.cxx_text import line_of
from documentation import exports, links, pages, reference, samples
from documentation.contracts import laws
from documentation.reference import Entry, Header


def reads_headers(folder: pathlib.Path) -> str | None:
    """Every public declaration is there, as it is written, with its contract; and nothing else is."""
    page = _sample_page(folder, samples.HEADER)
    found = {entry.anchor: (entry.blocks[0].signatures[0], " ".join(entry.blocks[0].comment))
             for entry in _all(page.entries)}
    return "\n".join(f"{anchor}: read {found.get(anchor)} where {samples.ENTRIES.get(anchor)} is right"
                     for anchor in sorted({*found, *samples.ENTRIES})
                     if found.get(anchor) != samples.ENTRIES.get(anchor)) or None


def writes_pages(folder: pathlib.Path) -> str | None:
    """A page says what the header promises, and nothing of how it is done."""
    page = _sample_page(folder, samples.HEADER)
    text = reference.markdown(page, reference.names([page]), "pinion.sample")
    wrong = [f"it doesn't say {words!r}" for words in samples.SHOWN if words not in text]
    wrong += [f"it says {words!r}" for words in samples.HIDDEN if words in text]
    return "\n".join([*wrong, text]) if wrong else None


def finds_undocumented(folder: pathlib.Path) -> str | None:
    page = _sample_page(folder, samples.HEADER)
    wrong = [f"it does not find {name}" for name in samples.UNDOCUMENTED
             if not any(f"{name} has no contract" in fault for fault in page.faults)]
    if len(page.faults) != len(samples.UNDOCUMENTED):
        wrong.append("it finds fault with others")
    line = line_of(samples.HEADER, samples.HEADER.index("int undocumented"))
    if not any(fault.startswith(f"x.hpp:{line}: ") for fault in page.faults):
        wrong.append(f"it does not name the line, {line}")
    return "\n".join([*wrong, *page.faults]) if wrong else None


def finds_lost_laws(folder: pathlib.Path) -> str | None:
    """A law that an editor moved into the paragraph before it is missed."""
    text = samples.HEADER.replace("// G2  Second", "// G4  Fourth")
    text = text.replace("// G1  First", "// G1  None.\n// G2  First")
    page = _sample_page(folder, text)
    if laws(page.opening) == ["G1", "G2", "G4"] and any("law G3 is missing" in fault for fault in page.faults):
        return None
    return f"of the laws G1, G2 and G4 it read {laws(page.opening)}, and said {page.faults}"


def reads_modules(_folder: pathlib.Path) -> str | None:
    found = exports.exported_names(samples.MODULE)
    return None if found == samples.EXPORTED else f"read {found} where {samples.EXPORTED} is right"


def finds_broken_links(folder: pathlib.Path) -> str | None:
    wrong = [f"where all is well it says {fault}" for fault in _faults_of_site(folder, "")]
    for fault, words in samples.BROKEN.items():
        told = _faults_of_site(folder, fault)
        if len(told) != 1 or words not in told[0] or not told[0].startswith("README.md: "):
            wrong.append(f"of {fault} it says {told}")
    return "\n".join(wrong) or None


def places_documents(_folder: pathlib.Path) -> str | None:
    """Documents keep their places, and what they link to is found whatever it is."""
    texts = {"README.md": "<!-- quote: x.cpp -->\n```\n# no\n```\n# The `title`\n"
                          "[a](x.cpp) [b](data) [c](run.csv) [d](docs)",
             "docs/a.md": "[x](../x.cpp#L1) [y](b.md) [z]\n\n[z]: ../nowhere\n", "docs/README.md": "# D\n",
             "x.cpp": "`` ```\n", "data/y.txt": "y", "run.csv": "1"}
    documents = pages.documents(texts)
    linked = pages.linked(documents, set(texts))
    shown, targets, copies = pages.shown(linked, texts, set(texts))
    wanted = {"x.cpp": "/x.cpp.html", "data": "/data/index.html", "data/y.txt": "/data/y.txt.html",
              "run.csv": "/run.csv", "docs": "/docs/index.html"}
    front = documents[0]
    wrong = [f"targets are {targets}"] if targets != wanted else []
    wrong += [f"copies are {copies}"] if copies != {"run.csv"} else []
    wrong += [f"the front page is {front}"] if (front.title, front.address) != ("The title", "/index.html") else []
    wrong += ["the mark of a quotation is left"] if "quote" in front.text else []
    wrong += ["a fence in a source ends its block"] if not any("\n````text" in page.text or "\n````cpp" in page.text
                                                              for page in shown) else []
    return "\n".join(wrong) or None


def lists_documents(_folder: pathlib.Path) -> str | None:
    """Every document stands in the menu once; those of a chapter below the page that the chapter begins with."""
    texts = {name: f"# {name}\n" for name in ("README.md", "docs/a.md", "docs/a/c.md", "docs/a/b.md", "docs/d.md",
                                              "docs/design/e.md", "bench/README.md")}
    listed = {group["title"]: [(entry["title"], [child["title"] for child in entry.get("children", [])])
                               for entry in group["pages"]]
              for group in pages.navigation(pages.documents(texts), {}) if group["title"] != "Reference"}
    wanted = {"": [("Overview", [])], "Guide": [("docs/a.md", ["docs/a/b.md", "docs/a/c.md"]), ("docs/d.md", [])],
              "Design": [("docs/design/e.md", [])], "More": [("bench/README.md", [])]}
    return None if listed == wanted else f"the menu is {listed}"


PROOFS = {
    "headers are read as they are written": reads_headers,
    "pages show contracts and hide details": writes_pages,
    "a public declaration without a contract is found": finds_undocumented,
    "a law that lost its line is found": finds_lost_laws,
    "modules' exports are read": reads_modules,
    "broken links are found, each kind": finds_broken_links,
    "documents keep their places": places_documents,
    "documents stand in the menu once": lists_documents,
}


def _sample_page(folder: pathlib.Path, text: str) -> reference.Page:
    path = folder / "include" / "pinion" / "sample" / "x.hpp"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return reference.read([Header("pinion/sample/x.hpp", path, "x.hpp", "sample")], [folder / "include"], folder)[0]


def _all(entries: list[Entry]) -> list[Entry]:
    return [each for entry in entries for each in [entry, *_all(entry.fields), *_all(entry.members)]]


def _faults_of_site(folder: pathlib.Path, addition: str) -> list[str]:
    site = folder / "site"
    for name, text in samples.SITE.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text + (addition if name == "index.html" else ""), encoding="utf-8")
    return links.faults(site)
