// SPDX-License-Identifier: Apache-2.0
//
// What the explorer is for: an inbox that several producers push to and one owner sleeps on, as it should be
// and with one order or one step missing at a time. The code is a template over sync_traits, as shipped code
// is.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/sync.hpp>
#include <pinion/sim/explore.hpp>
#include <string>
#include <thread>
#include <vector>

#include "to_the_end.hpp"

namespace pinion::sim {
namespace {

// What may be weakened or left out.
struct variation {
  std::memory_order push = std::memory_order_release;
  std::memory_order drain = std::memory_order_acquire;
  bool arms_by_exchange = true;  // or by a load and a store
  bool push_signals = true;
  bool has_fences = true;  // of flagged_inbox
};

template <sync_traits Sync>
struct node {
  typename Sync::template plain<node*> next{nullptr};
  typename Sync::template plain<int> value{0};
};

// A stack whose head also says that the owner sleeps.
template <sync_traits Sync>
class tagged_inbox {
 public:
  explicit tagged_inbox(const variation& how) : how_(how) {
    Sync::name(head_, "head");
    Sync::name(wake_, "wake");
  }

  void push(node<Sync>& item) {
    node<Sync>* seen = head_.load(std::memory_order_relaxed);
    do {
      item.next.write(seen == &asleep_ ? nullptr : seen);
    } while (!head_.compare_exchange_weak(seen, &item, how_.push, std::memory_order_relaxed));
    if (seen == &asleep_ && how_.push_signals) wake_.post();
  }

  node<Sync>* drain() { return head_.exchange(nullptr, how_.drain); }

  void sleep_if_empty() {
    if (how_.arms_by_exchange) {
      node<Sync>* expected = nullptr;
      if (!head_.compare_exchange_strong(expected, &asleep_, std::memory_order_relaxed,
                                         std::memory_order_relaxed))
        return;
    } else {
      if (head_.load(std::memory_order_relaxed) != nullptr) return;
      head_.store(&asleep_, std::memory_order_relaxed);
    }
    wake_.wait();
  }

 private:
  typename Sync::template atomic<node<Sync>*> head_{nullptr};
  typename Sync::event wake_;
  node<Sync> asleep_;
  variation how_;
};

// The same with a flag of its own, which needs a fence on either side.
template <sync_traits Sync>
class flagged_inbox {
 public:
  explicit flagged_inbox(const variation& how) : how_(how) {
    Sync::name(head_, "head");
    Sync::name(asleep_, "asleep");
    Sync::name(wake_, "wake");
  }

  void push(node<Sync>& item) {
    node<Sync>* seen = head_.load(std::memory_order_relaxed);
    do {
      item.next.write(seen);
    } while (!head_.compare_exchange_weak(seen, &item, how_.push, std::memory_order_relaxed));
    if (how_.has_fences) Sync::fence(std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_relaxed) && asleep_.exchange(false, std::memory_order_relaxed))
      wake_.post();
  }

  node<Sync>* drain() { return head_.exchange(nullptr, how_.drain); }

  void sleep_if_empty() {
    asleep_.store(true, std::memory_order_relaxed);
    if (how_.has_fences) Sync::fence(std::memory_order_seq_cst);
    if (head_.load(std::memory_order_relaxed) == nullptr ||
        !asleep_.exchange(false, std::memory_order_relaxed)) {
      wake_.wait();
    }
  }

 private:
  typename Sync::template atomic<node<Sync>*> head_{nullptr};
  typename Sync::template atomic<bool> asleep_{false};
  typename Sync::event wake_;
  variation how_;
};

template <class Inbox, class Sync, std::size_t Nodes>
struct office {
  explicit office(const variation& how) : inbox(how) {}

  void owner() {
    while (count < Nodes) {
      const node<Sync>* item = inbox.drain();
      if (item == nullptr) inbox.sleep_if_empty();
      for (; item != nullptr; item = item->next.read()) {
        sum += item->value.read();
        ++count;
      }
    }
  }
  void producer(std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) {
      nodes[index].value.write(static_cast<int>(index) + 1);
      inbox.push(nodes[index]);
    }
  }

  Inbox inbox;
  std::array<node<Sync>, Nodes> nodes;
  std::size_t count = 0;
  int sum = 0;
};

template <template <class> class Inbox>
auto two_producers(const variation& how = {}) {
  using state = office<Inbox<explored_sync>, explored_sync, 2>;
  scenario<state> result{[how] { return std::make_shared<state>(how); }};
  result.thread("owner", [](state& s) { s.owner(); });
  result.thread("left", [](state& s) { s.producer(0, 1); });
  result.thread("right", [](state& s) { s.producer(1, 2); });
  result.finally([](state& s) { require(s.sum == 3, "an item was lost or came twice"); });
  return result;
}

template <template <class> class Inbox>
exploration explored(const variation& how) {
  return explore(two_producers<Inbox>(how));
}

void expect_found(const exploration& found, const std::string& violation) {
  EXPECT_EQ(found.violation.substr(0, violation.size()), violation) << found.report();
}

TEST(explore_inbox, ATaggedInboxLosesNothingWithThreePreemptions) {
  EXPECT_EQ(testing::what_breaks_to_the_end("tagged inbox", two_producers<tagged_inbox>(), 3), "");
}

TEST(explore_inbox, EachMissingOrderOfATaggedInboxIsADataRace) {
  expect_found(explored<tagged_inbox>({.push = std::memory_order_relaxed}), "data race");
  expect_found(explored<tagged_inbox>({.drain = std::memory_order_relaxed}), "data race");
}

TEST(explore_inbox, EachMissingStepOfATaggedInboxLosesAWake) {
  expect_found(explored<tagged_inbox>({.arms_by_exchange = false}), "lost wake");
  expect_found(explored<tagged_inbox>({.push_signals = false}), "lost wake");
}

TEST(explore_inbox, AFlaggedInboxLosesNothingWithTwoPreemptionsAndAWakeWithoutItsFences) {
  EXPECT_EQ(testing::what_breaks_to_the_end("flagged inbox", two_producers<flagged_inbox>(), 2), "");
  expect_found(explored<flagged_inbox>({.has_fences = false}), "lost wake");
}

TEST(explore_inbox, TheSameCodeRunsOnTheMachine) {
  constexpr std::size_t nodes = 2000;
  using state = office<tagged_inbox<std_sync>, std_sync, nodes>;
  const auto office = std::make_unique<state>(variation{});

  std::thread left{[&] { office->producer(0, nodes / 2); }};
  std::thread right{[&] { office->producer(nodes / 2, nodes); }};
  office->owner();
  left.join();
  right.join();

  EXPECT_EQ(office->sum, nodes * (nodes + 1) / 2);
}

}  // namespace
}  // namespace pinion::sim
