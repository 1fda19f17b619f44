// SPDX-License-Identifier: Apache-2.0
//
// turn and what it waits in, at the edges: marks that are given back, times that no clock reaches, waits that
// are cancelled late.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <thread>

#include "small_executor.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using pinion::testing::small_executor;
using pinion::testing::task;

template <class Notifier>
using channel_of = waker::wake_channel<waker::tagged_inbox, Notifier>;
using io_type = iosubmit::submission<iosubmit::batch_or_idle, iosubmit::default_ring>;

template <class Notifier>
struct TurnMarks : ::testing::Test {
  io_type io{iosubmit::open_ring<iosubmit::default_ring>().value()};
};
using notifiers = ::testing::Types<waker::eventfd_notifier, waker::msg_ring_notifier>;
TYPED_TEST_SUITE(TurnMarks, notifiers);

// Law W8: as many as a submission has marks, and each is heard.
TYPED_TEST(TurnMarks, SixChannelsAreHeardOverOneSubmission) {
  using channel_type = channel_of<TypeParam>;
  std::deque<channel_type> channels;
  std::deque<turn<nothing, channel_type, io_type>> turns;
  for (int count = 0; count != 6; ++count)
    turns.emplace_back(absent, channels.emplace_back(this->io), this->io);
  channel_type seventh{this->io};
  EXPECT_THROW((turn{absent, seventh, this->io}), std::system_error);

  for (std::size_t k = 0; k != 6; ++k) {
    waker::wake_event event{channels[k]};
    std::thread other{[&, to = channels[k].sender()] {
      std::this_thread::sleep_for(1ms);  // most likely the loop waits by then
      to.push(event);
    }};
    while (!event.is_woken()) turns[k]();
    other.join();
  }
}

// What a turn leaves in the ring when it goes keeps nothing from the next.
TYPED_TEST(TurnMarks, TurnsAreMadeAndDestroyedWithoutARoundBetween) {
  using channel_type = channel_of<TypeParam>;
  channel_type lasting{this->io};
  for (int count = 0; count != 50; ++count) {
    channel_type channel{this->io};
    EXPECT_NO_THROW((turn{absent, channel, this->io})) << count;
    EXPECT_NO_THROW((turn{absent, lasting, this->io})) << count;
  }
  turn loop{absent, lasting, this->io};
  waker::wake_event event{lasting};
  std::thread other{[&, to = lasting.sender()] {
    std::this_thread::sleep_for(1ms);  // most likely the loop waits by then
    to.push(event);
  }};

  while (!event.is_woken()) loop();
  other.join();

  EXPECT_TRUE(event.is_woken());
}

