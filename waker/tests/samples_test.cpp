// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of waker open with, word for word, and what each claims.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <exception>
#include <memory>
#include <pinion/waker.hpp>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pinion::waker {
namespace {

TEST(samples, ABoundedInboxCountsWhatFoundItFull) {
  wake_node node;
  std::array<wake_node, 256> others;
  futex_notifier bell;

  bounded_inbox<256> inbox;                                    // used as every inbox
  if (inbox.push(node) == push_result::signal) bell.signal();  // any thread
  const bool is_too_small = inbox.overflowed() != 0;           // said once through report(), too
  for (wake_node& other : others) EXPECT_NE(inbox.push(other), push_result::closed);
  const std::size_t drained = inbox.drain([](wake_node&) {});

  EXPECT_FALSE(is_too_small);
  EXPECT_EQ(drained, 257U);
  EXPECT_EQ(inbox.overflowed(), 1U);
}

TEST(samples, APushThatFindsTheInboxArmedIsToldToSignal) {
  const instant until{0};
  tagged_inbox inbox;
  futex_notifier notifier;
  wake_node node;
  int ran = 0;
  const auto run = [&](wake_node&) { ++ran; };

  inbox.drain(run);  // the owner, round and round
  if (inbox.try_arm()) notifier.wait(until);
  if (inbox.push(node) == push_result::signal) notifier.signal();  // any thread

  EXPECT_TRUE(notifier.wait(never));
  EXPECT_EQ(inbox.drain(run), 1U);
  EXPECT_EQ(ran, 1);
}

TEST(samples, TakenWakesAreRunInPortionsOldestFirst) {
  tagged_inbox inbox;
  std::array<wake_node, 65> nodes;
  for (wake_node& node : nodes) EXPECT_EQ(inbox.push(node), push_result::queued);
  struct {
    std::vector<wake_node*> all;
    void push_back(wake_node& node) { all.push_back(&node); }
  } ready;
  std::size_t before_the_rest = 0;
  const auto to_ready = [&](wake_node& node) {
    before_the_rest = ready.all.size();
    ready.push_back(node);
  };

  auto wakes = inbox.take();
  wakes.run([&](wake_node& node) { ready.push_back(node); }, 64);  // at most 64 now
  wakes.run(to_ready);                                             // and the rest

  EXPECT_EQ(before_the_rest, 64U);
  ASSERT_EQ(ready.all.size(), 65U);
  EXPECT_EQ(ready.all.back(), &nodes[64]);
}

TEST(samples, AnEventfdNotifierIsWatchedBesideSockets) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  const instant until = never;

  eventfd_notifier bell;
  epoll_ctl(epoll, EPOLL_CTL_ADD, bell.descriptor(), &event);
  bell.signal();     // any thread
  bell.wait(until);  // an owner that waits for nothing else

  EXPECT_FALSE(bell.wait(instant{0})) << "the wait before took the signal";
  bell.signal();
  EXPECT_EQ(epoll_wait(epoll, &event, 1, -1), 1);
  ::close(epoll);
}

TEST(samples, AFutexNotifierKeepsTheSignalForTheWait) {
  const instant until = never;

  futex_notifier bell;
  bell.signal();     // any thread
  bell.wait(until);  // the owner

  EXPECT_FALSE(bell.wait(instant{0})) << "the wait before took the signal";
}

TEST(samples, AMutexInboxIsUsedAsEveryInbox) {
  wake_node node;

  mutex_inbox inbox;  // used as every inbox

  EXPECT_EQ(inbox.push(node), push_result::queued);
  EXPECT_EQ(inbox.drain([](wake_node&) {}), 1U);
}

struct timers_of_one {
  instant deadline = monotonic_clock::now() + duration{1'000'000};
  [[nodiscard]] instant next_wakeup() const { return deadline; }
  template <class Sink>
  void poll(instant now, int /*max*/, const Sink& sink) const {
    if (now >= deadline) sink();
  }
};

TEST(samples, AParkerSleepsUntilTheNextTimer) {
  wake_channel<tagged_inbox, futex_notifier> channel;
  wake_node node;
  channel.sender().push(node);
  bool is_over = false;
  int ran = 0;
  const auto run = [&](wake_node&) { ++ran; };
  const auto fire = [&] { is_over = true; };
  timers_of_one timers;

  parker park{channel};
  while (!is_over) {
    channel.drain(run);
    park(timers.next_wakeup());  // until there are wakes, somebody signals, or it is time
    timers.poll(monotonic_clock::now(), 64, fire);
  }

  EXPECT_EQ(ran, 1);
  EXPECT_GE(monotonic_clock::now(), timers.deadline);
}

TEST(samples, AParkerSleepsInItsOwnersWait) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  epoll_event* const events = &event;
  constexpr int room = 1;
  int count = 0;
  default_channel channel;
  const auto in_epoll = channel.notifier().attach(epoll_set{epoll});

  parker park{channel, [&](instant until) { count = epoll_wait(epoll, events, room, poll_timeout(until)); }};

  channel.notifier().signal();
  EXPECT_EQ(park(never), park_end::timeout) << "nothing was pushed";
  EXPECT_EQ(count, 1);
  ::close(epoll);
}

// Io that has nothing to say.
struct silent_io {
  template <class Woke>
  static void park(instant, Woke woke) {
    woke();
  }
  static void turn(instant) {}
  static void submit() noexcept {}
  [[nodiscard]] bool has_answers() const noexcept { return false; }
};
struct silent_notifier : futex_notifier {
  struct attachment {
    [[nodiscard]] static bool renew() noexcept { return true; }
  };
  static attachment attach(silent_io&) noexcept { return {}; }
};

