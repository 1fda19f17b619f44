# SPDX-License-Identifier: Apache-2.0
"""The pages of the reference: one for each header, with its opening comment and every public declaration.

What a reader may rely on is a comment in `///` above the declaration. One comment speaks of all declarations that
follow each other without an empty line, and the opening comment of those that it names before its first colon. A field
or an enumerator may be covered by its type's contract; what is defaulted or deleted needs none. Everything else without
a contract is a fault.
"""

import dataclasses
import pathlib
import posixpath
import re

from documentation import contracts, declarations
from documentation.contracts import Names, Reader
from documentation.declarations import Declaration
from documentation.source import Macro, Source

_PARAMETER = re.compile(r"\b(\w+)(?= *[,)=])")
_SYMBOLS = {"+": "plus", "-": "minus", "*": "times", "/": "over", "<": "less", ">": "greater", "=": "equal", "!": "not",
            "~": "destructor-", "[": "subscript", "(": "call", "&": "and", "|": "or", "%": "rest", "^": "xor", " ": "-"}


@dataclasses.dataclass(frozen=True)
class Header:
    name: str  # as it is included
    path: pathlib.Path
    origin: str  # the file of the tree that it comes from
    part: str

    @property
    def address(self) -> str:
        return f"/reference/{self.name.removeprefix('pinion/').removesuffix('.hpp')}.html"


@dataclasses.dataclass
class Block:
    """Declarations that share one contract."""

    signatures: list[str]
    comment: list[str]
    is_about_opening: bool = False  # the header's opening comment is the contract
    condition: str | None = None


@dataclasses.dataclass
class Entry:
    """All declarations of one name in one scope."""

    kind: str
    name: str
    scope: tuple[str, ...]
    anchor: str
    blocks: list[Block]
    members: list["Entry"]
    fields: list["Entry"]


@dataclasses.dataclass
class Page:
    header: Header
    opening: list[str]
    entries: list[Entry]
    faults: list[str]

    @property
    def subjects(self) -> list[str]:
        return contracts.subjects(self.opening)[0]

    @property
    def summary(self) -> str:
        return contracts.subjects(self.opening)[1]


def read(headers: list[Header], include_folders: list[pathlib.Path], folder: pathlib.Path) -> list[Page]:
    """The page of each header. Raises declarations.NotParsed if they don't compile."""
    found = declarations.parse({header.name: header.path for header in headers}, include_folders, folder)
    return [_page(header, Source(header.path), found[header.path]) for header in headers]


def names(pages: list[Page]) -> Names:
    addresses, local = {}, {}
    for page in pages:
        for entry in page.entries:
            for each in [entry, *_inside(entry)]:
                addresses.setdefault("::".join([*each.scope, each.name]), f"{page.header.address}#{each.anchor}")
        for law in contracts.laws(page.opening):
            local.setdefault((page.header.part, law), f"{page.header.address}#{law}")
        local[page.header.part, posixpath.basename(page.header.name)] = page.header.address
    return Names(addresses, local)


def markdown(page: Page, names: Names, module: str | None) -> str:
    """The page's text. `module` is the name by which the header's entities are imported."""
    header = page.header
    scopes = [entry.scope + (entry.name,) for entry in page.entries if entry.name in page.subjects]
    scopes += [entry.scope for entry in page.entries[:1]]
    way = f"`#include <{header.name}>`" + (f" or `import {module};`" if module else "")
    lines = [f"# {header.name.removeprefix('pinion/')}", f"{way} · [source](/{header.origin})\n{{.place}}",
             Reader(names, header.part, scopes).opening(page.opening)]
    for entry in page.entries:
        lines += _entry(entry, names, header, 2)
    return "\n\n".join(lines) + "\n"


def part_table(pages: list[Page], names: Names) -> str:
    """Every name of these headers in one table, with what its contract begins with."""
    rows = ["| name | what it is |", "|---|---|"]
    for page in pages:
        for entry in page.entries:
            block = entry.blocks[0]
            text = page.summary if block.is_about_opening else contracts.first_sentence(block.comment)
            reader = Reader(names, page.header.part, [(*entry.scope, entry.name)])
            name = f"[`{_cell(entry.name)}`]({page.header.address}#{entry.anchor})"
            rows.append(f"| {name} | {_cell(reader.inline(text))} |")
    return "\n".join(rows)


def _inside(entry: Entry) -> list[Entry]:
    return [*entry.fields, *(each for member in entry.members for each in [member, *_inside(member)])]


def _page(header: Header, source: Source, found: list[Declaration]) -> Page:
    page = Page(header, source.opening(), [], [])
    entries = _entries(found, source, page, ())
    page.entries = [_macro_entry(macro, page) for macro in source.macros()] + entries
    for law, number in zip(stated := contracts.laws(page.opening), range(1, len(stated) + 1)):
        if int(law[1:]) != number:
            page.faults.append(f"{header.origin}:1: law {law[0]}{number} is missing before {law}; each begins a line")
            break
    return page


