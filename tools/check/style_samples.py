# SPDX-License-Identifier: Apache-2.0
"""For each rule of style trees that break it, each in another way, and trees that keep it, in spite of
appearances."""

import json
import pathlib

import parts

_SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
_TEST = "timer/tests/x_test.cpp"
_HEADER = "timer/include/pinion/timer/x.hpp"
# Assembled, because these words are not to stand in this file either.
_UNFINISHED = "TO" + "DO"
_URL = "htt" + "ps://registry"
_HOME = "/ho" + "me/somebody"


def _document(block: str) -> dict[str, str]:
    return {"README.md": f"<!-- quote: examples/x.cpp -->\n```cpp\n{block}```\n",
            "examples/x.cpp": f"{_SPDX}//\n// An example.\n#include <a>\nint main() {{}}\n"}


def _output(block: str) -> dict[str, str]:
    return {"README.md": f"<!-- output: examples/x.cpp -->\n```\n{block}```\n", "examples/x.expected": "fired 7\n"}


def _sample(sample: str, body: str = "", made: str = "x_test.cpp") -> dict[str, str]:
    return {_HEADER: f"{_SPDX}//\n// x: a thing.\n//\n//   {sample}\n#pragma once\n",
            _TEST: f"TEST(a, b) {{ {body} }}\n", "timer/tests/CMakeLists.txt": made}


def _catalogue(table: str) -> dict[str, str]:
    """A tree of base alone, with one table made from it."""
    text = (pathlib.Path(__file__).resolve().parents[2] / parts.FILE).read_text(encoding="utf-8")
    file = json.loads(text) | {"hosts": [], "options": [], "development": []}
    file["parts"] = [{"name": "base", "what": "words", "required": True}]
    page = f"<!-- from cmake/parts.json: parts -->\n{table}<!-- end of parts -->\n"
    return {parts.FILE: json.dumps(file), "README.md": page}


_TABLE = "| part | flag | backends | what it is |\n|---|---|---|---|\n"
_ROW = "| [base](base/README.md) | always there | | words |\n"


