# SPDX-License-Identifier: Apache-2.0
"""What the headers declare, as clang's syntax tree has it.

The tree comes from the compiler that builds the project, so concepts, requires-clauses, attributes and inline
namespaces that a macro names are understood as they are when compiled. Only places are taken from it: what is shown
is cut from the source (source.py), as it is written there.
"""

import dataclasses
import json
import pathlib
import subprocess

COMPILER = "clang++-19"
_SECONDS_TO_PARSE = 300
IMPLEMENTATION = "// ---- Implementation ----"  # what stands below this line of a header is not its interface

_RECORDS = {"CXXRecordDecl", "ClassTemplatePartialSpecializationDecl"}
_FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}
_KINDS = {
    "EnumDecl": "enumeration", "EnumConstantDecl": "enumerator", "FieldDecl": "field", "VarDecl": "constant",
    "TypeAliasDecl": "type", "TypedefDecl": "type", "ConceptDecl": "concept",
} | dict.fromkeys(_RECORDS, "class") | dict.fromkeys(_FUNCTIONS, "function")
_TEMPLATES = {"ClassTemplateDecl": _RECORDS, "FunctionTemplateDecl": _FUNCTIONS, "VarTemplateDecl": {"VarDecl"},
              "TypeAliasTemplateDecl": {"TypeAliasDecl"}}


class NotParsed(Exception):
    """The compiler refused the headers; str() is what it said."""


@dataclasses.dataclass
class Declaration:
    """One public declaration. Places are offsets in bytes into its file."""

    kind: str
    name: str
    scope: tuple[str, ...]  # namespaces and classes around it; inline namespaces are left out
    file: pathlib.Path
    begin: int
    name_at: int
    end: int  # behind the last token, the body's too
    body: int | None  # where a function's body begins
    is_trivial: bool  # defaulted or deleted: the language says what it does
    members: list["Declaration"]

    @property
    def qualified(self) -> str:
        return "::".join([*self.scope, self.name])


def parse(headers: dict[str, pathlib.Path], include_folders: list[pathlib.Path], folder: pathlib.Path,
          namespace: str = "pinion") -> dict[pathlib.Path, list[Declaration]]:
    """The public declarations of each of these headers (name to include it by -> file), in their order.

    `folder` is for what is written on the way. Headers are read as a checked build sees them, which has all.
    """
    source = folder / "all_headers.cpp"
    source.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
    command = [COMPILER, "-std=c++20", "-fsyntax-only", *(f"-I{path}" for path in include_folders),
               "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={namespace}", str(source)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                                timeout=_SECONDS_TO_PARSE)
    except subprocess.TimeoutExpired:
        raise NotParsed(f"{COMPILER} was stopped: it was not done after {_SECONDS_TO_PARSE} seconds") from None
    if result.returncode != 0:
        raise NotParsed(result.stderr)
    files = {path.resolve(): path for path in headers.values()}
    found = {path: [] for path in headers.values()}
    for root in _roots(result.stdout):
        if root["kind"] == "NamespaceDecl" and root.get("name") == namespace:
            for declaration in _namespace(root, ()):
                if header := files.get(declaration.file.resolve()):
                    found[header].append(declaration)
    return {header: _interface(header, declarations) for header, declarations in found.items()}


def _roots(output: str) -> list[dict]:
    """The dumped trees. clang names a place's file only where it changes; here every place gets its own."""
    current = None

    def remember(node: dict) -> dict:
        nonlocal current
        if "offset" in node:  # a place; places come in the order of the text
            current = node.setdefault("file", current)
        elif node.get("kind", "").endswith(("Expr", "Operator", "Literal")):
            node.pop("inner", None)
        return node

    decoder, roots, at = json.JSONDecoder(object_hook=remember), [], 0
    while (at := output.find("{", at)) >= 0:
        root, at = decoder.raw_decode(output, at)
        roots.append(root)
    return roots


def _namespace(node: dict, outer: tuple[str, ...]) -> list[Declaration]:
    name = node.get("name", "")
    if not name or name == "detail" or name.endswith("_detail"):
        return []
    scope = outer if node.get("isInline") else (*outer, name)
    result = []
    for child in node.get("inner", []):
        if child["kind"] == "NamespaceDecl":
            result += _namespace(child, scope)
        elif declaration := _declaration(child, scope):
            result.append(declaration)
    return result


def _declaration(node: dict, scope: tuple[str, ...]) -> Declaration | None:
    """The declaration of this node; None where it declares nothing that a reader of the reference could use."""
    declared = node
    if node["kind"] in _TEMPLATES:
        declared = next((child for child in node.get("inner", []) if child["kind"] in _TEMPLATES[node["kind"]]), node)
    elif node["kind"] == "FriendDecl":
        return _friend(node, scope)
    kind, name = _KINDS.get(declared["kind"]), declared.get("name")
    if kind is None or not name or node.get("isImplicit") or node.get("previousDecl") and kind == "function":
        return None
    if kind == "class" and not declared.get("completeDefinition"):
        return None
    # A template's constructors and destructor carry its arguments in their names.
    name = name.partition("<")[0] if declared["kind"] in {"CXXConstructorDecl", "CXXDestructorDecl"} else name
    begin, end = _begin(node), _end(declared if kind == "function" else node)
    is_trivial = bool(declared.get("explicitlyDefaulted") or declared.get("explicitlyDeleted"))
    body = None if is_trivial else next((_begin(child)["offset"] for child in declared.get("inner", [])
                                         if child["kind"] == "CompoundStmt" and "offset" in _begin(child)), None)
    name_at = _written(declared["loc"])["offset"]
    return Declaration(kind, name, scope, pathlib.Path(begin["file"]), begin["offset"], name_at, end, body, is_trivial,
                       _members(declared, kind, (*scope, name)))


def _friend(node: dict, scope: tuple[str, ...]) -> Declaration | None:
    """A function that a class defines as its friend is part of its interface; a befriended class is not."""
    inner = next(iter(node.get("inner", [])), None)
    if inner is None or inner["kind"] not in {"FunctionDecl", "FunctionTemplateDecl"}:
        return None
    result = _declaration(inner, scope)
    if result:
        result.begin = _begin(node)["offset"]
    return result


def _members(node: dict, kind: str, scope: tuple[str, ...]) -> list[Declaration]:
    access = "private" if node.get("tagUsed") == "class" and kind == "class" else "public"
    result = []
    for child in node.get("inner", []) if kind in {"class", "enumeration"} else []:
        if child["kind"] == "AccessSpecDecl":
            access = child["access"]
        elif access == "public" and (member := _declaration(child, scope)):
            result.append(member)
    return result


def _written(place: dict) -> dict:
    """Where a token stands in the source, not in the macro that it comes from."""
    return place.get("expansionLoc", place)


def _begin(node: dict) -> dict:
    return _written(node.get("range", {}).get("begin", {}))


def _end(node: dict) -> int:
    last = _written(node["range"]["end"])
    return last["offset"] + last["tokLen"]


def _interface(header: pathlib.Path, declarations: list[Declaration]) -> list[Declaration]:
    text = header.read_bytes()
    boundary = text.find(IMPLEMENTATION.encode())
    return [declaration for declaration in declarations if boundary < 0 or declaration.begin < boundary]