TEST(samples, AParkerSleepsInIo) {
  wake_channel<tagged_inbox, silent_notifier> channel;
  wake_node node;
  silent_io io;

  parker park{channel, io};  // hands over, waits, hands out

  EXPECT_EQ(park(monotonic_clock::now()), park_end::timeout);
  channel.sender().push(node);
  EXPECT_EQ(park(never), park_end::wakes);
  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
}

TEST(samples, ASpinnerLooksBeforeASleep) {
  wake_channel<tagged_inbox, futex_notifier> channel;
  wake_node node;
  silent_io io;
  const instant until = never;
  bool has_slept = false;
  const auto wait = [&](instant end) {
    has_slept = true;
    channel.sender().push(node);
    channel.notifier().wait(end);
  };

  spinner before_sleep{channel, io};  // io: a submission, or what you wait in
  if (!before_sleep(monotonic_clock::now(), until) && channel.try_arm()) {
    wait(until);
    before_sleep.slept();  // before anything is drained or handed out
    channel.disarm();
  }

  EXPECT_TRUE(has_slept);
  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
}

TEST(samples, ASpinBudgetSinksWhereSpinsCatchNothing) {
  duration took{0};
  const duration waited{1'000'000'000};
  int sleeps = 0;
  const auto poll_for = [&](duration allowed) {
    took = allowed;
    return false;
  };
  const auto sleep = [&] { ++sleeps; };

  spin_budget budget;
  if (poll_for(budget.allowance())) {  // 0: sleep at once
    budget.hit(took);
  } else {
    budget.miss(took);
    sleep();
    budget.slept(waited);  // the spin included
  }

  EXPECT_EQ(sleeps, 1);
  EXPECT_LE(budget.allowance(), took);
}

TEST(samples, ATaggedInboxIsDrainedAndArmed) {
  const instant until{0};
  wake_node task, other;
  eventfd_notifier bell;
  int ran = 0;
  const auto run = [&](wake_node&) { ++ran; };

  tagged_inbox inbox;
  if (inbox.push(task) == push_result::signal) bell.signal();  // any thread
  inbox.drain(run);
  if (inbox.try_arm()) bell.wait(until);  // the owner

  EXPECT_EQ(ran, 1);
  EXPECT_EQ(inbox.push(other), push_result::signal);
  inbox.drain(run);
}

TEST(samples, AValueInboxCarriesJobs) {
  struct job {
    std::shared_ptr<int> calls;
    void operator()() const { ++*calls; }
  };
  const auto calls = std::make_shared<int>(0);
  job next{calls};
  futex_notifier bell;

  value_inbox<job> inbox;
  if (inbox.push(std::move(next)) == push_result::signal) bell.signal();  // any thread
  inbox.drain([](job&& each) { each(); });                                // the owner

  EXPECT_EQ(*calls, 1);
}

TEST(samples, AThreadWakesTheOwnerOfAChannel) {
  const instant until = monotonic_clock::now() + ceil(std::chrono::seconds{1});  // it may come before
  wake_node task;
  int ran = 0;
  const auto run = [&](wake_node&) { ++ran; };

  wake_channel<tagged_inbox, eventfd_notifier> channel;
  std::thread other{[sender = channel.sender(), &task] { sender.push(task); }};  // signals if it must
  channel.drain(run);
  if (channel.try_arm()) channel.notifier().wait(until);
  channel.drain(run);
  other.join();
  channel.drain(run);

  EXPECT_EQ(ran, 1);
}

struct task : wake_node {
  void resume() { ++resumed; }
  int resumed = 0;
};

TEST(samples, ATaskThatIsWokenTwiceIsResumedOnce) {
  wake_channel<tagged_inbox, futex_notifier> channel;
  const auto sender = channel.sender();
  task mine;

  sender.push(mine);  // any thread, any number of times
  sender.push(mine);
  channel.drain([](wake_node& node) { static_cast<task&>(node).resume(); });

  EXPECT_EQ(mine.resumed, 1);
}

// Begins at once, and goes at its end.
struct free_task {
  struct promise_type {
    static free_task get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
  };
};

free_task waits_twice(wake_event<default_channel>& event, cancel_slot& shutdown, int& stage) {
  int reached = 1;
  co_await event.wait();
  stage = reached++;
  const auto woken = co_await event.wait(shutdown);  // with a cancel_slot: an error if that came first
  if (!woken) co_return;
  stage = reached;
}

TEST(samples, AnEventIsAwaitedAndPushed) {
  default_channel channel;
  const auto sender = channel.sender();
  cancel_slot shutdown;
  int stage = 0;

  wake_event event{channel};  // the owner's
  waits_twice(event, shutdown, stage);
  sender.push(event);         // any other thread
  channel.drain(call_wakes);  // the owner's turn
  EXPECT_EQ(stage, 1);
  shutdown.request();
  channel.drain(call_wakes);

  EXPECT_EQ(stage, 1);
}

TEST(samples, AStopTokenAndASlotLeadToEachOther) {
  default_channel channel;
  cancel_slot shutdown;
  std::stop_source asks, source;
  const std::stop_token token = asks.get_token();

  slot_on_stop link{token, channel, shutdown};   // the token of a std::jthread, say
  stop_on_slot back{shutdown, channel, source};  // a std::stop_source
  asks.request_stop();
  channel.drain(call_wakes);
  channel.drain(call_wakes);

  EXPECT_TRUE(shutdown.is_requested());
  EXPECT_TRUE(source.stop_requested());
}

}  // namespace
}  // namespace pinion::waker
