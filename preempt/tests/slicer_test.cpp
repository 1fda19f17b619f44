// SPDX-License-Identifier: Apache-2.0
//
// slicer: that source, word, rule and log go together; and what is said of a check outside every slice.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>
#include <pinion/preempt.hpp>
#include <string>
#include <type_traits>

namespace pinion::preempt {
namespace {

constexpr duration ms{1'000'000};

// Notes how it is driven.
struct noted_source {
  static constexpr source_traits traits{};
  slice_word word_;
  instant began{0}, until{0};
  int begins = 0, rests = 0;

  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant now, instant end) noexcept {
    began = now;
    until = end;
    ++begins;
    word_.begin();
  }
  void rest() noexcept { ++rests; }
};
static_assert(preempt_source<noted_source>);
static_assert(!std::is_copy_constructible_v<slicer<noted_source>>, "words are pointed at");

TEST(Slicer, BeginsASliceOfTheRulesLengthInSourceAndLog) {
  slicer<noted_source> slices;
  const auto batch = slices.add({.quantum = ms * 10}).value();
  const auto serve = slices.add({.quantum = ms, .latency = ms * 2}).value();

  slices.begin(batch, {.now = instant{5}, .others_ready = true});
  EXPECT_EQ(slices.source().began, instant{5});
  EXPECT_EQ(slices.source().until, instant{5} + ms * 2) << "what the other queue can bear";
  EXPECT_TRUE(slices.log().is_slicing());
  EXPECT_EQ(&slices.word(), &slices.source().word());
  slices.end(instant{5} + ms);
  EXPECT_FALSE(slices.log().is_slicing());
  slices.begin(serve, {.now = instant{5} + ms, .next_timer = never, .waits_for_others = true});
  EXPECT_EQ(slices.source().until, instant{5} + ms * 2);
  slices.end(instant{5} + ms * 2);
  EXPECT_EQ(slices.source().rests, 0);
  slices.rest();

  EXPECT_EQ(slices.source().begins, 2);
  EXPECT_EQ(slices.source().rests, 1);
  EXPECT_EQ(slices.counts(batch).slices, is_counted ? 1U : 0U);
  EXPECT_EQ(slices.counts(serve).longest, is_counted ? ms : duration{0});
}

TEST(Slicer, RefusesTermsAsTheRuleDoesAndKeepsWhatItHad) {
  slicer<noted_source> slices;
  const auto batch = slices.add({.quantum = ms * 10}).value();

  EXPECT_FALSE(slices.add({.quantum = duration{1}}));
  EXPECT_FALSE(slices.change(batch, {.quantum = forever}));
  EXPECT_EQ(slices.rule().slice_of(batch), ms * 10);
  EXPECT_TRUE(slices.change(batch, {.quantum = ms}));
  EXPECT_EQ(slices.rule().slice_of(batch), ms);
}

TEST(Slicer, AQueueThatComesAgainIsCountedAnew) {
  if (!is_counted) GTEST_SKIP() << "this build counts nothing (PINION_STATISTICS=OFF)";
  slicer<noted_source> slices;
  const auto first = slices.add({}).value();
  slices.begin(first, {});
  slices.end(instant{7});
  slices.remove(first);

  const auto again = slices.add({}).value();

  EXPECT_EQ(again, first);
  EXPECT_EQ(slices.counts(again).slices, 0U);
}

TEST(Slicer, ASliceInsideASliceIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  slicer<noted_source> slices;
  const auto only = slices.add({}).value();
  slices.begin(only, {});

  EXPECT_DEATH(slices.begin(only, {}), "begun inside another one");

  slices.end(instant{0});
}

std::string last_key;

// What runs outside of every slice is never told to stop, however faithfully it checks.
TEST(SliceLog, ACheckOutsideEverySliceIsReportedInACheckedBuild) {
  slice_log log;
  queue_slices counts;
  last_key.clear();
  set_diagnostic_sink([](const diagnostic& said) noexcept { last_key = said.key; });

  log.began(counts, instant{0});
  log.checked();
  EXPECT_EQ(last_key, "");
  log.ended(instant{1});
  log.checked();
  set_diagnostic_sink(nullptr);

  EXPECT_EQ(last_key, is_checked ? "check-outside-slice" : "");
}

}  // namespace
}  // namespace pinion::preempt
