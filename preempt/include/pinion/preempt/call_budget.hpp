// SPDX-License-Identifier: Apache-2.0
//
// call_budget: how much a task may do between two yields, counted over all that it calls.
//
// A task that reads a socket that is always ready, or takes from a channel that is never empty, awaits all
// the time and never stops. tokio has a budget for that, which each task finds in a thread-local. This one is
// an object of the task's, that goes where the calls go: by reference, or as a smaller part for a callee that
// is to stop more often. What a part spends, all above it have spent.
//
//   task<> answer(std::span<const int> rows, preempt::call_budget& whole) {
//     preempt::call_budget part{whole, 32};  // 32 between two yields, and not more than is left of the whole
//     for (int row : rows) {
//       co_await part.spend(2);              // by promise.executor()
//       work(row);
//     }
//   }
//
//   preempt::call_budget budget{256};
//   while (const request* next = from.read()) {  // that is always ready
//     co_await budget.spend(executor);           // one unit; lets others run first, if none is left
//     co_await answer(next->rows, budget);
//   }
//
//   // a plain function unwinds, and is called again
//   bool walk(std::span<const int>& rest, preempt::call_budget& budget) {
//     for (; !rest.empty(); rest = rest.subspan(1)) {
//       if (!budget.try_spend()) return false;
//       work(rest.front());
//     }
//     return true;
//   }
//
//   while (!walk(rest, budget)) co_await budget.spend(executor, 0);  // … once there is something to spend
//
// A call_budget looks at no word and no clock: its yields are the same in each run, and it yields though
// nobody may wait. operation_budget is something else: the executor's, one for each slice, whichever tasks
// run in it, and asked by every check.
#pragma once

#include <pinion/config.hpp>

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/preempt/executor.hpp>
#include <pinion/preempt/yield_if_needed.hpp>

namespace pinion::preempt::inline PINION_MODE {

template <yielding_executor Executor>
class spending;
class spending_here;

/// Of one task. A part is gone before what it is a part of.
class call_budget {
 public:
  /// So many units, at least 1, between two yields.
  explicit call_budget(std::uint32_t units) noexcept : call_budget(nullptr, units) {}
  /// So many, at least 1, of what that one has.
  call_budget(call_budget& above, std::uint32_t units) noexcept : call_budget(&above, units) {}
  call_budget(const call_budget&) = delete;
  call_budget& operator=(const call_budget&) = delete;

  /// Spends so many, here and in all above. False, and nothing is spent, if this one or one above is used up:
  /// unwind, and let the coroutine that called await spend(). Of more than is left, it spends what is left.
  [[nodiscard]] bool try_spend(std::uint32_t units = 1) noexcept {
    if (left() == 0) return false;
    for (call_budget* each = this; each != nullptr; each = each->above_)
      each->left_ -= std::min(units, each->left_);
    return true;
  }
  /// Awaited: the same; but where it would be false, others run first, and then this one and all above are
  /// full again.
  template <yielding_executor Executor>
  [[nodiscard]] spending<Executor> spend(Executor& executor, std::uint32_t units = 1) noexcept;
  [[nodiscard]] spending_here spend(std::uint32_t units = 1) noexcept;

  /// What can be spent before the next yield: the least of what is left here and above.
  [[nodiscard]] std::uint32_t left() const noexcept {
    std::uint32_t least = left_;
    for (const call_budget* each = above_; each != nullptr; each = each->above_)
      least = std::min(least, each->left_);
    return least;
  }
  /// The task has let others run by other means: this one and all above are full.
  void refill() noexcept {
    for (call_budget* each = this; each != nullptr; each = each->above_) each->left_ = each->units_;
  }

 private:
  call_budget(call_budget* above, std::uint32_t units) noexcept : above_(above), units_(units), left_(units) {
    PINION_ASSERT(
        units != 0,
        "a call_budget of 0 units lets a function do nothing, however often it is called: give it 1 or more");
  }

  call_budget* above_;
  std::uint32_t units_;
  std::uint32_t left_;
};

namespace call_budget_detail {
// After a yield. Not before it: another coroutine of the task's, that runs meanwhile, is to find it used up
// as well.
inline void spend_anew(call_budget& budget, std::uint32_t units) noexcept {
  budget.refill();
  static_cast<void>(budget.try_spend(units));
}
}  // namespace call_budget_detail

/// What spend() returns: with the executor …
template <yielding_executor Executor>
class [[nodiscard]] spending {
 public:
  /// So many units of that budget.
  spending(Executor& executor, call_budget& of, std::uint32_t units) noexcept
      : executor_(executor), of_(of), units_(units) {}

  /// What an awaiter has.
  [[nodiscard]] bool await_ready() noexcept {
    yield_detail::look(executor_);
    return is_spent_ = of_.try_spend(units_);
  }
  void await_suspend(std::coroutine_handle<> task) const noexcept { yield_detail::yield(executor_, task); }
  void await_resume() const noexcept {
    if (!is_spent_) [[unlikely]]
      call_budget_detail::spend_anew(of_, units_);
  }

 private:
  Executor& executor_;
  call_budget& of_;
  std::uint32_t units_;
  bool is_spent_ = false;
};

/// … and in a coroutine whose promise knows it.
class [[nodiscard]] spending_here {
 public:
  /// So many units of that budget.
  spending_here(call_budget& of, std::uint32_t units) noexcept : of_(of), units_(units) {}

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <can_yield Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) noexcept {
    auto& executor = executor_of(task.promise());
    yield_detail::look(executor);
    is_spent_ = of_.try_spend(units_);
    if (!is_spent_) yield_detail::yield(executor, task);
    return !is_spent_;
  }
  void await_resume() const noexcept {
    if (!is_spent_) [[unlikely]]
      call_budget_detail::spend_anew(of_, units_);
  }

 private:
  call_budget& of_;
  std::uint32_t units_;
  bool is_spent_ = false;
};

// ---- Implementation ----

template <yielding_executor Executor>
spending<Executor> call_budget::spend(Executor& executor, std::uint32_t units) noexcept {
  return {executor, *this, units};
}
inline spending_here call_budget::spend(std::uint32_t units) noexcept { return {*this, units}; }

}  // namespace pinion::preempt::inline PINION_MODE
