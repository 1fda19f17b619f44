// SPDX-License-Identifier: Apache-2.0
//
// msg_ring_notifier's words under every interleaving with at most three preemptions, and some at random:
// signals by the call, by an entry that comes through and by one that fails later; and messages that outlive
// senders, owner and notifier. The kernel is played by what orders as it does.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <memory>
#include <optional>
#include <pinion/sim/explore.hpp>
#include <pinion/waker.hpp>

#include "sanitized.hpp"
#include "to_the_end.hpp"
#include "weakening_sync.hpp"

namespace pinion::waker::testing {
namespace {

using pinion::testing::is_sanitized;
using sim::testing::name_of;
using sim::testing::order_site;
using sim::testing::weakening;
using sim::testing::weakening_sync;
using sim::testing::weakenings;

// One owner's ring and eventfd. Closing a number while somebody uses it is a data race on `open`.
template <class Sync>
struct played_kernel {
  played_kernel() { here = this; }
  static inline played_kernel* here = nullptr;

  typename Sync::event completion;
  typename Sync::template atomic<std::uint32_t> counter{0};
  typename Sync::template plain<int> open{0};
  int send_result = 0;

  void complete() {
    sim::require(open.read() == 2, "a completion for a ring that is closed");
    completion.post();
  }

  // What the notifier calls.
  static int duplicate(int ring) noexcept { return here->open.write(1), ring; }
  static int open_eventfd() noexcept { return here->open.write(2), 2; }
  static bool can_send() noexcept { return true; }
  static int send(int, std::uint64_t) noexcept {
    if (here->send_result == 0) here->complete();
    return here->send_result;
  }
  static int add_one(int) noexcept {
    here->counter.fetch_add(1, std::memory_order_acq_rel);
    here->complete();  // by the owner's watch
    return 0;
  }
  static int take(int) noexcept {
    return here->counter.exchange(0, std::memory_order_acq_rel) != 0 ? 0 : -EAGAIN;
  }
  static void close(int) noexcept { here->open.write(here->open.read() - 1); }
};
template <class Sync>
struct played_calls : played_kernel<Sync> {
  static int open() noexcept { return played_kernel<Sync>::open_eventfd(); }
};
template <class Sync>
using explored_notifier = basic_msg_ring_notifier<played_calls<Sync>, Sync>;

// A sender's ring: one entry, which comes through or is answered with an error when it is submitted.
template <class Sync>
struct played_port {
  [[nodiscard]] int descriptor() const noexcept { return 1; }
  [[nodiscard]] bool is_owner() const noexcept { return true; }
  bool queue(const ring_entry&, ring_answer& answer) noexcept {
    waiting = &answer;
    return true;
  }
  void submit(int result) {
    if (waiting == nullptr) return;
    if (result == 0) played_kernel<Sync>::here->complete();
    ring_answer& answer = *std::exchange(waiting, nullptr);
    answer.answered(answer, result);
  }
  ring_answer* waiting = nullptr;
};

// Two threads that each say something and signal, one of them through its ring; an owner that waits until it
// has heard both.
template <class Sync>
struct belfry {
  played_kernel<Sync> kernel;
  played_port<Sync> port;
  explored_notifier<Sync> bell{port, 77};
  std::array<typename Sync::template atomic<bool>, 2> said{};
};

template <class Sync>
sim::scenario<belfry<Sync>> two_signals(int message_result, int send_result) {
  sim::scenario<belfry<Sync>> result;
  result.thread("ringer by the call", [send_result](belfry<Sync>& b) {
    b.kernel.send_result = send_result;
    b.said[0].store(true, std::memory_order_relaxed);
    b.bell.signal();
  });
  result.thread("ringer by an entry", [message_result](belfry<Sync>& b) {
    b.said[1].store(true, std::memory_order_relaxed);
    b.bell.signal(b.port);
    b.port.submit(message_result);
  });
  result.thread("owner", [](belfry<Sync>& b) {
    while (!b.said[0].load(std::memory_order_relaxed) || !b.said[1].load(std::memory_order_relaxed)) {
      b.kernel.completion.wait();
      b.bell.consume();
    }
  });
  return result;
}

// What is written before a signal is read after it was consumed.
template <class Sync>
struct told : belfry<Sync> {
  typename Sync::template plain<int> word{0};
};

template <class Sync>
sim::scenario<told<Sync>> a_word_and_a_signal(bool by_entry) {
  sim::scenario<told<Sync>> result;
  result.thread("ringer", [by_entry](told<Sync>& t) {
    t.word.write(3);
    by_entry ? t.bell.signal(t.port) : t.bell.signal();
    t.port.submit(0);
  });
  result.thread("owner", [](told<Sync>& t) {
    while (!t.bell.consume()) Sync::pause();
    sim::require(t.word.read() == 3, "a signal came before what it is about");
  });
  return result;
}

// An owner that goes while two senders push and go; one of them submits its message when both sides may be
// gone.
template <class Sync>
struct household {
  using channel_type = wake_channel<basic_tagged_inbox<Sync>, explored_notifier<Sync>, Sync>;
  played_kernel<Sync> kernel;
  played_port<Sync> port;
  std::array<basic_wake_node<Sync>, 2> nodes;
  std::unique_ptr<channel_type> owner = std::make_unique<channel_type>(port, 77U);
  std::array<std::optional<typename channel_type::sender_type>, 2> senders{owner->sender(), owner->sender()};
};

template <class Sync>
sim::scenario<household<Sync>> everybody_goes(int message_result) {
  sim::scenario<household<Sync>> result;
  result.thread("sender by the call", [](household<Sync>& h) {
    h.senders[0]->push(h.nodes[0]);
    h.senders[0].reset();
  });
  result.thread("sender by an entry", [message_result](household<Sync>& h) {
    h.senders[1]->push(h.nodes[1], h.port);
    h.senders[1].reset();
    h.port.submit(message_result);
  });
  result.thread("owner", [](household<Sync>& h) {
    static_cast<void>(h.owner->try_arm());
    h.owner.reset();
  });
  result.finally([](household<Sync>& h) {
    sim::require(h.kernel.open.read() == 0, "a number was closed too often, or never");
    for (const auto& node : h.nodes)
      sim::require(!node.is_queued(), "a node is queued in a channel that is gone");
  });
  return result;
}

// A kernel with two loops that may watch the eventfd, the first of which is the ring that the notifier was
// made of.
template <class Sync>
struct two_loops_kernel {
  static constexpr std::uint32_t watched_by_second = 1U << 16U;
  two_loops_kernel() { here = this; }
  static inline two_loops_kernel* here = nullptr;

