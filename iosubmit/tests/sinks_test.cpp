// SPDX-License-Identifier: Apache-2.0
//
// Completions that are no operation's: which sink is told, which mark is free, and what becomes of those that
// are nobody's.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <string>
#include <vector>

#include "over_virtual.hpp"

namespace pinion::iosubmit {
namespace {

using testing::device_read;

using sinks_test = testing::over_virtual_test;

using names = std::vector<std::uint64_t>;
callback<const ring_completion&> into(names& told) {
  return {.function =
              [](void* context, const ring_completion& message) noexcept {
                static_cast<names*>(context)->push_back(message.user_data);
              },
          .context = &told};
}
ring_entry watched_read(std::uint64_t user_data) {
  ring_entry watched = device_read();
  watched.user_data = user_data;
  return watched;
}

TEST_F(sinks_test, TellsMessagesAndWatchesToTheSinkOfTheirMark) {
  names told, others;
  const std::uint8_t mark = io.add_sink(into(told)).value(), other = io.add_sink(into(others)).value();
  const ring_entry watched = watched_read(8U | mark);

  EXPECT_TRUE(io.watch(watched));
  EXPECT_EQ(io.park(instant{1'000}), 0U);
  EXPECT_EQ(io.in_flight(), 0U) << "a watch is not counted";
  io.ring().deliver({.user_data = 16U | other, .result = 1, .flags = 0});
  io.ring().deliver({.user_data = ~std::uint64_t{7} | mark, .result = 1, .flags = 0});
  io.ring().deliver({.user_data = 16U | 7U, .result = 1, .flags = 0});  // nobody's
  EXPECT_EQ(io.park(never), 3U);
  EXPECT_EQ(io.park(never), 1U);

  EXPECT_EQ(told, (names{~std::uint64_t{7} | mark, 8U | mark}));
  EXPECT_EQ(others, names{16U | other});
#if PINION_COUNTED
  EXPECT_EQ(io.statistics().dropped, 1U);
#endif
  EXPECT_EQ(io.in_flight(), 0U);
  io.queue(first);
  io.park(instant{1'150});
  EXPECT_EQ(io.in_flight(), 1U) << "nobody's message takes one off";
}

TEST_F(sinks_test, HasSixMarksForSinksAndSaysWhichAreInUse) {
  names told;
  for (std::uint8_t mark = 2; mark != 8; ++mark) EXPECT_EQ(io.add_sink(into(told)).value(), mark);

  const auto none = io.add_sink(into(told));

  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, std::errc::device_or_resource_busy);
  EXPECT_EQ(none.error().reason,
            "all six are in use; with a sink: 2, 3, 4, 5, 6, 7; removed 256 times, with a watch that has not "
            "ended: none");
  io.remove_sink(3);
  EXPECT_EQ(io.add_sink(into(told)).value(), 3);
}

// A watch that is left behind, in flight or still queued, keeps no mark, and tells nobody.
TEST_F(sinks_test, GivesAMarkAgainAtOnceAndTellsItsNextSinkNothingOfAnEarlierOnesWatch) {
  names before, after;
  io.ring().serve([](const ring_entry&, instant) -> sim::virtual_answer { return {.at = never}; });
  for (std::uint8_t mark = 3; mark != 8; ++mark) static_cast<void>(io.add_sink(into(after)).value());
  const std::uint8_t mark = io.add_sink(into(before)).value();
  ASSERT_TRUE(io.watch(watched_read(8U | mark)));
  io.park(clock.time());

  ASSERT_TRUE(io.unwatch(8U | mark));
  io.remove_sink(mark);
  EXPECT_EQ(io.add_sink(into(after)).value(), mark);
  ASSERT_TRUE(io.watch(watched_read(8U | mark)));
  io.park(never);
  io.park(clock.time());

  EXPECT_EQ(before, names{});
  EXPECT_EQ(after, names{}) << "the end of an earlier watch with its name, and its cancel's answer";
  ASSERT_TRUE(io.unwatch(8U | mark));
  io.park(never);
  io.park(clock.time());
  EXPECT_EQ(after, (names{8U | mark, 8U | mark})) << "its own watch's end, and its cancel's answer";
  io.remove_sink(mark);
}

TEST_F(sinks_test, RefusesAMarkWhoseSinksHaveLeftTooManyWatches) {
  names told;
  io.ring().serve([](const ring_entry&, instant) -> sim::virtual_answer { return {.at = never}; });
  for (std::uint8_t mark = 3; mark != 8; ++mark) static_cast<void>(io.add_sink(into(told)).value());
  std::uint8_t mark = io.add_sink(into(told)).value();
  ASSERT_TRUE(io.watch(watched_read(8U | mark)));

  for (int times = 1; times != 256; ++times) {
    io.remove_sink(mark);
    ASSERT_EQ(io.add_sink(into(told)).value(), mark) << times;
  }
  io.remove_sink(mark);
  const auto none = io.add_sink(into(told));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().reason, "all six are in use; with a sink: 2, 3, 4, 5, 6; removed 256 times, with a "
                                 "watch that has not ended: 7");
  io.stop();

  EXPECT_EQ(io.add_sink(into(told)).value(), mark) << "they have ended";
  EXPECT_EQ(told, names{});
}

TEST_F(sinks_test, EndsAWatchThatIsNotTheKernelsYet) {
  names told;
  const std::uint8_t mark = io.add_sink(into(told)).value();
  ASSERT_TRUE(io.watch(watched_read(8U | mark)));

  io.stop();

  EXPECT_EQ(told, names{8U | mark});
  EXPECT_EQ(io.in_flight(), 0U);
}

std::string reported;
TEST_F(sinks_test, CallsNobodyForAMessageThatNamesNoAnswer) {
  reported.clear();
  const diagnostic_sink before =
      set_diagnostic_sink([](const diagnostic& what) noexcept { reported.append(what.key).append(" "); });
  io.queue(first);
  io.park(clock.time());

  for (const std::uint64_t foreign :
       {0ULL, 1ULL, 8ULL, 9ULL, 1ULL << 20U | 1, (1ULL << 48U) - 7, ~7ULL, ~6ULL})
    io.ring().deliver({.user_data = foreign, .result = 1, .flags = 0});
  EXPECT_EQ(io.turn(clock.time()), 8U);

  set_diagnostic_sink(before);
  EXPECT_EQ(reported, "stranger stranger stranger stranger stranger stranger stranger stranger ");
  EXPECT_EQ(first.answers, 0);
  EXPECT_EQ(io.in_flight(), 1U) << "nobody's message takes one off";
}

TEST_F(sinks_test, AWatchNeedsAMark) {
  if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";

  EXPECT_DEATH(io.watch(device_read()), "mark of 2 or more");
  EXPECT_DEATH(io.watch(watched_read(1ULL << 48U | 2)), "upper 16 bits clear");
}

TEST_F(sinks_test, ASinkIsRemovedOnce) {
  if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
  names told;
  const std::uint8_t mark = io.add_sink(into(told)).value();
  io.remove_sink(mark);

  EXPECT_DEATH(io.remove_sink(mark), "a sink was removed that is not there");
}

}  // namespace
}  // namespace pinion::iosubmit
