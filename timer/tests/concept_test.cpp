// SPDX-License-Identifier: Apache-2.0
//
// What models the concepts, and what does not.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <pinion/timer.hpp>

namespace pinion::timer {
namespace {

/// The least that a store of values has to have.
struct least_store {
  using value_type = int;
  static constexpr store_traits traits{firing_order::none, growth::linear, growth::linear, allocation::always,
                                       forever};
  explicit least_store(instant) {}
  handle schedule(instant, int&&) { return {}; }
  std::optional<int> cancel(handle) noexcept { return {}; }
  bool reschedule(handle, instant) { return false; }
  template <sink_for<int> Sink>
  poll_result poll(instant, std::size_t, Sink&&) {
    return {};
  }
  void reserve(std::size_t) {}
  void clear() {}
  [[nodiscard]] instant next_wakeup() const noexcept { return never; }
  [[nodiscard]] duration lateness_bound(duration) const noexcept { return {}; }
  [[nodiscard]] std::size_t size() const noexcept { return 0; }
};

struct cancels_to_bool : least_store {
  using least_store::least_store;
  bool cancel(handle) noexcept { return false; }
};
struct cancel_may_throw : least_store {
  using least_store::least_store;
  std::optional<int> cancel(handle) { return {}; }  // NOLINT: not noexcept is the point
};
struct counts_in_int : least_store {
  using least_store::least_store;
  [[nodiscard]] int size() const noexcept { return 0; }
};
struct has_no_start : least_store {
  has_no_start() : least_store(instant{0}) {}
};
struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) noexcept(false) {}
};
struct keeps_throwing_values : least_store {
  using least_store::least_store;
  using value_type = throws_when_moved;
};

/// The least that a store of hooks has to have.
struct least_hook_store {
  struct hook_type {};
  static constexpr store_traits traits{firing_order::none, growth::linear, growth::linear, allocation::never,
                                       forever};
  explicit least_hook_store(instant) {}
  void schedule(hook_type&, instant) noexcept {}
  bool cancel(hook_type&) noexcept { return false; }
  bool reschedule(hook_type&, instant) noexcept { return false; }
  template <class Sink>
  poll_result poll(instant, std::size_t, Sink&&) {
    return {};
  }
  void clear() {}
  [[nodiscard]] instant next_wakeup() const noexcept { return never; }
  [[nodiscard]] duration lateness_bound(duration) const noexcept { return {}; }
  [[nodiscard]] std::size_t size() const noexcept { return 0; }
};
struct arming_may_fail : least_hook_store {
  using least_hook_store::least_hook_store;
  void schedule(hook_type&, instant) {}  // NOLINT: not noexcept is the point
};

static_assert(timer_store<least_store>);
static_assert(timer_store<ordered_map<int>>);
static_assert(timer_store<ordered_map<std::unique_ptr<int>>>);
static_assert(timer_store<default_store<int>>);
static_assert(!timer_store<cancels_to_bool>);
static_assert(!timer_store<cancel_may_throw>);
static_assert(!timer_store<counts_in_int>);
static_assert(!timer_store<has_no_start>);
static_assert(!timer_store<keeps_throwing_values>);
static_assert(!timer_store<least_hook_store>);

static_assert(intrusive_timer_store<least_hook_store>);
static_assert(!intrusive_timer_store<arming_may_fail>);
static_assert(!intrusive_timer_store<ordered_map<int>>);

static_assert(sink_for<void (*)(handle, instant, int&&), int>);
static_assert(sink_for<void (*)(handle, instant, int), int>, "a sink may take the value by value");
static_assert(!sink_for<void (*)(handle, instant, int&), int>, "a sink is handed the value, not lent it");
static_assert(!sink_for<void (*)(handle, int&&), int>);

TEST(timer_store, TheLeastStoreThatModelsTheConceptCanBeUsedThroughIt) {
  const auto drive = [](timer_store auto& store) {
    return store.poll(never, unlimited, [](handle, instant, int&&) {});
  };
  least_store store{instant{0}};

  EXPECT_EQ(drive(store).fired, 0U);
}

}  // namespace
}  // namespace pinion::timer
