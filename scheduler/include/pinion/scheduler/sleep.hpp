// SPDX-License-Identifier: Apache-2.0
//
// sleep_for, sleep_until: a task that waits for a time, in the timers of its executor, whatever they are.
//
//   const auto slept = co_await sleep_for(250ms);
//   if (!slept) co_return;  // the task was cancelled
//
//   co_await sleep_until(deadline);
//
// It sleeps under the slot of its task, and tells whether the time has come. It always suspends, also for a
// time that has been or under a slot that was requested: then until the next round. A delay counts from the
// co_await.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/base/time.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/timer/when.hpp>
#include <system_error>

namespace pinion::scheduler::inline PINION_MODE {

/// What a sleep gives: nothing when the time has come, or operation_canceled. A type of its own, as it may be
/// ignored: since tl::expected 1.1 an expected must not be.
struct slept : expected<void, std::error_code> {
  using expected<void, std::error_code>::expected;
};

/// What a coroutine keeps in its frame while it sleeps.
template <timer::delay_or_point When>
class [[nodiscard]] sleeping : task_timer, cancel_slot::wait {
 public:
  /// For so long, or until then.
  explicit sleeping(When when) noexcept
      : task_timer([](task_timer& due) { static_cast<sleeping&>(due).woken(); }),
        wait([](wait& self) noexcept { static_cast<sleeping&>(self).cancelled(); }), when_(when) {}
  /// It has gone on.
  ~sleeping() { expect_wait_is_over(!waits_); }

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) {
    static_assert(knows_executor<Promise>, "a task sleeps: a coroutine whose promise has an executor()");
    by_ = &executor_of(who.promise());
    by_->arm(*this, by_->deadline(when_));
    waits_ = true;
    who_ = resumption{who};
    wait_under(by_->slot());
  }
  slept await_resume() const noexcept {
    if (was_cancelled_) return unexpected<std::error_code>{wait_cancelled()};
    return {};
  }

 private:
  void woken() noexcept {
    waits_ = false;
    who_.go_on();
  }
  void cancelled() noexcept {
    if (!waits_) return;  // the time has come already, and this is only to go on
    was_cancelled_ = true;
    by_->hurry(*this);
  }

  When when_;
  executor_base* by_ = nullptr;
  resumption who_;
  bool waits_ = false;
  bool was_cancelled_ = false;
};

/// Sleeps for that long, from the co_await on.
template <timer::delay Delay>
sleeping<Delay> sleep_for(Delay wait) noexcept {
  return sleeping<Delay>{wait};
}
/// Sleeps until then, rounded up.
template <timer::point_in_time Point>
sleeping<Point> sleep_until(Point point) noexcept {
  return sleeping<Point>{point};
}

}  // namespace pinion::scheduler::inline PINION_MODE
