// SPDX-License-Identifier: Apache-2.0
//
// What models the concepts, and what does not.
#include <gtest/gtest.h>

#include <pinion/waker.hpp>

namespace pinion::waker {
namespace {

/// The least that an inbox has to have.
struct least_inbox {
  using node_type = wake_node;
  push_result push(node_type&) noexcept { return push_result::closed; }
  template <class Sink>
  std::size_t drain(Sink&&) {
    return 0;
  }
  bool try_arm() noexcept { return false; }
  bool disarm() noexcept { return false; }
  [[nodiscard]] bool has_wakes() const noexcept { return false; }
  template <class Sink>
  std::size_t close(Sink&&) {
    return 0;
  }
  [[nodiscard]] bool is_closed() const noexcept { return true; }
};
struct push_may_throw : least_inbox {
  push_result push(node_type&) { return push_result::closed; }  // NOLINT: not noexcept is the point
};
struct answers_whether_it_worked : least_inbox {
  bool push(node_type&) noexcept { return false; }
};
struct drain_counts_nothing : least_inbox {
  template <class Sink>
  void drain(Sink&&) {}
};

/// The least that a notifier has to have.
struct least_notifier {
  bool signal() noexcept { return true; }
  bool consume() noexcept { return false; }
};
struct signal_may_throw : least_notifier {
  bool signal() { return true; }  // NOLINT: not noexcept is the point
};

static_assert(inbox<least_inbox>);
static_assert(inbox<tagged_inbox>);
static_assert(inbox<bounded_inbox<>>);
static_assert(inbox<mutex_inbox>);
static_assert(inbox<default_inbox>);
static_assert(!inbox<push_may_throw>);
static_assert(!inbox<answers_whether_it_worked>);
static_assert(!inbox<drain_counts_nothing>);
static_assert(inbox_core<value_inbox<int>>);
static_assert(!inbox<value_inbox<int>>, "it takes values, not nodes");

static_assert(notifier<least_notifier>);
static_assert(!waiting_notifier<least_notifier>);
static_assert(!notifier<signal_may_throw>);
static_assert(waiting_notifier<eventfd_notifier>);
static_assert(waiting_notifier<futex_notifier>);
static_assert(waiting_notifier<default_notifier>);

struct least_port {
  [[nodiscard]] int descriptor() const noexcept { return -1; }
  [[nodiscard]] bool is_owner() const noexcept { return false; }
  bool queue(const ring_entry&, ring_answer&) noexcept { return false; }
};
static_assert(notifier<msg_ring_notifier>);
static_assert(!waiting_notifier<msg_ring_notifier>, "its owner waits in its ring");
static_assert(ring_notifier<msg_ring_notifier, least_port>);
static_assert(!ring_notifier<msg_ring_notifier, least_notifier>, "that is no port");
static_assert(!ring_notifier<eventfd_notifier, least_port>);

TEST(inbox, TheLeastOnesThatModelTheConceptsCanBeJoined) {
  wake_channel<least_inbox, least_notifier> channel;
  wake_node node;

  const push_result result = channel.sender().push(node);

  EXPECT_EQ(result, push_result::closed);
}

}  // namespace
}  // namespace pinion::waker