  typename Sync::event first, second;
  typename Sync::template atomic<std::uint32_t> counter{0};  // and who watches it

  void watch() {
    if (counter.fetch_or(watched_by_second, std::memory_order_acq_rel) != 0) second.post();
  }

  // What the notifier calls.
  static int duplicate(int ring) noexcept { return ring; }
  static int open() noexcept { return 2; }
  static bool can_send() noexcept { return true; }
  static int send(int, std::uint64_t) noexcept { return here->first.post(), 0; }
  static int add_one(int) noexcept {
    const bool is_watched = (here->counter.fetch_add(1, std::memory_order_acq_rel) & watched_by_second) != 0;
    (is_watched ? here->second : here->first).post();
    return 0;
  }
  static int take(int) noexcept { return 0; }
  static void close(int) noexcept {}
};
template <class Sync>
struct played_loop {
  two_loops_kernel<Sync>& kernel;
  int number;
  [[nodiscard]] int descriptor() const noexcept { return number; }
  [[nodiscard]] expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&>) { return 2; }
  void remove_sink(std::uint8_t) noexcept {}
  bool watch(const ring_entry&) noexcept {
    if (number == 2) kernel.watch();
    return true;
  }
  bool unwatch(std::uint64_t) noexcept { return true; }
};

// An owner that is attached to one loop, and moves to the other: whoever is told to signal afterwards signals
// there.
template <class Sync>
struct mover {
  using notifier_type = basic_msg_ring_notifier<two_loops_kernel<Sync>, Sync>;
  using channel_type = wake_channel<basic_tagged_inbox<Sync>, notifier_type, Sync>;
  using attached = decltype(std::declval<notifier_type&>().attach(std::declval<played_loop<Sync>&>()));