def _entries(found: list[Declaration], source: Source, page: Page, prefix: tuple[str, ...]) -> list[Entry]:
    result: dict[str, Entry] = {}  # by qualified name: a header may say `cancel` in two namespaces
    earlier, block = None, None
    for declaration in found:
        entry = result.get(declaration.qualified)
        if entry is None:
            anchor = ".".join([*prefix, _word(declaration.name)])
            if any(other.anchor == anchor for other in result.values()):
                anchor = ".".join([*prefix, declaration.scope[-1], _word(declaration.name)])
            entry = result[declaration.qualified] = Entry(_kind(declaration, source), declaration.name,
                                                          declaration.scope, anchor, [], [], [])
        comment, condition = source.comment(declaration), source.condition(declaration)
        is_about_opening = not prefix and not comment and declaration.name in page.subjects
        signature = source.signature(declaration)
        speaks_for_itself = declaration.is_trivial or declaration.kind in {"field", "enumerator"}
        if not (comment or is_about_opening or speaks_for_itself) and earlier and source.follows(declaration, earlier):
            comment = block.comment  # said once, for both
        if entry.blocks and entry.blocks[-1].comment == comment and comment:
            block = entry.blocks[-1]
            block.signatures.append(signature)
        else:
            block = Block([signature], comment, is_about_opening, condition)
            entry.blocks.append(block)
        earlier = declaration
        if not (comment or is_about_opening or speaks_for_itself):
            place = f"{page.header.origin}:{source.line(source.begin(declaration))}"
            page.faults.append(f"{place}: {declaration.qualified} has no contract")
        inner = _entries(declaration.members, source, page, (*prefix, _word(declaration.name)))
        entry.fields += [each for each in inner if each.kind in {"field", "enumerator"}]
        for member in (each for each in inner if each.kind not in {"field", "enumerator"}):
            if known := [other for other in entry.members if other.anchor == member.anchor]:
                known[0].blocks += member.blocks  # of another specialization
            else:
                entry.members.append(member)
    return list(result.values())


def _macro_entry(macro: Macro, page: Page) -> Entry:
    is_about_opening = not macro.comment and macro.name in page.subjects
    if not macro.comment and not is_about_opening:
        page.faults.append(f"{page.header.origin}:{macro.line}: the macro {macro.name} has no contract")
    block = Block([macro.signature], macro.comment, is_about_opening)
    return Entry("macro", macro.name, (), macro.name, [block], [], [])


def _entry(entry: Entry, names: Names, header: Header, level: int) -> list[str]:
    scopes = [(*entry.scope, entry.name)]
    place = f" in `{'::'.join(entry.scope)}`" if level == 2 and entry.scope else ""
    lines = [f"{'#' * min(level, 4)} `{entry.name}` {{#{entry.anchor}}}"]
    lines += [f"{entry.kind}{place}\n{{.kind}}"] if level == 2 else []
    for block in entry.blocks:
        lines.append("\n".join(["```cpp", *(f"{signature};" if not signature.startswith("#") else signature
                                            for signature in block.signatures), "```"]))
        if block.condition:
            lines.append(f"Only where `{block.condition}`.\n{{.condition}}")
        if block.is_about_opening:
            lines.append("See [the top of this page](#content).")
        parameters = frozenset(_PARAMETER.findall(" ".join(block.signatures)))
        lines.append(Reader(names, header.part, scopes, parameters).markdown(block.comment))
    if entry.fields:
        lines.append(_fields(entry.fields, Reader(names, header.part, scopes)))
    for member in entry.members:
        lines += _entry(member, names, header, level + 1)
    return [line for line in lines if line]


def _fields(fields: list[Entry], reader: Reader) -> str:
    """Fields or enumerators as a table; in a row of their own where nothing is said of any of them."""
    cells = [(f'<a id="{field.anchor}"></a>`{_cell(field.blocks[0].signatures[0])}`',
              _cell(reader.inline(" ".join(field.blocks[0].comment)))) for field in fields]
    if not any(text for _, text in cells):
        return " · ".join(name for name, _ in cells)
    return "\n".join([f"| {fields[0].kind} | |", "|---|---|", *(f"| {name} | {text} |" for name, text in cells)])


def _kind(declaration: Declaration, source: Source) -> str:
    """What the declaration is, in the words of the language."""
    signature = source.signature(declaration)
    kind = declaration.kind
    if kind == "class":
        kind = "struct" if re.search(rf"\bstruct\b[^<>]*\b{declaration.name}\b", signature) else "class"
    elif kind == "type":
        kind = "alias"
    return f"{kind} template" if signature.startswith("template") and kind != "concept" else kind


def _word(name: str) -> str:
    """The name as a part of an anchor, which every browser and editor can take."""
    if re.fullmatch(r"\w+", name):
        return name
    symbol = name.removeprefix("operator")
    words = "-".join(word for character in symbol if (word := _SYMBOLS.get(character)))
    return f"operator-{words}" if name.startswith("operator") and not re.search(r"\w", symbol) else \
        re.sub(r"[^\w-]", "", name.replace("~", "destructor-").replace(" ", "-"))


def _cell(text: str) -> str:
    return " ".join(text.replace("|", r"\|").split())
