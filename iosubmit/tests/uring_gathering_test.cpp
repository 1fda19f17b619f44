// SPDX-License-Identifier: Apache-2.0
//
// For how many, and for how long, an enter of the real kernel's ring waits.
//
// What comes later is a descriptor that a timer makes readable, and no timeout: the end of a timeout ends
// each wait in the kernel, however many it is for.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <stdexcept>
#include <vector>

#include "uring_testing.hpp"

namespace pinion::iosubmit::testing {
namespace {

using names = std::vector<std::uint64_t>;

// Readable from then on.
class alarm_clock {
 public:
  explicit alarm_clock(duration after) {
    const kernel_time time = kernel_time::of(after);
    itimerspec once{};
    once.it_value = {.tv_sec = time.seconds, .tv_nsec = static_cast<long>(time.nanoseconds)};
    if (descriptor_ < 0 || ::timerfd_settime(descriptor_, 0, &once, nullptr) != 0)
      throw std::runtime_error("no timerfd");
  }
  alarm_clock(const alarm_clock&) = delete;
  alarm_clock& operator=(const alarm_clock&) = delete;
  ~alarm_clock() { ::close(descriptor_); }
  [[nodiscard]] ring_entry rings() const noexcept { return entries::poll(descriptor_, POLLIN); }

 private:
  int descriptor_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
};

names names_of(uring_ring& ring) {
  names all;
  for (const ring_completion& one : reaped(ring)) all.push_back(one.user_data);
  return all;
}

constexpr duration soon{2'000'000}, later{6'000'000}, much_later{200'000'000}, far{20'000'000'000};

using UringWaitTest = on_real_rings;

TEST_F(UringWaitTest, IsForAsManyAsItIsAsked) {
  uring_ring ring{{}};
  const alarm_clock first{soon}, second{later};
  ring.put(named(entries::nop(), 8));
  ring.put(named(first.rings(), 16));
  ring.put(named(second.rings(), 24));

  const ring_entered done = ring.enter({.count = 3, .gather = forever});

  EXPECT_EQ(done, (ring_entered{.accepted = 3}));
  EXPECT_EQ(names_of(ring), (names{8, 16, 24}));
}

TEST_F(UringWaitTest, IsForOneWhereThereIsNoTimeToGather) {
  uring_ring ring{{}};
  const alarm_clock late{far};
  ring.put(named(entries::nop(), 8));
  ring.put(named(late.rings(), 16));

  const ring_entered done = ring.enter({.count = 2, .gather = duration{0}});

  EXPECT_EQ(done, (ring_entered{.accepted = 2}));
  EXPECT_EQ(names_of(ring), (names{8}));
}

// Where the kernel gathers nothing, each wait is for one.
class UringGatheringTest : public on_real_rings {
 protected:
  void SetUp() override {
    on_real_rings::SetUp();
    if (IsSkipped()) return;
    const uring_ring ring{{}};
    if (!ring.features().min_wait)
      GTEST_SKIP() << "this kernel gathers nothing (before Linux 6.12): " << to_string(ring.features());
  }
};

TEST_F(UringGatheringTest, EndsWithAsManyAsItIsAsked) {
  uring_ring ring{{}};
  const alarm_clock second{later}, third{far};
  ring.put(named(entries::nop(), 8));
  ring.put(named(second.rings(), 16));
  ring.put(named(third.rings(), 24));

  const ring_entered done = ring.enter({.count = 2, .gather = far});

  EXPECT_EQ(done, (ring_entered{.accepted = 3}));
  EXPECT_EQ(names_of(ring), (names{8, 16}));
}

// Without an end this would wait for the third; without gathering, for the first alone.
TEST_F(UringGatheringTest, EndsWhenItsTimeIsUp) {
  uring_ring ring{{}};
  const alarm_clock second{later}, third{far};
  ring.put(named(entries::nop(), 8));
  ring.put(named(second.rings(), 16));
  ring.put(named(third.rings(), 24));

  const ring_entered done = ring.enter({.count = 3, .gather = much_later});

  EXPECT_EQ(done, (ring_entered{.accepted = 3}));
  EXPECT_EQ(names_of(ring), (names{8, 16}));
}

// Also where the wait has no timeout of its own: the kernel needs one, or it ends with the gathering.
TEST_F(UringGatheringTest, GoesOnAsAWaitForOneWhereNothingCame) {
  uring_ring ring{{}};
  const alarm_clock first{later};
  ring.put(named(first.rings(), 8));

  ring.enter({.count = 4, .gather = soon});

  EXPECT_EQ(names_of(ring), (names{8}));
}

}  // namespace
}  // namespace pinion::iosubmit::testing
