// SPDX-License-Identifier: Apache-2.0
//
// What models preempt_source, and what doesn't.
#include <gtest/gtest.h>

#include <pinion/preempt.hpp>
#include <type_traits>

namespace pinion::preempt {
namespace {

// The least that is a source; each below takes something away.
struct least {
  static constexpr source_traits traits{};
  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant, instant) noexcept {}
  void rest() noexcept {}
  slice_word word_;
};
static_assert(preempt_source<least>);

struct without_traits : least {
 private:
  using least::traits;
};
struct with_a_word_of_its_own : least {
  [[nodiscard]] const slice_word& word() const noexcept { return word_; }
};
struct with_a_word_that_can_be_written : least {
  [[nodiscard]] preempt::word& word() const noexcept;
};
struct with_a_word_by_value : least {
  [[nodiscard]] bool word() const noexcept;
};
struct that_looks_only_if_not_const : least {
  [[nodiscard]] const preempt::word& word() noexcept { return word_; }
};
struct that_may_throw_as_it_begins : least {
  void begin(instant, instant) {}
};
struct that_takes_a_length : least {
  void begin(duration) noexcept {}
};
struct that_never_rests : least {
  void rest() noexcept = delete;
};
struct that_may_throw_as_it_rests : least {
  void rest() {}
};
static_assert(!preempt_source<without_traits>);
static_assert(!preempt_source<with_a_word_of_its_own>);
static_assert(!preempt_source<with_a_word_that_can_be_written>);
static_assert(!preempt_source<with_a_word_by_value>);
static_assert(!preempt_source<that_looks_only_if_not_const>);
static_assert(!preempt_source<that_may_throw_as_it_begins>);
static_assert(!preempt_source<that_takes_a_length>);
static_assert(!preempt_source<that_never_rests>);
static_assert(!preempt_source<that_may_throw_as_it_rests>);

// A promise holds a pointer to the word: no source may be moved under it, and no word be anybody's to write.
template <class Source>
constexpr bool stays = !std::is_copy_constructible_v<Source> && !std::is_move_constructible_v<Source> &&
                       !std::is_copy_assignable_v<Source> && !std::is_move_assignable_v<Source>;
static_assert(stays<ticker_source> && stays<operation_budget> && stays<always_due> && stays<never_due> &&
              stays<scripted_source>);
static_assert(stays<word> && stays<slice_word> && stays<asking_word>);
static_assert(!std::is_default_constructible_v<word> && !std::is_destructible_v<word>,
              "only a source makes and ends a word");

TEST(ConceptTest, ASourceMayBeWrittenInFourLines) {
  least source;

  source.begin(instant{1}, instant{2});

  EXPECT_FALSE(source.word().is_due());
}

}  // namespace
}  // namespace pinion::preempt