// The store says what it was told, which is more than the system's own words for a time can.
TEST(TurnWaits, WithATimerInCenturiesItSleeps) {
  using store = timer::ordered_map<std::function<void()>>;
  const auto sleeps = [](std::uint64_t years) {
    timer::timer_queue<store> timers;
    turn loop{timers};
    static_cast<void>(timers.at(instant{years * 31'557'600'000'000'000}, [] {}));
    const itimerval in_50_ms{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 50'000}};
    ::setitimer(ITIMER_REAL, &in_50_ms, nullptr);
    loop();
    loop();
    std::_Exit(0);  // the wait was over at once
  };

  EXPECT_EXIT(sleeps(200), ::testing::KilledBySignal(SIGALRM), "");
  EXPECT_EXIT(sleeps(300), ::testing::KilledBySignal(SIGALRM), "");
  EXPECT_EXIT(sleeps(584), ::testing::KilledBySignal(SIGALRM), "");
}

// Law C2, in any order: who closes the channel first and cancels then is answered as well, in a turn.
TEST(TurnWaits, AWaitForAWakeIsCancelledAlsoWhereTheChannelIsClosed) {
  io_type io{iosubmit::open_ring<iosubmit::default_ring>().value()};
  waker::default_channel channel;
  turn loop{absent, channel, io};
  waker::wake_event event{channel};
  cancel_slot slot;
  small_executor executor;
  std::optional<std::error_code> ended;
  const auto body = [&]() -> task {
    const auto woken = co_await event.wait(slot);
    ended = woken ? std::error_code{} : woken.error();
  };
  task one = body();
  executor.spawn(one);
  loop(executor);
  channel.close(waker::call_wakes);

  slot.request();
  EXPECT_FALSE(ended);
  loop(executor);

  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, std::errc::operation_canceled);
  EXPECT_TRUE(one.is_done());
}

// A clock that goes on with each reading.
struct ticking_clock {
  [[nodiscard]] instant now() const noexcept { return *at = *at + duration{200}; }
  instant* at;
};
// I/O whose log says what was asked of it: s submit, p park, t turn. At a look of the test's choice something
// happens.
struct looked_at {
  template <class Woke>
  void park(instant, Woke woke) {
    log += 'p';
    while_asleep();
    woke();
  }
  void turn(instant) { log += 't'; }
  void submit() noexcept { log += 's'; }
  [[nodiscard]] bool has_answers() const {
    const bool is_last = looks_left == 1;
    looks_left -= looks_left != 0 ? 1 : 0;
    if (is_last) at_last_look();
    return has_come;
  }
  std::string log;
  mutable int looks_left = 0;
  std::function<void()> at_last_look, while_asleep = [] {};
  bool has_come = false;
};
struct heard_notifier : waker::futex_notifier {
  struct attachment {
    [[nodiscard]] static bool renew() noexcept { return true; }
  };
  static attachment attach(looked_at&) noexcept { return {}; }
};

struct TurnSpin : ::testing::Test {
  static constexpr turn_options spins{.spin = {.most = ceil(20us), .least = ceil(1us), .cores = 2}};
  instant time{1'000};
  looked_at io;
  channel_of<heard_notifier> channel;
  waker::wake_event<channel_of<heard_notifier>> event{channel};
};

// Law C6: off, an idle round asks nothing, and reads no clock.
TEST_F(TurnSpin, IsOffUnlessAskedFor) {
  turn loop{absent, channel, io, absent, {}, ticking_clock{&time}};
  io.has_come = true;

  loop();

  EXPECT_EQ(io.log, "p");
  EXPECT_EQ(time, instant{1'000});
}

TEST_F(TurnSpin, AnAnswerEndsItAndNothingSleeps) {
  turn loop{absent, channel, io, absent, spins, ticking_clock{&time}};
  io.looks_left = 40;
  io.at_last_look = [this] { io.has_come = true; };

  loop();

  EXPECT_EQ(io.log, "st");
}

TEST_F(TurnSpin, AWakeEndsItAndIsNotSignalled) {
  turn loop{absent, channel, io, absent, spins, ticking_clock{&time}};
  waker::push_result pushed{};
  io.looks_left = 40;
  io.at_last_look = [&] { pushed = channel.sender().push(event); };

  loop();
  EXPECT_EQ(io.log, "st");
  loop();

  EXPECT_TRUE(event.is_woken());
  EXPECT_EQ(pushed, waker::push_result::queued);
}

TEST_F(TurnSpin, InVainItIsFollowedByAWaitAndGivenUpWhereItIsAlwaysInVain) {
  turn loop{absent, channel, io, absent, spins, ticking_clock{&time}};
  io.while_asleep = [this] { time = time + ceil(1ms); };

  loop();
  EXPECT_EQ(io.log, "sp");
  for (int rounds = 0; rounds != 20; ++rounds) loop();
  io.log.clear();
  loop();
  EXPECT_EQ(io.log, "p");

  io.while_asleep = [this] { channel.sender().push(event); };
  loop();
  loop();
  EXPECT_TRUE(event.is_woken());
  io.while_asleep = [] {};
  io.log.clear();
  loop();
  EXPECT_EQ(io.log, "sp") << "that wait was short: a spin would have seen its end";
}

TEST_F(TurnSpin, ItEndsWithTheNextTimerAndIsInsteadOfAWait) {
  using timer_set = timer::timer_queue<timer::ordered_map<std::function<void()>>, ticking_clock>;
  timer_set timers{ticking_clock{&time}};
  turn loop{timers, channel, io, absent, spins, ticking_clock{&time}};
  bool fired = false;
  static_cast<void>(timers.at(time + ceil(2us), [&] { fired = true; }));

  loop();
  EXPECT_EQ(io.log, "st");
  loop();

  EXPECT_TRUE(fired);
}

// Law Y4, also while it spins.
TEST_F(TurnSpin, SlicesRestBeforeIt) {
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
  bool is_armed = false;
  bool was_armed = true;
  preempt::slicer<watched_source> slices{is_armed};
  turn loop{absent, channel, io, slices, spins, ticking_clock{&time}};
  int left = 1;
  io.looks_left = 40;
  io.at_last_look = [&] {
    was_armed = is_armed;
    io.has_come = true;
  };

  loop(running{[&] { return left != 0; }, [&] { --left; }});
  loop();

  EXPECT_FALSE(was_armed);
}

// A loop that waits by itself spins in prepare(), for wakes.
TEST_F(TurnSpin, OverAnEpollSetItIsPartOfPrepare) {
  waker::epoll_set set{.descriptor = ::epoll_create1(EPOLL_CLOEXEC)};
  {
    waker::default_channel wakes;
    turn loop{absent, wakes, set, absent, spins, ticking_clock{&time}};
    const instant before = time;

    EXPECT_EQ(loop.prepare(), never);
    loop.woke();

    EXPECT_LE(before + ceil(5us), time);
  }
  ::close(set.descriptor);
}

}  // namespace
}  // namespace pinion::scheduler
