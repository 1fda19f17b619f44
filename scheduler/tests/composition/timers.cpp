// SPDX-License-Identifier: Apache-2.0
//
// The stores, as users have them: each in a timer_queue of its kind.
#include <pinion/timer.hpp>

#include "composition.hpp"

namespace pinion::scheduler::testing {
namespace {

template <class Store>
class timers_of final : public any_timers {
 public:
  explicit timers_of(world& in) : in_(in), queue_(in.clock()) {}

  timer::poll_result run(std::size_t budget) override {
    in_.loop_calls();
    const timer::poll_result polled = queue_.run(budget);
    count(polled);
    in_.loop_calls();
    return polled;
  }
  [[nodiscard]] instant next_wakeup() const noexcept override {
    in_.loop_calls();
    return queue_.next_wakeup();
  }
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept override {
    return queue_.lateness_bound(ahead);
  }
  [[nodiscard]] std::size_t size() const noexcept override { return queue_.size(); }
  [[nodiscard]] std::unique_ptr<any_wait> sleep_until(instant deadline, cancel_slot* slot) override {
    if (slot == nullptr) return wait_on([&] { return timer::sleep_until(queue_, deadline); });
    return wait_on([&] { return timer::sleep_until(queue_, deadline, *slot); });
  }

 private:
  world& in_;
  timer::timer_queue<Store, sim::virtual_clock::view> queue_;
};

template <class Store>
timers_value value(const char* name) {
  return {.name = name, .make = [](world& in) -> std::unique_ptr<any_timers> {
            return std::make_unique<timers_of<Store>>(in);
          }};
}
using call = inline_function<void()>;

}  // namespace

const std::vector<timers_value>& all_timers() {
  static const std::vector<timers_value> all{
      value<timer::ordered_map<call>>("ordered_map"),
      value<timer::two_level_wheel<call>>("two_level_wheel"),
      value<timer::stationary_wheel<call>>("stationary_wheel"),
      value<timer::overflow_wheel<call>>("overflow_wheel"),
      value<timer::bitmap_wheel>("bitmap_wheel"),
      value<timer::deferred_wheel<call>>("deferred_wheel"),
      value<timer::call_wheel>("deferred_hook_wheel"),
  };
  return all;
}

}  // namespace pinion::scheduler::testing
