// SPDX-License-Identifier: Apache-2.0
//
// Entries that a bitmap_wheel owns. AddressSanitizer sees a leak, and an entry that is freed twice or used
// after.
#include <gtest/gtest.h>

#include <memory>
#include <pinion/timer.hpp>
#include <vector>

#include "allocations.hpp"

namespace pinion::timer {
namespace {

using entry = bitmap_wheel::entry;

constexpr instant ms(std::uint64_t n) { return instant{n * 1'000'000}; }

// What the levels reach, in milliseconds.
constexpr std::uint64_t range_ms = 1ULL << 30;

/// A waker that adds the entry's word to a list, its context.
void note(entry& e) { static_cast<std::vector<std::uint64_t>*>(e.context)->push_back(e.user); }

TEST(bitmap_wheel_entries, AnEntryGivenToTheWheelIsFreedWhenItHasFired) {
  bitmap_wheel wheel{instant{0}};
  std::vector<std::uint64_t> woken;
  const std::size_t before = testing::allocations_alive();

  wheel.schedule(std::make_unique<entry>(note, &woken, 7), ms(5));
  EXPECT_EQ(testing::allocations_alive(), before + 1);
  wheel.poll(ms(5));

  EXPECT_EQ(woken, std::vector<std::uint64_t>{7});
  EXPECT_EQ(testing::allocations_alive(), before + 1) << "the list's; not the entry's";
}

TEST(bitmap_wheel_entries, AnEntryGivenToTheWheelIsFreedWhenItIsCancelledClearedOrTheWheelDies) {
  const std::size_t before = testing::allocations_alive();
  {
    bitmap_wheel wheel{instant{0}};
    const std::size_t empty = testing::allocations_alive();
    entry& cancelled = wheel.schedule(std::make_unique<entry>(), ms(5));
    EXPECT_TRUE(wheel.cancel(cancelled));
    EXPECT_EQ(testing::allocations_alive(), empty);

    for (const instant when :
         {instant{0}, ms(1), ms(100'000), ms(2 * range_ms), never - duration{1}, never}) {
      wheel.schedule(std::make_unique<entry>(), when);
    }
    wheel.clear();
    EXPECT_EQ(testing::allocations_alive(), empty);
    EXPECT_EQ(wheel.size(), 0U);

    for (const instant when :
         {instant{0}, ms(1), ms(100'000), ms(2 * range_ms), never - duration{1}, never}) {
      wheel.schedule(std::make_unique<entry>(), when);
    }
  }
  EXPECT_EQ(testing::allocations_alive(), before);
}

TEST(bitmap_wheel_entries, AnEntryOfTheWheelsThatIsArmedAgainInItsWakerIsKept) {
  bitmap_wheel wheel{instant{0}};
  std::uint64_t times = 0;
  struct both {
    bitmap_wheel& wheel;
    std::uint64_t& times;
  } context{wheel, times};
  const std::size_t before = testing::allocations_alive();
  wheel.schedule(std::make_unique<entry>(
                     [](entry& e) {
                       const both& b = *static_cast<both*>(e.context);
                       if (++b.times < 3) b.wheel.schedule(e, e.deadline() + duration{1'000'000});
                     },
                     &context),
                 ms(1));

  wheel.poll(ms(1));
  wheel.poll(ms(2));
  EXPECT_EQ(times, 2U);
  EXPECT_EQ(testing::allocations_alive(), before + 1);
  wheel.poll(ms(3));

  EXPECT_EQ(times, 3U);
  EXPECT_EQ(testing::allocations_alive(), before) << "freed when it was not armed again";
}

TEST(bitmap_wheel_entries, AnEntryOfTheWheelsIsFreedThoughItsSinkThrows) {
  bitmap_wheel wheel{instant{0}};
  const std::size_t before = testing::allocations_alive();
  wheel.schedule(std::make_unique<entry>(), ms(5));
  wheel.schedule(std::make_unique<entry>(), ms(5));

  try {
    wheel.poll(ms(5), unlimited, [](entry&) { throw 1; });
    FAIL() << "what the sink throws passes through";
  } catch (int) {
    EXPECT_EQ(wheel.size(), 1U);
    EXPECT_EQ(wheel.next_wakeup(), ms(5)) << "the other is still due";
  }
  EXPECT_EQ(testing::allocations_alive(), before + 1);
  EXPECT_EQ(wheel.poll(ms(5)).fired, 1U);

  EXPECT_EQ(testing::allocations_alive(), before);
}

TEST(bitmap_wheel_entries, ClearInsideAWakerFreesTheOthersAndNotTheOneThatIsCalled) {
  bitmap_wheel wheel{instant{0}};
  const std::size_t before = testing::allocations_alive();
  const auto clear_all = [](entry& e) {
    static_cast<bitmap_wheel*>(e.context)->clear();
    e.user = 1;  // it is still there
  };
  for (int k = 0; k < 3; ++k) wheel.schedule(std::make_unique<entry>(clear_all, &wheel), ms(5));

  EXPECT_EQ(wheel.poll(ms(5)).fired, 1U);

  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(testing::allocations_alive(), before);
}

TEST(bitmap_wheel_entries, AGivenEntryThatItsSinkArmsAndCancelsOutlivesTheSink) {
  for (const bool clears : {false, true}) {
    bitmap_wheel timers{instant{0}};
    timers.schedule(std::make_unique<bitmap_wheel::entry>(nullptr, nullptr, 7), instant{1'000'000});
    std::uint64_t user = 0;

    timers.poll(instant{2'000'000}, unlimited, [&](bitmap_wheel::entry& e) {
      timers.schedule(e, instant{9'000'000});
      if (clears) {
        timers.clear();
      } else {
        timers.cancel(e);
      }
      user = e.user;
    });

    EXPECT_EQ(user, 7U);
    EXPECT_EQ(timers.size(), 0U);
  }
}

TEST(bitmap_wheel_entries, AnUncheckedBuildKeepsAnEntryOfAnotherWheelWholeAndFreesItOnce) {
  if (is_checked) GTEST_SKIP() << "a contract violation: does not return in a checked build";
  const std::size_t before = testing::allocations_alive();
  {
    bitmap_wheel wheel{instant{0}};
    bitmap_wheel other{instant{0}};
    entry& given = other.schedule(std::make_unique<entry>(), ms(5));

    EXPECT_FALSE(wheel.cancel(given));
    EXPECT_FALSE(wheel.reschedule(given, ms(2)));
    EXPECT_EQ(wheel.size(), 0U);
    EXPECT_EQ(other.size(), 1U);

    wheel.schedule(given, ms(9));
    EXPECT_EQ(wheel.size(), 1U);
    EXPECT_EQ(other.size(), 0U);
    EXPECT_EQ(wheel.poll(ms(9)).fired, 1U);
  }
  EXPECT_EQ(testing::allocations_alive(), before);
}

}  // namespace
}  // namespace pinion::timer
