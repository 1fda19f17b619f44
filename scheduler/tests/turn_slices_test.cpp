// SPDX-License-Identifier: Apache-2.0
//
// turn with slices: what ends them ends no wait.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <system_error>
#include <utility>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;

using timer_set = timer::timer_queue<timer::call_wheel>;

// Tasks of which there are always some.
template <class Run>
auto always_ready(Run run) {
  return running{[] { return true; }, std::move(run)};
}

// What ends a slice by the ring's own word: in a turn over the same ring, without a call of the loop's.
TEST(Turn, AUringSourceEndsSlicesOverTheSubmissionThatTheTurnWaitsIn) {
  auto ring = iosubmit::uring_ring::open({});
  if (!ring) GTEST_SKIP() << to_string(ring.error());
  using io_type = iosubmit::submission<iosubmit::batch_or_idle, iosubmit::uring_ring>;
  io_type io{std::move(*ring)};
  std::optional<preempt::slicer<preempt::uring_source<io_type>>> slices;
  try {
    slices.emplace(io);
  } catch (const std::system_error& refused) {
    GTEST_SKIP() << refused.what();
  }
  timer_set timers;
  waker::default_channel channel;
  turn loop{timers, channel, io, *slices};
  int slices_that_ended = 0;

  for (int turns = 0; turns != 5; ++turns) {
    loop(always_ready([&] {
      const instant limit = monotonic_clock::now() + duration{5'000'000'000};
      while (!slices->word().is_due() && monotonic_clock::now() < limit) {
      }
      slices_that_ended += slices->word().is_due() ? 1 : 0;
    }));
  }

  EXPECT_EQ(slices_that_ended, 5);
}

// An idle loop is quiet, whatever ends its slices: the timer of a slice that is over ends no wait (law Y4).
template <class Source, class... Arguments>
std::uint64_t waits_of_an_idle_loop(auto& io, Arguments&... arguments) {
  preempt::slicer<Source> slices{arguments...};
  timer_set timers;
  waker::default_channel channel;
  turn loop{timers, channel, io, slices};
  for (int turns = 0; turns != 3; ++turns) loop(always_ready([] {}));
  const std::uint64_t before = loop.statistics().waits;
  bool is_over = false;
  timer::timer_call end{[](timer::timer_call& c) { *static_cast<bool*>(c.context) = true; }, &is_over};
  timers.after(50ms, end);
  while (!is_over) loop();
  return loop.statistics().waits - before;
}

TEST(Turn, AnIdleLoopIsQuietWhateverEndsItsSlices) {
  if (!is_counted) GTEST_SKIP() << "this build counts nothing (PINION_STATISTICS=OFF)";
  auto ring = iosubmit::uring_ring::open({});
  if (!ring) GTEST_SKIP() << to_string(ring.error());
  using io_type = iosubmit::submission<iosubmit::each_turn, iosubmit::uring_ring>;
  io_type io{std::move(*ring)};
  constexpr std::uint64_t few = 8;  // the last slice's timer goes, and the kernel may end a wait early

  EXPECT_LE(waits_of_an_idle_loop<preempt::posix_timer_source>(io), few);
  try {
    EXPECT_LE(waits_of_an_idle_loop<preempt::uring_source<io_type>>(io, io), few);
  } catch (const std::system_error& refused) {
    GTEST_SKIP() << refused.what();
  }
}

}  // namespace
}  // namespace pinion::scheduler
