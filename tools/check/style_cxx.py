# SPDX-License-Identifier: Apache-2.0
"""Rules for C++ files: what headers may hold, who may include whom, atomics that name their order, tests that test."""

import re

import parts
from check import catalogue
from check.cxx_text import closing, code_of, includes_of, line_of

_HOSTS = ("boost/", "folly/")
_INTRINSICS = ("immintrin.h", "x86intrin.h", "emmintrin.h", "xmmintrin.h")
_ATOMIC_CALL = re.compile(
    r"(?:\.|->)\s*(?P<name>load|store|exchange|fetch_(?:add|sub|and|or|xor|max|min)|compare_exchange_(?:weak|strong)"
    r"|test_and_set)\s*(?P<bracket>\()")
_TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\s*(\()", re.M)
_IF = re.compile(r"\bif (?:constexpr )?(\()")
_ASSERTION = re.compile(r"\b(?:(?:EXPECT|ASSERT|RC|GTEST)_[A-Z0-9_]+|FAIL|ADD_FAILURE|static_assert"
                        r"|(?:expect|assert|require)_\w+)\s*[(<]")


def headers_without_thread_local(path, text, _texts):
    if not path.endswith((".hpp", ".cppm", ".hpp.in", ".cppm.in")):
        return []
    code = code_of(text)
    return [f"{path}:{line_of(code, match.start())}: thread_local in a header: compilers differ about it in modules; "
            f"reach the thread's state by a pointer, or move it to a source file"
            for match in re.finditer(r"\bthread_local\b", code)]


def headers_without_intrinsics(path, text, _texts):
    if not path.endswith((".hpp", ".cppm", ".hpp.in", ".cppm.in")):
        return []
    return [f"{path}:{line}: <{name}> in a header is thousands of lines for each includer; use the compiler's "
            f"__builtin_ functions, or include it in a source file"
            for line, name in includes_of(text) if name in _INTRINSICS]


def named_memory_order(path, text, _texts):
    """Over headers and sources; tests, benches and examples may take the default."""
    if not path.endswith((".hpp", ".cpp", ".cppm")) or re.search(r"(^|/)(tests|bench|examples|test_package)/", path):
        return []
    code = code_of(text)
    return [f"{path}:{line_of(code, match.start())}: {match.group('name')}() names no memory order; say which, and why "
            f"it is enough (if this is no atomic, call the function something else)"
            for match in _ATOMIC_CALL.finditer(code)
            if not re.search(r"order|relaxed|acq|rel\b|release|seq_cst",
                             code[match.start("bracket"):closing(code, match.start("bracket"))])]


def part_dependencies(path, text, texts):
    """A part includes base, and what its links in cmake/parts.json lead to; tests and benches also sim."""
    known = catalogue.read(texts)
    part = next((part for part in known.everything if path.startswith(f"{part.folder}/")), None)
    if part is None or not path.endswith((".hpp", ".cpp")):
        return []
    allowed = {"base", part.name} | known.rests_on(part)
    if re.match(r"/(tests|bench)/", path.removeprefix(part.folder)):
        allowed.add("sim")
    findings = []
    for line, name in includes_of(text):
        owners = [other.name for other in known.everything if f"{other.folder}/include/{name}" in texts]
        owner = owners[0] if owners else None
        if owner and owner not in allowed:
            findings.append(f"{path}:{line}: {part.name} includes <{name}> of {owner}; it may include only "
                            f"{', '.join(sorted(allowed))}: take what is needed as a template parameter, move "
                            f"what both need to base, or link it ({parts.FILE})")
    return findings


def hosts_only_in_hosts(path, text, _texts):
    """A host may stand in a bench as a peer to be measured against, and in a program that drops a part into it."""
    if re.match(r"hosts/|examples/|test_package/|(.*/)?bench/peers/", path) or not path.endswith((".hpp", ".cpp", ".cppm")):
        return []
    return [f"{path}:{line}: <{name}> names a host; only files below hosts/, examples/ and bench/peers/ may"
            for line, name in includes_of(text) if name.startswith(_HOSTS)]


def tests_assert(path, text, _texts):
    if not re.search(r"(^|/)tests/.*\.cpp$", path):
        return []
    code, findings = code_of(text), []
    for match in _TEST.finditer(code):
        body = code.find("{", closing(code, match.start(1)))
        if body >= 0 and not _ASSERTION.search(code, body, closing(code, body)):
            findings.append(f"{path}:{line_of(code, match.start())}: this test asserts nothing: say with EXPECT or "
                            f"ASSERT what has to hold")
    return findings


def braces_around_expectations(path, text, _texts):
    """What g++ refuses and clang does not see: these macros hold an if and an else of their own."""
    if not path.endswith((".cpp", ".hpp")):
        return []
    code, findings = code_of(text), []
    for match in _IF.finditer(code):
        behind = code[closing(code, match.start(1)) + 1:]
        if re.match(r"\s*(?:EXPECT|ASSERT)_", behind):
            findings.append(f"{path}:{line_of(code, match.start())}: an if around an expectation has no braces, which "
                            f"g++ calls a dangling else: add them")
    return findings


RULES = {
    "no thread_local in headers": headers_without_thread_local,
    "no intrinsics in headers": headers_without_intrinsics,
    "atomics name their memory order": named_memory_order,
    "parts include only what they may": part_dependencies,
    "only hosts/ names a host": hosts_only_in_hosts,
    "tests assert": tests_assert,
    "braces around expectations": braces_around_expectations,
}
