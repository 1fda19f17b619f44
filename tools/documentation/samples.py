# SPDX-License-Identifier: Apache-2.0
"""A header, a module and pages that have every fault which the site's build is to find, and the answers.

The header holds what readers of headers stumble over: an inline namespace that a macro names, concepts,
requires-clauses, attributes, friends, constructors with initializers, what only some builds have, text that looks like
code.
"""

HEADER = """\
// SPDX-License-Identifier: Apache-2.0
//
// gear, mesh(): a sample, told as every header is.
//
// It opens with why. `teeth()` and slip_of() are names, 2 < 3 is none.
//
//   gear<int> g{1};
//
// G1  First law. It holds
//     on two lines.
// G2  Second law, named by G1.
#pragma once

#define PINION_SAMPLE inline_part
#define PINION_SAMPLE_BARE 1

namespace pinion::sample::inline PINION_SAMPLE {

namespace sample_detail {
struct hidden {};
}  // namespace sample_detail

/// What turns.
template <class Wheel> concept turns = requires(Wheel& wheel) {
  wheel.turn();  // once; and again
};

/// How it runs.
enum class pace { slow, fast };

template <class Value>
  requires(sizeof(Value) < 64)
class gear {
 public:
  /// Makes one of `count` teeth. Like T<a>.
  [[nodiscard]] explicit gear(int count, const char* name = "a{;}b") noexcept : count_(count), name_{name} {}
  gear(const gear&) = delete;
  /// How many teeth; `count` is no link, `work` is.
  [[nodiscard]] int teeth() const noexcept { return count_; }
  void teeth(int count) noexcept { count_ = count; }

  int undocumented() const;

  friend bool operator==(const gear&, const gear&) = default;

#if PINION_SAMPLE_BARE
  /// Only sometimes. (G2)
  int work() const;
#endif

  /// How many there are.
  int count() const;

  struct shape {
    int width = 1;  ///< in steps
    int height;
  };

 private:
  int private_member() const;
  int count_;
  const char* name_;
};

/// Meshes two.
template <turns A, turns B>
  requires requires(A a, B b) { a == b; }
void mesh(A& a, B& b);

int bare();

// ---- Implementation ----

inline int below() { return 1; }

}  // namespace pinion::sample::inline PINION_SAMPLE
"""

# Every entry of the reference, and the contract that it has.
ENTRIES = {
    "turns": ("template <class Wheel> concept turns = requires(Wheel& wheel) {\n"
              "  wheel.turn();  // once; and again\n}", "What turns."),
    "pace": ("enum class pace", "How it runs."),
    "pace.slow": ("slow", ""),
    "pace.fast": ("fast", ""),
    "gear": ("template <class Value>\n  requires(sizeof(Value) < 64)\nclass gear", ""),
    "gear.gear": ('[[nodiscard]] explicit gear(int count, const char* name = "a{;}b") noexcept',
                  "Makes one of `count` teeth. Like T<a>."),
    "gear.teeth": ("[[nodiscard]] int teeth() const noexcept", "How many teeth; `count` is no link, `work` is."),
    "gear.undocumented": ("int undocumented() const", ""),
    "gear.operator-equal-equal": ("friend bool operator==(const gear&, const gear&) = default", ""),
    "gear.work": ("int work() const", "Only sometimes. (G2)"),
    "gear.count": ("int count() const", "How many there are."),
    "gear.shape": ("struct shape", ""),
    "gear.shape.width": ("int width = 1", "in steps"),
    "gear.shape.height": ("int height", ""),
    "mesh": ("template <turns A, turns B>\n  requires requires(A a, B b) { a == b; }\nvoid mesh(A& a, B& b)",
             "Meshes two."),
    "bare": ("int bare()", ""),
    "PINION_SAMPLE": ("#define PINION_SAMPLE", ""),
    "PINION_SAMPLE_BARE": ("#define PINION_SAMPLE_BARE", ""),
}

# What has no contract and needs one.
UNDOCUMENTED = ("pinion::sample::gear::undocumented", "pinion::sample::gear::shape", "pinion::sample::bare",
                "PINION_SAMPLE", "PINION_SAMPLE_BARE")

# What the page says, and what it must not say.
SHOWN = ("[`gear`](/reference/sample/x.html#gear), [`mesh()`](/reference/sample/x.html#mesh): a sample",
         "`slip_of()` are names, 2 &lt; 3 is none", "```cpp\ngear<int> g{1};\n```", '<div class="law" id="G1">',
         "**First law.** It holds on two lines.", "named by [G1](/reference/sample/x.html#G1)", "Like T&lt;a>.",
         "Only where `PINION_SAMPLE_BARE`.",
         "void teeth(int count) noexcept;\n```\n\nHow many teeth; `count` is no link, [`work`](",
         "[`teeth()`](/reference/sample/x.html#gear.teeth)", "#include <pinion/sample/x.hpp>", "import pinion.sample;")
HIDDEN = ("private_member", "count_;", "hidden", "below", "inline_part", "count_(count)")

MODULE = """\
module;
#include <pinion/sample/x.hpp>
export module pinion.sample;
export namespace pinion::sample {
using pinion::sample::gear;  // using nothing;
#if PINION_SAMPLE_BARE
using pinion::sample::operator<=>;
#endif
using enum pinion::sample::pace;
}
"""
EXPORTED = [(5, "pinion::sample::gear"), (7, "pinion::sample::operator<=>"), (9, "using enum pinion::sample::pace")]

# Finished pages, and for each fault words that it has to be told with.
SITE = {
    "index.html": '<meta name="origin" content="README.md"><h1 id="top">x</h1><a href="a/b.html#there">x</a>'
                  '<a href="#top">x</a><a href="a/data%20one.csv">x</a><a href="https://example.invalid/">x</a>'
                  '<img src="icon.svg">',
    "a/b.html": '<p id="there">x</p><a href="../index.html">x</a><link rel="stylesheet" href="../style.css">',
    "a/data one.csv": "1,2",
    "icon.svg": "<svg/>",
    "style.css": "p { background: url(data:image/png;base64,AA); }",
}
BROKEN = {
    '<a href="nowhere.html">x</a>': "no nowhere.html",
    '<a href="a/b.html#nowhere">x</a>': "a/b.html has no place of that name",
    '<a href="#nowhere">x</a>': "README.md has no place of that name",
    '<a href="a/">x</a>': "there is no a",
    '<a href="/a/b.html">x</a>': "leave the site",
    '<img src="nowhere.svg">': "no nowhere.svg",
    '<p id="top">x</p>': "two places",
    '<script src="https://example.invalid/x.js"></script>': "nothing from elsewhere",
    '<link rel="stylesheet" href="//example.invalid/x.css">': "nothing from elsewhere",
    '<style>@import "https://example.invalid/x.css";</style>': "nothing from elsewhere",
}
