// SPDX-License-Identifier: Apache-2.0
//
// The board without a thread: when it ends slices, when it wants to be asked again, and what it tells of.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <pinion/preempt.hpp>
#include <vector>

#include "watched_sync.hpp"

namespace pinion::preempt {
namespace {

using testing::watched_sync;

constexpr duration resolution{100};

constexpr instant at(std::uint64_t ns) { return instant{ns}; }

TEST(TickBoardTest, EndsASliceAtItsEndAndNotBefore) {
  tick_board board{resolution};
  ticked_slice slice;
  board.add(slice, {});
  slice.begin(at(1'050));

  EXPECT_EQ(board.tick(at(1'000)), at(1'050));
  EXPECT_EQ(board.tick(at(1'049)), at(1'050));
  EXPECT_FALSE(slice.word().is_due());

  EXPECT_EQ(board.tick(at(1'050)), at(1'150));
  EXPECT_TRUE(slice.word().is_due());
}

TEST(TickBoardTest, WantsToBeAskedAtTheFirstEndAndNeverLaterThanItsResolution) {
  tick_board board{resolution};
  ticked_slice early, late, none;
  for (ticked_slice* each : {&early, &late, &none}) board.add(*each, {});
  EXPECT_EQ(board.size(), 3U);

  late.begin(at(9'000));
  EXPECT_EQ(board.tick(at(1'000)), at(1'100));
  early.begin(at(1'070));
  EXPECT_EQ(board.tick(at(1'000)), at(1'070));
}

TEST(TickBoardTest, IsQuietWhileNoSliceHasAnEnd) {
  tick_board board{resolution};
  ticked_slice one, other;
  board.add(one, {});
  board.add(other, {});
  EXPECT_TRUE(board.is_quiet_until(never));
  EXPECT_EQ(board.tick(at(1'000)), never);

  one.begin(at(2'000));
  EXPECT_FALSE(board.is_quiet_until(never));
  EXPECT_NE(board.tick(at(1'000)), never);
  one.begin(never);

  EXPECT_TRUE(board.is_quiet_until(never));
  EXPECT_EQ(board.tick(at(3'000)), never);
  EXPECT_FALSE(one.word().is_due());
}

TEST(TickBoardTest, IsQuietUntilTheFirstEndOfASliceThatIsNotOver) {
  tick_board board{resolution};
  ticked_slice one, other;
  board.add(one, {});
  board.add(other, {});
  one.begin(at(2'000));
  other.begin(at(3'000));

  EXPECT_TRUE(board.is_quiet_until(at(2'000)));
  EXPECT_FALSE(board.is_quiet_until(at(2'001)));
  static_cast<void>(board.tick(at(2'000)));
  EXPECT_TRUE(board.is_quiet_until(at(3'000)));
  EXPECT_FALSE(board.is_quiet_until(at(3'001)));
}

// One after the other, each of that length, over at its end; the last one's end.
instant run_slices(ticked_slice& slice, int count, duration length, instant from) {
  for (; count != 0; --count) {
    static_cast<void>(slice.begin(from + length, length));
    from = from + length;
  }
  return from;
}

TEST(TickBoardTest, LooksNoSoonerThanASliceThatBeginsMeanwhileCouldBeOver) {
  constexpr duration length{5'000};
  tick_board board{resolution};
  ticked_slice slice;
  board.add(slice, {});
  run_slices(slice, 64, length, at(0));

  static_cast<void>(slice.begin(at(1'009'000), duration{9'000}));

  EXPECT_EQ(board.tick(at(1'000'000)), at(1'005'000));
  EXPECT_EQ(board.tick(at(1'009'000)), at(1'014'000)) << "over: the next may begin at once";
}

TEST(TickBoardTest, IsToldOfTheFirstSliceAndOfOneThatIsShorterThanAllLately) {
  ticked_slice slice;

  EXPECT_TRUE(slice.begin(at(5'000), duration{5'000})) << "none had an end";
  EXPECT_FALSE(slice.begin(at(10'000), duration{5'000}));
  instant now = run_slices(slice, 126, duration{5'000}, at(10'000));
  EXPECT_FALSE(slice.begin(now + duration{5'000}, duration{5'000}));
  EXPECT_TRUE(slice.begin(now + duration{4'999}, duration{4'999}));
  EXPECT_FALSE(slice.begin(now + duration{4'999}, duration{4'999})) << "known by now";
  slice.begin(never);
  EXPECT_TRUE(slice.begin(now + duration{5'000}, duration{5'000})) << "it rested";
}

TEST(TickBoardTest, ForgetsAShortSliceAfterAsManyAsItRemembers) {
  tick_board board{resolution};
  ticked_slice slice;
  board.add(slice, {});
  instant now = run_slices(slice, 64, duration{5'000}, at(0));
  now = run_slices(slice, 1, duration{300}, now);
  now = run_slices(slice, 63, duration{5'000}, now);
  static_cast<void>(slice.begin(now + duration{9'000}, duration{9'000}));
  EXPECT_EQ(board.tick(now), now + duration{300});

  now = run_slices(slice, 63, duration{5'000}, now);

  static_cast<void>(slice.begin(now + duration{9'000}, duration{9'000}));
  EXPECT_EQ(board.tick(now), now + duration{5'000});
}

TEST(TickBoardTest, LooksNoMoreAtASliceThatWasRemoved) {
  tick_board board{resolution};
  ticked_slice gone, stays;
  board.add(gone, {});
  board.add(stays, {});
  gone.begin(at(10));
  stays.begin(at(10));

  board.remove(gone);
  static_cast<void>(board.tick(at(20)));

  EXPECT_FALSE(gone.word().is_due());
  EXPECT_TRUE(stays.word().is_due());
  EXPECT_EQ(board.size(), 1U);
}

TEST(TickBoardTest, EndsNoSliceThatBeganAfterItLooked) {
  basic_tick_board<watched_sync> board{resolution};
  basic_ticked_slice<watched_sync> slice;
  board.add(slice, {});
  slice.begin(at(1'000));
  watched_sync::before_exchange = [&] { slice.begin(at(2'000)); };

  static_cast<void>(board.tick(at(1'000)));

  EXPECT_FALSE(slice.word().is_due());
  static_cast<void>(board.tick(at(2'000)));
  EXPECT_TRUE(slice.word().is_due());
}

TEST(TickBoardTest, EndsSlicesAlsoWhereTheirNumberBeginsAnew) {
  basic_tick_board<watched_sync> board{resolution};
  basic_ticked_slice<watched_sync> slice{(1U << 29U) - 2};
  board.add(slice, {});

  for (std::uint64_t k = 1; k <= 5; ++k) {
    slice.begin(at(k * 1'000));
    EXPECT_FALSE(slice.word().is_due());
    watched_sync::before_exchange = [&] { slice.begin(at(k * 1'000 + 500)); };
    static_cast<void>(board.tick(at(k * 1'000)));
    EXPECT_FALSE(slice.word().is_due()) << "slice " << k;
    static_cast<void>(board.tick(at(k * 1'000 + 500)));
    EXPECT_TRUE(slice.word().is_due()) << "slice " << k;
  }
}

// Notes what it is told, as a thread that tells at once would.
struct watched_board {
  std::vector<stall> told;
  tick_board board{resolution};
  ticked_slice slice;

  watched_board() {
    board.add(slice, {.after = duration{250},
                      .hook = {.function =
                                   [](void* self, const stall& seen) noexcept {
                                     static_cast<watched_board*>(self)->told.push_back(seen);
                                   },
                               .context = this},
                      .who = &told});
  }
  instant tick(instant now) {
    const instant next = board.tick(now);
    while (const auto seen = board.take_stall()) seen->tell();
    return next;
  }
};

TEST(TickBoardTest, TellsOfAStallOnceAtItsTime) {
  watched_board on;
  on.slice.begin(at(1'000));

  EXPECT_EQ(on.tick(at(1'000)), at(1'100));
  EXPECT_EQ(on.tick(at(1'100)), at(1'200));
  EXPECT_EQ(on.tick(at(1'200)), at(1'250)) << "the moment to tell of it";
  EXPECT_TRUE(on.told.empty());
  static_cast<void>(on.tick(at(1'260)));
  static_cast<void>(on.tick(at(9'000)));

  ASSERT_EQ(on.told.size(), 1U);
  EXPECT_EQ(on.told[0].length, duration{260});
  EXPECT_TRUE(on.told[0].lasts);
  EXPECT_EQ(on.told[0].who, &on.told);
}

TEST(TickBoardTest, TellsOfAStallAtItsTimeThoughSlicesAreLong) {
  watched_board on;
  for (std::uint64_t k = 1; k <= 1'000; ++k)
    static_cast<void>(on.slice.begin(at(k * 100'000), duration{100'000}));
  const std::uint64_t end = 100'000'000;

  EXPECT_EQ(on.tick(at(end)), at(end + 250)) << "not when another such slice could be over";
  static_cast<void>(on.tick(at(end + 250)));

  ASSERT_EQ(on.told.size(), 1U);
  EXPECT_EQ(on.told[0].length, duration{250});
}

TEST(TickBoardTest, LooksAgainSoonAfterItHasEndedWhatWasAStallAlready) {
  watched_board on;
  for (std::uint64_t k = 1; k <= 1'000; ++k)
    static_cast<void>(on.slice.begin(at(k * 100'000), duration{100'000}));

  EXPECT_EQ(on.tick(at(100'000'900)), at(100'001'000));
  static_cast<void>(on.tick(at(100'001'000)));

  EXPECT_EQ(on.told.size(), 1U);
}

TEST(TickBoardTest, TellsOfNothingThatItHasOnlyJustEnded) {
  watched_board on;
  on.slice.begin(at(1'000));

  // So late itself that the slice would be a stall: its owner has not had the time to see the word.
  static_cast<void>(on.tick(at(5'000)));
  EXPECT_TRUE(on.told.empty());
  on.slice.begin(at(9'000));
  static_cast<void>(on.tick(at(5'100)));

  EXPECT_TRUE(on.told.empty());
}

TEST(TickBoardTest, TellsOfNothingAtRest) {
  watched_board on;
  on.slice.begin(at(1'000));
  static_cast<void>(on.tick(at(1'000)));

  on.slice.begin(never);

  EXPECT_EQ(on.tick(at(9'000)), never);
  EXPECT_TRUE(on.told.empty());
}

// Three owners who each stall, one after the other, before anybody takes what was seen.
struct stalled_board {
  tick_board board{resolution};
  std::array<ticked_slice, 3> slices;
  std::array<int, 3> names{};

  stalled_board() {
    constexpr std::array<std::size_t, 3> order{1, 2, 0};
    for (std::size_t k = 0; k < slices.size(); ++k)
      board.add(slices[k], {.after = duration{250},
                            .hook = {.function = [](void*, const stall&) noexcept {}},
                            .who = &names[k]});
    for (std::size_t k = 0; k < slices.size(); ++k) stalls(order[k], k * 1'000);
  }
  // A slice of it begins then, and is seen 300 after its end.
  void stalls(std::size_t which, std::uint64_t from) {
    slices[which].begin(at(from + 100));
    static_cast<void>(board.tick(at(from + 100)));
    static_cast<void>(board.tick(at(from + 400)));
  }
};

TEST(TickBoardTest, GivesStallsInTheOrderInWhichItSawThem) {
  stalled_board on;

  for (const std::size_t expected : {1U, 2U, 0U}) {
    EXPECT_TRUE(on.board.has_stall());
    const auto seen = on.board.take_stall();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->slice, &on.slices[expected]);
    EXPECT_EQ(seen->watch.who, &on.names[expected]);
    EXPECT_EQ(seen->length, duration{300});
  }
  EXPECT_FALSE(on.board.has_stall());
  EXPECT_FALSE(on.board.take_stall());
}

TEST(TickBoardTest, KeepsOneStallOfAnOwnerTheLatest) {
  stalled_board on;
  on.slices[2].begin(at(9'000));
  static_cast<void>(on.board.tick(at(9'000)));
  static_cast<void>(on.board.tick(at(9'777)));

  std::vector<duration> lengths;
  while (const auto seen = on.board.take_stall()) lengths.push_back(seen->length);

  EXPECT_EQ(lengths, (std::vector{duration{300}, duration{777}, duration{300}}));
}

TEST(TickBoardTest, DropsTheStallOfASliceThatWasRemoved) {
  stalled_board on;

  on.board.remove(on.slices[2]);

  EXPECT_EQ(on.board.take_stall()->slice, &on.slices[1]);
  EXPECT_EQ(on.board.take_stall()->slice, &on.slices[0]);
  EXPECT_FALSE(on.board.take_stall());
}

TEST(TickBoardTest, DropsAllStallsAndSeesLaterOnes) {
  stalled_board on;

  on.board.drop_stalls();
  EXPECT_FALSE(on.board.has_stall());
  on.stalls(0, 9'000);

  EXPECT_EQ(on.board.take_stall()->slice, &on.slices[0]);
}

}  // namespace
}  // namespace pinion::preempt
