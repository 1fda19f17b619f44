// SPDX-License-Identifier: Apache-2.0
#include "any_timers.hpp"

#include <utility>

#include "owning.hpp"

namespace pinion::scheduler::testing {
namespace {

template <template <class> class Store>
class timers_of final : public any_timers {
 public:
  timer::handle at(instant when, value_type&& value) override { return queue_.at(when, std::move(value)); }
  std::optional<value_type> cancel(timer::handle which) noexcept override { return queue_.cancel(which); }
  bool reschedule(timer::handle which, instant when) override { return queue_.push_on(which, when); }
  timer::poll_result run(std::size_t budget) override { return queue_.run(budget); }
  [[nodiscard]] instant next_wakeup() const noexcept override { return queue_.next_wakeup(); }
  [[nodiscard]] instant latest() const noexcept override { return queue_.latest(); }
  [[nodiscard]] std::size_t size() const noexcept override { return queue_.size(); }
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept override {
    return queue_.lateness_bound(ahead);
  }

 private:
  timer::timer_queue<Store<value_type>> queue_;
};

template <template <class> class Store>
timers_kind of(std::string_view name) {
  return {name, []() -> std::unique_ptr<any_timers> { return std::make_unique<timers_of<Store>>(); }};
}

}  // namespace

const std::vector<timers_kind>& timers_kinds() {
  static const std::vector<timers_kind> all{
      of<timer::ordered_map>("ordered_map"),
      of<timer::two_level_wheel>("two_level_wheel"),
      of<timer::stationary_wheel>("stationary_wheel"),
      of<timer::overflow_wheel>("overflow_wheel"),
      of<timer::deferred_wheel>("deferred_wheel"),
      of<timer::testing::owning_bitmap_wheel>("bitmap_wheel"),
      of<timer::testing::owning_deferred_hook_wheel>("deferred_hook_wheel"),
  };
  return all;
}

}  // namespace pinion::scheduler::testing
