// SPDX-License-Identifier: Apache-2.0
//
// The turn in an io_context: what brings a round on, how long the context runs, and that nobody starves.
#include <gtest/gtest.h>
#include <unistd.h>

#include <allocations.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pinion/asio.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace pinion::asio {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using scheduler::absent;

using channel_type = waker::wake_channel<waker::tagged_inbox, waker::eventfd_notifier>;
using hook_queue = timer_queue<call_wheel>;
using ordered_queue = timer_queue<timer::ordered_map<inline_function<void()>>>;

// Runs until the context has nothing to do any more. False where that takes ten seconds: then it waits in
// vain.
bool runs_out(net::io_context& context) {
  context.run_for(10s);
  return context.stopped();
}

struct AsioTurnTest : ::testing::Test {
  net::io_context context{1};
  timer_queue<> timers;
  channel_type channel;
  run_queue tasks;
};

TEST_F(AsioTurnTest, FiresWhatIsDueAndThenLetsTheContextEnd) {
  const turn loop{context, timers};
  std::string fired;
  timers.after(3ms, [&] { fired += 'b'; });
  timers.after(0ms, [&] {
    fired += 'a';
    timers.after(8ms, [&] { fired += 'c'; });
  });

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(fired, "abc");
  EXPECT_EQ(timers.size(), 0U);
}

TEST_F(AsioTurnTest, LetsAContextEndThatHasNothingToWaitFor) {
  const turn loop{context, timers, absent, tasks};

  EXPECT_TRUE(runs_out(context));
}

TEST_F(AsioTurnTest, GoesOnWithAContextThatHadEnded) {
  const turn loop{context, timers};
  ASSERT_TRUE(runs_out(context));
  bool has_fired = false;
  timers.after(1ms, [&] { has_fired = true; });
  context.restart();

  EXPECT_TRUE(runs_out(context));
  EXPECT_TRUE(has_fired);
}

TEST_F(AsioTurnTest, FiresATimerThatAHandlerArmsForAnEarlierTimeThanTheContextWaitsFor) {
  const turn loop{context, timers};
  const timer::handle late = timers.after(1h, [] {});
  net::steady_timer later{context, 5ms};  // by when the context waits for the hour
  later.async_wait([&](boost::system::error_code) { timers.after(1ms, [&] { timers.cancel(late); }); });

  EXPECT_TRUE(runs_out(context));
}

TEST_F(AsioTurnTest, FiresATimerThatIsPushedOnToAnEarlierTime) {
  const turn loop{context, timers};
  bool has_fired = false;
  const timer::handle moved = timers.after(1h, [&] { has_fired = true; });
  net::steady_timer later{context, 5ms};
  later.async_wait([&](boost::system::error_code) { timers.push_on(moved, 1ms); });

  EXPECT_TRUE(runs_out(context));
  EXPECT_TRUE(has_fired);
}

TEST_F(AsioTurnTest, FiresATimerThatWasPushedOnAtItsLaterTime) {
  const turn loop{context, timers};
  std::string fired;
  const timer::handle moved = timers.after(2ms, [&] { fired += 'b'; });
  timers.after(10ms, [&] { fired += 'a'; });
  context.poll();
  timers.push_on(moved, 30ms);

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(fired, "ab");
}

// Each of the ways in which a context's last timer goes, from a handler, while the context waits for it.
void expect_ends_at_once(const std::function<void(net::io_context&)>& arm,
                         const std::function<void()>& let_go, net::io_context& context) {
  arm(context);
  net::steady_timer later{context, 5ms};
  later.async_wait([&](boost::system::error_code) { let_go(); });

  EXPECT_TRUE(runs_out(context));
}

TEST_F(AsioTurnTest, EndsAtOnceWhereTheOnlyTimerIsCancelled) {
  const turn loop{context, timers};
  timer::handle only;
  expect_ends_at_once([&](auto&) { only = timers.after(1h, [] {}); }, [&] { timers.cancel(only); }, context);
}

TEST_F(AsioTurnTest, EndsAtOnceWhereTheOnlyTimersLeftNeverFire) {
  const turn loop{context, timers};
  timer::handle only;
  timers.at(never, [] {});
  expect_ends_at_once([&](auto&) { only = timers.after(1h, [] {}); }, [&] { timers.cancel(only); }, context);
  context.restart();
  expect_ends_at_once([&](auto&) { only = timers.after(1h, [] {}); }, [&] { timers.push_on(only, never); },
                      context);
}

TEST_F(AsioTurnTest, EndsAtOnceWhereAllTimersAreCleared) {
  const turn loop{context, timers};
  expect_ends_at_once([&](auto&) { timers.after(1h, [] {}); }, [&] { timers.clear(); }, context);
}

struct AsioHookTurnTest : ::testing::Test {
  void never_called() { FAIL() << "it is armed for an hour"; }

