// SPDX-License-Identifier: Apache-2.0
//
// any_timers: a timer_queue over any store, behind virtual calls: what a turn polls, and what coroutines
// sleep in, is compiled once. Below is the shipped queue over the shipped store; a store of hooks is one of
// values by timer's `owning`.
//
//   std::unique_ptr<any_timers> timers = timers_kinds()[k].make();
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pinion/timer.hpp>
#include <string_view>
#include <vector>

namespace pinion::scheduler::testing {

/// A calling_queue.
class any_timers {
 public:
  using value_type = inline_function<void()>;

  any_timers() = default;
  any_timers(const any_timers&) = delete;
  any_timers& operator=(const any_timers&) = delete;
  virtual ~any_timers() = default;

  /// As timer_queue has them.
  virtual timer::handle at(instant when, value_type&& value) = 0;
  virtual std::optional<value_type> cancel(timer::handle which) noexcept = 0;
  virtual bool reschedule(timer::handle which, instant when) = 0;
  virtual timer::poll_result run(std::size_t budget) = 0;
  [[nodiscard]] virtual instant next_wakeup() const noexcept = 0;
  [[nodiscard]] virtual instant latest() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  [[nodiscard]] virtual duration lateness_bound(duration ahead) const noexcept = 0;

  template <timer::delay Delay>
  [[nodiscard]] instant deadline(Delay wait) const noexcept {
    return timer::as_instant(wait, monotonic_clock::now());
  }
  template <timer::point_in_time Point>
  [[nodiscard]] instant deadline(Point point) const noexcept {
    return timer::as_instant(point, instant{});
  }
  [[nodiscard]] any_timers& backend() noexcept { return *this; }
};
static_assert(timer::calling_queue<any_timers>);

/// A store, by its name in cmake/parts.json.
struct timers_kind {
  std::string_view name;
  std::unique_ptr<any_timers> (*make)();
};
/// The list that a new store adds its name to.
[[nodiscard]] const std::vector<timers_kind>& timers_kinds();

}  // namespace pinion::scheduler::testing
