// SPDX-License-Identifier: Apache-2.0
//
// turn with less than all parts: where it waits then, and what it refuses.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <system_error>
#include <thread>

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;

using timer_set = timer::timer_queue<timer::call_wheel>;

TEST(Turn, InATurnIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  timer_set timers;
  waker::wake_channel<waker::tagged_inbox, waker::futex_notifier> channel;
  turn loop{timers, channel};

  EXPECT_DEATH(loop(running{[] { return true; }, [&] { loop(); }}), "a turn was begun inside a turn");
}

TEST(Turn, FromAForeignThreadIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  timer_set timers;
  waker::wake_channel<waker::tagged_inbox, waker::futex_notifier> channel;
  turn loop{timers, channel};
  loop(running{[] { return true; }, [] {}});

  EXPECT_DEATH(std::thread([&] { loop(); }).join(), "from a foreign thread");
}

TEST(Turn, WithNothingThatEndsAWaitIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  timer_set timers;
  turn loop{timers};

  EXPECT_DEATH(loop(), "nothing to wait for");
}

TEST(Turn, WithAClosedChannelAndNothingElseIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  timer_set timers;
  waker::wake_channel<waker::tagged_inbox, waker::futex_notifier> channel;
  turn loop{timers, channel};
  channel.close(waker::call_wakes);

  EXPECT_DEATH(loop(), "nothing to wait for");
}

TEST(Turn, RefusesOptionsOutOfRange) {
  timer_set timers;
  EXPECT_THROW((turn{timers, absent, absent, absent, turn_options{.timers_a_turn = 0}}), std::system_error);
  preempt::slicer<preempt::never_due> slices;

  EXPECT_THROW((turn{timers, absent, absent, slices, turn_options{.quantum = duration{1}}}),
               std::system_error);
}

TEST(Turn, RefusesAChannelThatAnotherLoopHas) {
  timer_set timers;
  waker::wake_channel<waker::tagged_inbox, waker::futex_notifier> channel;
  {
    const turn loop{timers, channel};
    EXPECT_THROW((turn{timers, channel}), std::system_error);
    EXPECT_THROW(waker::parker{channel}, std::system_error);
  }

  const turn after{timers, channel};
  EXPECT_EQ(after.statistics(), turn_statistics{});
}

TEST(Turn, WithoutIoWaitsInTheChannelOrOnTheClock) {
  timer_set timers;
  bool fired = false;
  timer::timer_call call{[](timer::timer_call& c) { *static_cast<bool*>(c.context) = true; }, &fired};
  {
    turn loop{timers};
    timers.after(2ms, call);
    while (!fired) loop();
  }
  waker::wake_channel<waker::tagged_inbox, waker::futex_notifier> channel;
  turn loop{timers, channel};
  waker::wake_event event{channel};
  std::thread other{[&, to = channel.sender()] { to.push(event); }};
  while (!event.is_woken()) loop();
  other.join();

  EXPECT_TRUE(fired);
}

// Goes on when it is told.
struct stepped_clock {
  const instant* time;
  [[nodiscard]] instant now() const noexcept { return *time; }
};

// Notes which time it is told.
struct listening_io {
  instant told{};
  void turn(instant now) noexcept { told = now; }
  template <class Woke>
  void park(instant /*until*/, Woke&& woke) noexcept {
    woke();
  }
};

// A slice may have been long, and a round without one reads the clock anew.
TEST(Turn, TheIoIsToldTheTimeAtTheEndOfItsRound) {
  instant time{1'000'000'000};
  timer::timer_queue<timer::call_wheel, stepped_clock> timers{stepped_clock{&time}};
  listening_io io;
  preempt::slicer<preempt::never_due> slices;
  turn loop{timers, absent, io, slices, turn_options{}, stepped_clock{&time}};
  timer::timer_call call{[](timer::timer_call&) {}, nullptr};
  timers.after(1s, call);

  loop(running{[] { return true; }, [&] { time = time + ceil(5ms); }});
  EXPECT_EQ(io.told, time);
  time = time + ceil(2s);
  loop();

  EXPECT_EQ(io.told, time);
  EXPECT_EQ(timers.size(), 0U);
}

TEST(Turn, OverAnEpollSetTheLoopWaitsByItself) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  ASSERT_GE(epoll, 0);
  {
    timer_set timers;
    waker::default_channel channel;
    waker::epoll_set set{.descriptor = epoll, .data = 7};
    turn loop{timers, channel, set};
    waker::wake_event event{channel};
    std::uint64_t data = 0;
    std::thread other{[&, to = channel.sender()] {
      std::this_thread::sleep_for(1ms);
      to.push(event);
    }};

    for (int turns = 0; !event.is_woken() && turns != 1000; ++turns) {
      const instant until = loop.prepare();
      epoll_event seen{};
      const int count = ::epoll_wait(epoll, &seen, 1, until == never ? 10'000 : 0);
      loop.woke();
      if (count == 1) data = seen.data.u64;
    }
    other.join();

    EXPECT_TRUE(event.is_woken());
    EXPECT_TRUE(data == 7 || data == 0) << "0: it came before the wait";
  }
  ::close(epoll);
}

// Law Y4: nothing is armed while it waits, also where the loop waits by itself.
TEST(Turn, OverAnEpollSetSlicesRestBeforeTheWait) {
  struct watched_source : preempt::always_due {
    explicit watched_source(bool& armed) noexcept : is_armed(armed) {}
    void begin(instant now, instant until) noexcept {
      is_armed = true;
      always_due::begin(now, until);
    }
    void rest() noexcept {
      is_armed = false;
      always_due::rest();
    }
    bool& is_armed;
  };
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  ASSERT_GE(epoll, 0);
  {
    timer_set timers;
    waker::default_channel channel;
    waker::epoll_set set{.descriptor = epoll};
    bool is_armed = false;
    preempt::slicer<watched_source> slices{is_armed};
    turn loop{timers, channel, set, slices};

    EXPECT_EQ(loop.prepare(running{[] { return true; }, [] {}}), instant{});
    loop.woke();
    EXPECT_TRUE(is_armed) << "the next slice begins at once";
    EXPECT_EQ(loop.prepare(), never);
    EXPECT_FALSE(is_armed);
    EXPECT_EQ(loop.statistics().waits, is_counted ? 1U : 0U);
    loop.woke();
  }
  ::close(epoll);
}

TEST(Turn, RefusesAnEpollThatIsNone) {
  timer_set timers;
  waker::default_channel channel;
  waker::epoll_set set{.descriptor = -1};

  EXPECT_THROW((turn{timers, channel, set}), std::system_error);
}

}  // namespace
}  // namespace pinion::scheduler