  net::io_context context{1};
  hook_queue hooks;
  std::optional<timer::intrusive_timer<hook_queue>> only;
};

TEST_F(AsioHookTurnTest, EndsAtOnceWhereTheOnlyTimerIsDestroyed) {
  const turn loop{context, hooks};
  only.emplace(hooks, timer::calls<&AsioHookTurnTest::never_called>, *this);
  expect_ends_at_once([&](auto&) { only->arm(1h); }, [&] { only.reset(); }, context);
}

TEST_F(AsioHookTurnTest, EndsAtOnceWhereTheOnlyHookIsCancelledClearedOrMovedToNever) {
  const turn loop{context, hooks};
  only.emplace(hooks, timer::calls<&AsioHookTurnTest::never_called>, *this);
  expect_ends_at_once([&](auto&) { only->arm(1h); }, [&] { only->cancel(); }, context);
  context.restart();
  expect_ends_at_once([&](auto&) { only->arm(1h); }, [&] { hooks.clear(); }, context);
  context.restart();
  expect_ends_at_once([&](auto&) { only->arm(1h); }, [&] { only->arm(never); }, context);
}

TEST_F(AsioHookTurnTest, FiresHooksThatAreArmedAndMovedEarlier) {
  const turn loop{context, hooks};
  int fired = 0;
  const auto count = [](timer_call& self) { ++*static_cast<int*>(self.context); };
  timer_call first{count, &fired}, second{count, &fired};
  hooks.after(1h, first);
  hooks.after(1h, second);
  net::steady_timer later{context, 5ms};
  later.async_wait([&](boost::system::error_code) { hooks.after(1ms, first); });
  net::steady_timer last{context, 20ms};
  last.async_wait([&](boost::system::error_code) { hooks.push_on(second, 1ms); });

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(fired, 2);
}

TEST_F(AsioTurnTest, LosesNobodysTimerWhereACallbackThrows) {
  const turn loop{context, timers};
  std::string fired;
  timers.after(1ms, [&] {
    fired += 'a';
    throw std::runtime_error("thrown on purpose");
  });
  timers.after(1ms, [&] { fired += 'b'; });
  timers.after(20ms, [&] { fired += 'c'; });

  EXPECT_THROW(context.run_for(10s), std::runtime_error);
  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(fired, "abc");
}

TEST_F(AsioTurnTest, SpreadsTimersOfOneTickOverRoundsBetweenWhichHandlersRun) {
  const turn loop{context, timers, absent, absent, absent, {.timers_a_turn = 8}};
  int fired = 0, fired_at_post = 0;
  for (int i = 0; i < 64; ++i) {
    timers.after(0ms, [&] {
      if (++fired == 1) net::post(context, [&] { fired_at_post = fired; });
    });
  }

  EXPECT_TRUE(runs_out(context));
  EXPECT_EQ(fired, 64);
  EXPECT_GT(fired_at_post, 0);
  EXPECT_LE(fired_at_post, 24) << "a handler takes three rounds at most";
}

// ---- Costs

TEST_F(AsioTurnTest, SetsTheContextsTimerOnceForTimersThatArePushedOn) {
  const turn loop{context, timers};
  std::vector<timer::handle> idle;
  for (int i = 0; i < 100; ++i) idle.push_back(timers.after(60s, [] {}));
  context.poll();

  std::size_t handlers = 0;
  for (int round = 0; round < 10; ++round) {
    for (const timer::handle each : idle) timers.push_on(each, 61s);
    handlers += context.poll();
  }

  EXPECT_EQ(handlers, 0U) << "nothing is due earlier than the context wakes";
}

TEST_F(AsioTurnTest, TakesNoHandlerForTimersThatComeAndGoBeforeItIsRun) {
  const turn loop{context, timers};
  timers.after(60s, [] {});
  timers.cancel(timers.after(30s, [] {}));
  context.poll();

  std::size_t handlers = 0;
  for (int request = 0; request < 100; ++request) {
    timers.cancel(timers.after(30s, [] {}));
    handlers += context.poll();
  }

  EXPECT_EQ(handlers, 0U);
}

struct still_clock {
  [[nodiscard]] static instant now() noexcept { return instant{0}; }
};