  two_loops_kernel<Sync> kernel;
  played_loop<Sync> first{kernel, 1}, second{kernel, 2};
  basic_wake_node<Sync> node;
  channel_type channel{first};
  std::unique_ptr<attached> to_first{new attached(channel.notifier().attach(first))};
  typename channel_type::sender_type sender = channel.sender();
};

template <class Sync>
sim::scenario<mover<Sync>> an_owner_that_moves() {
  sim::scenario<mover<Sync>> result;
  result.thread("sender", [](mover<Sync>& m) { m.sender.push(m.node); });
  result.thread("owner", [](mover<Sync>& m) {
    m.to_first.reset();
    auto to_second = m.channel.notifier().attach(m.second);
    while (m.channel.drain([](basic_wake_node<Sync>&) {}) == 0) {
      if (m.channel.try_arm()) m.kernel.second.wait();
    }
  });
  return result;
}

template <class Sync>
std::string what_breaks() {
  std::string report;
  const auto see = [&](const char* name, const auto& scenario, std::uint32_t preemptions_max) {
    if (report.empty()) report = sim::testing::what_breaks_to_the_end(name, scenario, preemptions_max);
  };
  see("signals", two_signals<Sync>(0, 0), 3);
  see("signals by an entry that fails", two_signals<Sync>(-ENOMEM, 0), 3);
  see("signals by the eventfd", two_signals<Sync>(-EINVAL, -EAGAIN), 3);
  see("a word by the call", a_word_and_a_signal<Sync>(false), 3);
  see("a word by an entry", a_word_and_a_signal<Sync>(true), 3);
  see("a message that outlives all", everybody_goes<Sync>(0), 3);
  see("a message that fails when all are gone", everybody_goes<Sync>(-ECANCELED), 3);
  see("an owner that moves", an_owner_that_moves<Sync>(), 3);
  return report;
}

TEST(explored_msg_ring, NoSignalIsLostAndNothingIsClosedUnderAMessageWithinTheBounds) {
  EXPECT_EQ(what_breaks<sim::explored_sync>(), "");
}

TEST(explored_msg_ring, EachOrderIsNeeded) {
  if (is_sanitized)
    GTEST_SKIP() << "a body that a violation stops lets go of nothing, and the sanitizer calls that a leak";
  using sync = weakening_sync<struct msg_ring>;
  ASSERT_EQ(what_breaks<sync>(), "");
  const std::vector<order_site> sites = sync::state.sites;
  std::size_t seen = 0;

  for (const weakening& w : weakenings(sites)) {
    // Those of the inbox, of the channel and of the played kernel are not in question here.
    if (sites[w.site].file.find("msg_ring_notifier") == std::string::npos) continue;
    sync::state.in_force = &w;
    const std::string report = what_breaks<sync>();
    sync::state.in_force = nullptr;
    std::cout << "mutant " << name_of(w, sites) << ", killed by " << report.substr(0, report.find('\n'))
              << '\n'
              << std::flush;
    EXPECT_NE(report, "") << name_of(w, sites) << " was not seen";
    ++seen;
  }

  EXPECT_EQ(seen, 5U) << "orders were added or taken away: two of signals, one of consume, two of letting go";
}

}  // namespace
}  // namespace pinion::waker::testing