# rule -> (trees of which each is to be found fault with, trees of which none is)
SAMPLES = {
    "licence line": (
        [{"a.hpp": "#pragma once\n"}, {"CMakeLists.txt": "project(x)\n"}, {"run": "#!/bin/sh\nexit\n"},
         {"a.py": "\n# SPDX-License-Identifier: Apache-2.0\n"}, {"a.cmake": ""}],
        [{"a.hpp": _SPDX}, {"run": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"}, {"README.md": "# x\n"}],
    ),
    "file length": ([{"a.cpp": "\n" * 401}, {"a.py": "\n" * 401}], [{"a.cpp": "\n" * 400}, {"a.csv": "\n" * 999}]),
    "columns of comments": (
        [{_HEADER: "//   " + "x" * 106}, {_TEST: "  // " + "x" * 106}, {"modules/x.cppm": "/// " + "x" * 107}],
        [{_HEADER: "//   " + "x" * 105}, {_TEST: "//   " + "x" * 106}, {_HEADER: "int " + "x" * 107},
         {"a.md": "// " + "x" * 110}],
    ),
    "left-over words": ([{"a.hpp": f"// {_UNFINISHED}: later\n"}], [{"a.hpp": "// mastodon, hacked\n"}]),
    "machine paths": (
        [{"a.md": f"see {_HOME}/x\n"}],
        [{"a.md": "build/work/x, https://example.invalid/home/x\n"}, {"a.py": f'"{_HOME}"  # path-allowed\n'}],
    ),
    "names of hosts": (
        [{"a.py": f'"{_URL}.invalid/x"\n'}, {"a.lock": f"registry+{_URL}\n"}],
        [{"a.md": "https://example.invalid/x\n", "a.svg": "<svg xmlns='http://www.w3.org/2000/svg'>\n"}],
    ),
    "no thread_local in headers": (
        [{_HEADER: "inline thread_local int x;\n"}, {"modules/x.cppm": "thread_local int x;\n"}],
        [{_HEADER: "// thread_local is not\n"}, {"timer/src/x.cpp": "thread_local int x;\n"}],
    ),
    "no intrinsics in headers": (
        [{_HEADER: "#include <immintrin.h>\n"}, {_HEADER: "# include <x86intrin.h>\n"}],
        [{_HEADER: "// #include <immintrin.h>\n"}, {"timer/src/x.cpp": "#include <immintrin.h>\n"}],
    ),
    "atomics name their memory order": (
        [{_HEADER: "x_.load();\n"}, {_HEADER: "p->store(\n  1\n);\n"}, {"base/src/x.cpp": "x_.fetch_add(f(1));\n"},
         {_HEADER: "x_.compare_exchange_weak(a, b)\n"}],
        [{_HEADER: "x_.load(std::memory_order_relaxed); std::exchange(a, b); s.schedule(1);\n"},
         {_HEADER: "x_.compare_exchange_weak(a,\n  b, std::memory_order::acq_rel,\n  std::memory_order::relaxed);\n"},
         {_HEADER: "// x_.load();\n"}, {_TEST: "x_.load();\n"}],
    ),
    "parts include only what they may": (
        [{"base/include/pinion/base/x.hpp": "#include <pinion/timer/x.hpp>\n", _HEADER: ""},
         {"waker/src/x.cpp": '#include "pinion/timer/x.hpp"\n', _HEADER: ""},
         {_HEADER: "#include <pinion/sim/x.hpp>\n", "sim/include/pinion/sim/x.hpp": ""},
         {"hosts/asio/include/pinion/asio.hpp": "#include <pinion/sim/x.hpp>\n", "sim/include/pinion/sim/x.hpp": ""}],
        [{_HEADER: "#include <pinion/base/x.hpp>\n#include <pinion/config.hpp>\n",
          "base/include/pinion/base/x.hpp": ""},
         {_TEST: "#include <pinion/sim/x.hpp>\n", "sim/include/pinion/sim/x.hpp": ""},
         {"hosts/asio/include/pinion/asio.hpp":
          "#include <pinion/preempt/x.hpp>\n#include <pinion/base/x.hpp>\n",
          "preempt/include/pinion/preempt/x.hpp": "", "base/include/pinion/base/x.hpp": ""}],
    ),
    f"what comes from {parts.FILE} is up to date": (
        [_catalogue(""), _catalogue(_TABLE + _ROW.replace("words", "word")), _catalogue(_TABLE + _ROW + _ROW),
         {"vcpkg.json": "{}\n"}, {"a.hpp": "// from cmake/parts.json: nothing\n// end of nothing\n"}],
        [_catalogue(_TABLE + _ROW), {"a.md": "a line that ends in `from cmake/parts.json: parts`\n"}],
    ),
    "only hosts/ names a host": (
        [{_HEADER: "#include <boost/asio.hpp>\n"}, {"base/src/x.cpp": "#include <folly/x.h>\n"}],
        [{"hosts/asio/include/x.hpp": "#include <boost/asio.hpp>\n"},
         {"timer/bench/peers/x.hpp": "#include <boost/asio.hpp>\n"},
         {"examples/06_x.cpp": "#include <boost/asio.hpp>\n"}],
    ),
    "tests assert": (
        [{_TEST: "TEST(a, b) {\n  f();  // EXPECT_TRUE(x)\n}\n"}, {_TEST: "TEST(a, b) { SUCCEED(); }\n"},
         {_TEST: "TEST_P(a, b) {}\nTEST(a, c) { FAIL(); }\n"}],
        [{_TEST: "TEST(a, b) {\n  if (x) { EXPECT_EQ(1, 1); }\n}\n"},
         {_TEST: "RC_GTEST_PROP(a, b, ()) { RC_ASSERT(1); }\n"},
         {_TEST: "TEST(a, b) { expect_holds(1); }\n"}],
    ),
    "braces around expectations": (
        [{_TEST: "if (f(x)) EXPECT_TRUE(x);\n"}, {_TEST: "if constexpr (f(x))\n  ASSERT_TRUE(x);\n"}],
        [{_TEST: "if (f(x)) {\n  EXPECT_TRUE(x);\n}\nfor (;;) EXPECT_TRUE(x);\n// if (x) EXPECT_TRUE(x)\n"}],
    ),
    "links": (
        [{"docs/a.md": "[x](b.md)\n"}, {"a.md": "[x](#nowhere)\n# Here\n"}, {"a.md": "[x](b.md#y)\n", "b.md": "# Z\n"},
         {"a.md": "[x]: b.md\n"}],
        [{"docs/a.md": "[x](../b.md#a-b-1) [y](../docs) [z](https://example.invalid)\n", "b.md": "# A b\n## A, b\n"},
         {"a.md": "`[x](b.md)`\n```\n[x](b.md)\n```\n"}],
    ),
    "quotations": (
        [_document("#include <a>\nint main() { return 1; }\n"), _output("fired 8\n"),
         {"a.md": "<!-- quote: b.cpp -->\n"}, {"a.md": "<!-- quote: b.cpp -->\n\ntext\n", "b.cpp": "import b;\n"}],
        [_document("#include <a>\nint main() {}\n"), _output("fired 7\n")],
    ),
    "samples in headers are run": (
        [_sample("f(2);"), _sample("f(2); g();", "f(2); h(); g();"), _sample("f(2, \"a\");", 'f(2,"b");'),
         _sample("f(…, 3);", "f(2);}\nTEST(a, c) { g(2, 3);"), _sample("f(2);", "// f(2);"),
         _sample("f(2);", "f(2);", made=""), _sample("f(2);\n//\n//   g();", "f(2);")],
        [_sample("f(2);  // as …", "f(\n2);"), _sample("f(…, 3); f();", "f(2, 3);\nf();"),
         _sample("f(2);\n//\n//   g();", "g(); f(2);"), _sample("1  words\n//   2  words", ""),
         _sample("f(2);") | {"examples/x.cpp": "f(2);", "examples/CMakeLists.txt": "pinion_example(x)"}],
    ),
    "plain words": ([{"a.md": "It is blazing fast.\n"}, {"a.md": "World-class\n"}], [{"a.md": "It takes 5 ns.\n"}]),
}