TEST_F(AsioTurnTest, TakesNoHandlerForATimerThatIsRoundedUpToTheTickOfAnother) {
  constexpr std::uint64_t tick_ns = 1'048'576;  // deferred_wheel's
  timer_queue<timer::deferred_wheel<inline_function<void()>>, still_clock> rounding;
  const turn loop{context, rounding};
  rounding.at(instant{100 * tick_ns - 10'000}, [] {});
  context.poll();
  rounding.at(instant{100 * tick_ns - 20'000}, [] {});

  EXPECT_EQ(context.poll(), 0U);
}

// By a clock that stands: within two hours of some times a wheel wants to be polled for itself, and wakes the
// context.
TEST_F(AsioTurnTest, SetsTheContextsTimerAnewForAnEarlierTimeAlone) {
  timer_queue<timer::deferred_wheel<inline_function<void()>>, still_clock> far;
  const turn loop{context, far};
  far.after(2h, [] {});
  EXPECT_EQ(context.poll(), 1U) << "a round";
  far.after(1h, [] {});
  EXPECT_EQ(context.poll(), 2U) << "a round, and the wait for two hours that was cancelled";
  far.at(instant{}, [] {});
  EXPECT_EQ(context.poll(), 1U) << "a round, which fires it and leaves the wait for an hour alone";
}

TEST_F(AsioTurnTest, ARoundThatArmsTimersNeedsNoOther) {
  const turn loop{context, timers};
  timers.at(instant{}, [&] { timers.after(1h, [] {}); });

  EXPECT_EQ(context.poll(), 1U);
}

TEST_F(AsioTurnTest, AsksForRoundsWithoutAllocating) {
  const turn loop{context, timers};
  timers.reserve(16);
  context.poll();

  const std::size_t before = pinion::testing::allocations_so_far();
  timers.after(1ms, [] {});
  const std::size_t after = pinion::testing::allocations_so_far();

  EXPECT_EQ(after - before, 0U);
}

TEST_F(AsioTurnTest, AWakeAllocatesNothing) {
  turn loop{context, timers, channel};
  struct counted : waker::wake_call {
    counted() noexcept : wake_call(&came) {}
    static void came(wake_call& self) { ++static_cast<counted&>(self).times; }
    int times = 0;
  } wake;
  const auto sender = channel.sender();
  context.poll();

  const std::size_t before = pinion::testing::allocations_so_far();
  sender.push(wake);
  while (wake.times == 0) context.poll();
  sender.push(wake);
  while (wake.times == 1) context.poll();
  const std::size_t after = pinion::testing::allocations_so_far();

  EXPECT_EQ(after - before, 0U);
  loop.close();
}

// ---- Ends, and bad input

TEST_F(AsioTurnTest, LeavesNothingBehindInAContextThatGoesOn) {
  bool has_fired = false;
  {
    const turn loop{context, timers, channel, tasks};
    timers.after(1ms, [&] { has_fired = true; });
    context.poll();
    timers.at(instant{}, [&] { has_fired = true; });  // asks for a round that comes too late
  }
  waker::wake_event event{channel};
  channel.sender().push(event);

  EXPECT_TRUE(runs_out(context));
  EXPECT_FALSE(has_fired);
  EXPECT_EQ(channel.drain(waker::call_wakes), 1U) << "it is still there";
  timers.after(1ms, [] {});
  context.restart();
  EXPECT_TRUE(runs_out(context)) << "and nobody asks for a round any more";
}

TEST_F(AsioTurnTest, AnotherTurnGoesOnWhereOneEnded) {
  bool has_fired = false;
  {
    const turn first{context, timers, channel, tasks};
    timers.after(1ms, [&] { has_fired = true; });
    context.poll();
  }
  turn second{context, timers, channel, tasks};
  timers.after(2ms, [&] { second.close(); });

  EXPECT_TRUE(runs_out(context));
  EXPECT_TRUE(has_fired);
}

TEST(AsioTurnEndTest, AContextMayEndWithHandlersOfATurnThatIsGone) {
  timer_queue<> timers;
  channel_type channel;
  {
    net::io_context context{1};
    const turn loop{context, timers, channel};
    timers.after(1h, [] {});
    context.poll();
    timers.after(1ms, [] {});  // asks for a round that never comes
  }

  EXPECT_EQ(timers.size(), 2U);
}

TEST_F(AsioTurnTest, RefusesWhatAnotherTurnServes) {
  const turn loop{context, timers, channel, tasks};
  const auto code_of = [](const auto& make) {
    try {
      make();
    } catch (const std::system_error& refused) {
      return refused.code();
    }
    return std::error_code{};
  };

  const auto busy = std::make_error_code(std::errc::device_or_resource_busy);
  EXPECT_EQ(code_of([&] { turn{context, timers}; }), busy);
  EXPECT_EQ(code_of([&] { turn{context, absent, channel}; }), busy);
  EXPECT_EQ(code_of([&] { turn{context, absent, absent, tasks}; }), busy);
}

TEST_F(AsioTurnTest, RefusesAChannelThatTheContextCannotWatch) {
  const int descriptor = channel.notifier().descriptor();
  const int kept = ::dup(descriptor);
  ::close(descriptor);

  EXPECT_THROW((turn{context, timers, channel}), std::system_error);

  ::dup2(kept, descriptor);
  ::close(kept);
  EXPECT_NO_THROW((turn{context, timers, channel}));
}

TEST_F(AsioTurnTest, RefusesPollsOfNoTimers) {
  EXPECT_THROW((turn{context, timers, absent, absent, absent, {.timers_a_turn = 0}}), std::system_error);
}

}  // namespace
}  // namespace pinion::asio
