// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of preempt's sources and rules open with, word for word, and what each
// claims.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <pinion/preempt/detail/posix_timer_calls.hpp>
#include <pinion/preempt/detail/tick_board.hpp>
#include <pinion/preempt/detail/tsc_clock.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace pinion::preempt {
namespace {

using namespace std::chrono_literals;

constexpr duration quantum = ceil(1h);  // nothing here is over before
const instant now = monotonic_clock::now();

struct my_log {
  std::vector<duration> seen;
  void add(const stall& what) { seen.push_back(what.length); }
};
void write_line(void* to, const stall& what) noexcept { static_cast<my_log*>(to)->add(what); }
void write_stack(void* /*nothing*/, const stall& /*what*/) noexcept {}

TEST(SamplesTest, ASourceEndsTheRunOfAQueue) {
  operation_budget source{{.operations = 3}};
  int queue = 10;
  const auto run = [](int& left, const word& due) {
    while (left != 0) {
      --left;
      if (due.is_due()) break;
    }
  };

  source.begin(now, now + quantum);  // others are ready, or a timer or I/O is waited for: due at that time
  run(queue, source.word());         // until it is empty, or the word is due
  source.rest();                     // nothing else wants this thread, or it parks: nothing is armed

  EXPECT_EQ(queue, 7);
  EXPECT_FALSE(source.word().is_due());
}

TEST(SamplesTest, TheDefaultSourceIsMadeOfNothing) {
  default_source source;
  source.begin(now, now + quantum);

  EXPECT_TRUE(!source.word().is_due() || default_source::traits.may_be_early);
}

TEST(SamplesTest, AStandInHasATimerRefused) {
  std::string said;
  try {
    struct full_queue : posix_timer_calls {
      static int open(int, timer_id&) noexcept { return -EAGAIN; }
    };
    basic_posix_timer_source<full_queue> source;  // throws, and says which limit, and how to raise it
  } catch (const std::system_error& refused) {
    said = refused.what();
  }

  EXPECT_NE(said.find("ulimit -i"), std::string::npos) << said;
}

TEST(SamplesTest, ABoardEndsSlicesAndTellsOfStalls) {
  tick_board board{duration{100}};
  my_log logger;
  const stall_watch watch{.after = ceil(1ms), .hook = {.function = write_line, .context = &logger}};
  int tells = 0;
  const auto tell = [&] { ++tells; };

  ticked_slice slice;
  board.add(slice, watch);                                    // the owner's; registered once
  if (slice.begin(now + quantum, quantum)) tell();            // the owner: stores, and seldom more
  const instant next = board.tick(now);                       // the other: ends what is over
  while (const auto told = board.take_stall()) told->tell();  // no code of a user's runs in tick()

  EXPECT_EQ(tells, 1) << "there was no slice before";
  EXPECT_LE(next, now + quantum);
  EXPECT_TRUE(logger.seen.empty());
  static_cast<void>(board.tick(now + quantum));
  static_cast<void>(board.tick(now + quantum + ceil(2ms)));
  while (const auto told = board.take_stall()) told->tell();
  EXPECT_TRUE(slice.word().is_due());
  EXPECT_EQ(logger.seen.size(), 1U);
  board.remove(slice);
}

TEST(SamplesTest, ASliceIsMeasuredByOneClock) {
  const duration length = quantum;

  tsc_counter counter;
  const tsc_scale scale = counter.scale();  // for one slice
  const std::uint64_t end = counter.read(scale) + scale.of(length);
  const bool is_over = counter.read(scale) >= end;

  EXPECT_FALSE(is_over);
}

TEST(SamplesTest, AnOperationBudgetIsSpent) {
  operation_budget source{{.operations = 128}};
  source.begin(now, now + quantum);      // the whole budget; the time says only that there is an end
  const bool is_over = source.spend(4);  // what a check asks with 1

  EXPECT_FALSE(is_over);
  EXPECT_EQ(source.left(), 124U);
}

TEST(SamplesTest, APosixTimerSourceIsNotDueBeforeItsTime) {
  // on the thread that runs slices
  posix_timer_source source{{.stalls = {.after = ceil(25ms), .hook = {.function = write_stack}}}};
  source.begin(now, now + quantum);  // two stores; a system call where no timer is armed, or only for later
  const bool is_over = source.word().is_due();
  source.rest();  // two stores

  EXPECT_FALSE(is_over);
}

TEST(SamplesTest, ASliceLogReportsASliceThatWasTooLong) {
  slice_log log;
  my_log logger;
  struct {
    queue_slices slices;
    int runs = 0;
  } queue;
  const auto run = [](auto& of) { ++of.runs; };
  struct {
    [[nodiscard]] static instant now() { return pinion::preempt::now + ceil(26ms); }
  } clock;

  log.report_above(ceil(25ms), {.function = write_line, .context = &logger});
  log.began(queue.slices, now);
  run(queue);
  log.ended(clock.now());  // reports a slice that was too long, law Y3

  EXPECT_EQ(queue.runs, 1);
  EXPECT_EQ(logger.seen, std::vector{ceil(26ms)});
}

TEST(SamplesTest, ASliceIsNoLongerThanTheOthersCanBear) {
  struct {
    instant end;
    void begin(instant, instant until) { end = until; }
  } source;
  const auto begin = [&] {
    slice_rule rule;
    const auto batch = rule.add({.quantum = ceil(10ms)});
    const auto serve = rule.add({.quantum = ceil(1ms), .latency = ceil(500us)});
    if (!batch || !serve) return;                                                // batch.error() says why
    source.begin(now, rule.end_of(*batch, {.now = now, .others_ready = true}));  // now + 500 us
  };

  begin();

  EXPECT_EQ(source.end, now + ceil(500us));
}

TEST(SamplesTest, ASlicerBeginsAndEndsSlices) {
  int queue = 3;
  struct {
    [[nodiscard]] static instant now() { return pinion::preempt::now + ceil(1ms); }
  } clock;
  const auto run = [](int& left, const word& due) {
    while (left != 0 && !due.is_due()) --left;
  };
  const auto turn = [&] {
    slicer<> slices;  // by default_source
    const auto batch = slices.add({.quantum = ceil(10ms)});
    const auto serve = slices.add({.quantum = ceil(1ms), .latency = ceil(500us)});
    if (!batch || !serve) return;  // batch.error() says why

    slices.begin(*batch, {.now = now, .others_ready = true});  // due when it should be over
    run(queue, slices.word());                                 // until it is empty, or the word is due
    slices.end(clock.now());                                   // the time that the loop reads anyway
    slices.rest();                                             // before it parks: nothing is armed
    EXPECT_EQ(slices.counts(*batch).longest, is_counted ? ceil(1ms) : duration{0});
  };

  turn();

  EXPECT_LE(queue, 3);
}

TEST(SamplesTest, AStallWatchIsGivenToASource) {
  my_log logger;

  constexpr auto note = [](void* to, const stall& seen) noexcept { static_cast<my_log*>(to)->add(seen); };
  const stall_watch watch{.after = ceil(25ms), .hook = {.function = note, .context = &logger}};
  ticker_source source{ticker::shared(), watch};
  watch.hook({.length = ceil(26ms), .lasts = true, .who = &source});

  EXPECT_EQ(logger.seen, std::vector{ceil(26ms)});
}

TEST(SamplesTest, ASourceHasTheSharedTickerOrAnotherOne) {
  ticker_source source;                     // by ticker::shared(), which is made at first use
  ticker mine{{.resolution = ceil(50us)}};  // one of your own outlives its sources: for slices below 200 us
  ticker_source finer{mine};
  finer.begin(now, now);
  while (!finer.word().is_due()) std_sync::yield();

  EXPECT_EQ(mine.options().resolution, ceil(50us));
  EXPECT_FALSE(source.word().is_due());
}

TEST(SamplesTest, ATickerSourceIsNotDueBeforeItsTime) {
  ticker_source source;
  source.begin(now, now + quantum);  // some stores; after rest() also a fence, and rarely a system call
  const bool is_over = source.word().is_due();
  source.rest();  // two stores

  EXPECT_FALSE(is_over);
}

TEST(SamplesTest, ATscBudgetIsNotDueBeforeItsTime) {
  tsc_budget source;
  source.begin(now, now + quantum);             // one reading
  const bool is_over = source.word().is_due();  // counts down; each so many checks a reading
  source.rest();                                // one store

  EXPECT_FALSE(is_over);
}

}  // namespace
}  // namespace pinion::preempt
