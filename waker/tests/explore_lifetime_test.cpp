// SPDX-License-Identifier: Apache-2.0
//
// futex_notifier and wake_channel's reference count under every interleaving with at most three preemptions,
// and some at random.
#include <gtest/gtest.h>

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

struct stopped_clock {
  static instant now() noexcept { return instant{0}; }
};

// Two threads that each say something and signal; an owner that waits until it has heard both.
template <class Sync>
struct belfry {
  basic_futex_notifier<Sync, stopped_clock> bell;
  std::array<typename Sync::template atomic<bool>, 2> said{};
};

template <class Sync>
sim::scenario<belfry<Sync>> two_signals() {
  sim::scenario<belfry<Sync>> result;
  for (const std::size_t from : {0U, 1U}) {
    result.thread("ringer " + std::to_string(from + 1), [from](belfry<Sync>& b) {
      b.said[from].store(true, std::memory_order_relaxed);
      b.bell.signal();
    });
  }
  result.thread("owner", [](belfry<Sync>& b) {
    while (!b.said[0].load(std::memory_order_relaxed) || !b.said[1].load(std::memory_order_relaxed))
      b.bell.wait(never);
  });
  return result;
}

// What is written before a signal is read after the wait that it ended.
template <class Sync>
struct told {
  basic_futex_notifier<Sync, stopped_clock> bell;
  typename Sync::template plain<int> word{0};
};

template <class Sync>
sim::scenario<told<Sync>> a_word_and_a_signal() {
  sim::scenario<told<Sync>> result;
  result.thread("ringer", [](told<Sync>& t) {
    t.word.write(3);
    t.bell.signal();
  });
  result.thread("owner", [](told<Sync>& t) {
    while (!t.bell.wait(never)) Sync::pause();
    sim::require(t.word.read() == 3, "a signal came before what it is about");
  });
  return result;
}

// An owner that goes while two senders push and go: the last one of the three destroys.
template <class Sync>
struct household {
  using channel_type =
      wake_channel<basic_tagged_inbox<Sync>, basic_futex_notifier<Sync, stopped_clock>, Sync>;
  std::array<basic_wake_node<Sync>, 2> nodes;
  std::unique_ptr<channel_type> owner = std::make_unique<channel_type>();
  std::array<std::optional<typename channel_type::sender_type>, 2> senders{owner->sender(), owner->sender()};
};

template <class Sync>
sim::scenario<household<Sync>> everybody_goes() {
  sim::scenario<household<Sync>> result;
  for (const std::size_t which : {0U, 1U}) {
    result.thread("sender " + std::to_string(which + 1), [which](household<Sync>& h) {
      h.senders[which]->push(h.nodes[which]);
      h.senders[which].reset();
    });
  }
  result.thread("owner", [](household<Sync>& h) {
    static_cast<void>(h.owner->try_arm());
    h.owner.reset();
  });
  result.finally([](household<Sync>& h) {
    for (const auto& node : h.nodes)
      sim::require(!node.is_queued(), "a node is queued in a channel that is gone");
  });
  return result;
}

template <class Sync>
std::string what_breaks() {
  std::string report;
  const auto see = [&](const char* name, const auto& scenario, std::uint32_t preemptions_max) {
    if (report.empty()) report = sim::testing::what_breaks_to_the_end(name, scenario, preemptions_max);
  };
  see("two signals", two_signals<Sync>(), 3);
  see("a word and a signal", a_word_and_a_signal<Sync>(), 3);
  see("everybody goes", everybody_goes<Sync>(), 3);
  return report;
}

TEST(explored_lifetime, NeitherASignalNorAChannelIsLostWithinTheBounds) {
  EXPECT_EQ(what_breaks<sim::explored_sync>(), "");
}

TEST(explored_lifetime, EachOrderIsNeeded) {
  if (is_sanitized)
    GTEST_SKIP() << "a body that a violation stops lets go of nothing, and the sanitizer calls that a leak";
  using sync = weakening_sync<struct lifetime>;
  ASSERT_EQ(what_breaks<sync>(), "");
  const std::vector<order_site> sites = sync::state.sites;

  for (const weakening& w : weakenings(sites)) {
    // The inboxes' own orders are weakened in weakened_test.cpp.
    if (sites[w.site].file.find("futex_notifier") == std::string::npos &&
        sites[w.site].file.find("wake_channel") == std::string::npos)
      continue;
    sync::state.in_force = &w;
    const std::string report = what_breaks<sync>();
    sync::state.in_force = nullptr;
    std::cout << "mutant " << name_of(w, sites) << ", killed by " << report.substr(0, report.find('\n'))
              << '\n'
              << std::flush;
    EXPECT_NE(report, "") << name_of(w, sites) << " was not seen";
  }
}

}  // namespace
}  // namespace pinion::waker::testing
