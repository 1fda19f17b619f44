// SPDX-License-Identifier: Apache-2.0
//
// with_timeout: awaits a task, a sleep, an operation of io(), a join, or whatever else waits under the slot
// of its task, for so long at most.
//
//   const auto reply = co_await with_timeout(5s, asks(server));
//   if (!reply && reply.error() == std::errc::timed_out) co_return;
//
// When the time has come, what is awaited is cancelled: it waits under a slot of its own meanwhile, which is
// requested then, and with the task's. It is awaited to its end all the same, so nothing is left behind.
// Await it where it is made.
//
// What it gives. Of an awaitable that gives expected<T, std::error_code>: the same, with timed_out in place
// of operation_canceled where the time was why. Of one that gives T: expected<T, std::error_code>, the value
// if there is one, also where it came late; timed_out where it threw std::system_error with
// operation_canceled and the time was why. Of one that gives nothing: timed_out where the time had come
// before this task went on, which may be a little after it ended. What else it throws passes through.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <coroutine>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/time.hpp>
#include <pinion/scheduler/detail/awaiter_of.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/timer/when.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

namespace timeout_detail {

/// What can't be moved stays where it is: a temporary lives as long as the co_await that it stands in.
template <class Awaitable>
using kept = std::conditional_t<std::move_constructible<Awaitable>, Awaitable, Awaitable&&>;

template <class T>
inline constexpr bool is_expected = requires {
  typename T::value_type;
  requires std::derived_from<T, expected<typename T::value_type, std::error_code>>;
};
template <class T>
using given = std::conditional_t<is_expected<T>, T, expected<T, std::error_code>>;

/// A part of a task that waits under a slot of its own, which is requested with that of the task.
class inner_slot : cancel_slot::wait {
 public:
  inner_slot() noexcept : wait([](wait& self) noexcept { static_cast<inner_slot&>(self).slot_.request(); }) {}

  /// The running task waits under this from here on.
  void enter(task_header& task) noexcept {
    task_ = &task;
    outer_ = &task.wait_under(slot_);
    wait_under(*outer_);
  }
  void leave() noexcept {
    wait::leave();
    task_->wait_under(*outer_);
  }
  void request() noexcept { slot_.request(); }
  [[nodiscard]] bool is_requested() const noexcept { return slot_.is_requested(); }

 private:
  cancel_slot slot_;
  cancel_slot* outer_ = nullptr;
  task_header* task_ = nullptr;
};

}  // namespace timeout_detail

/// What a coroutine keeps in its frame while it awaits something for so long at most.
template <timer::delay_or_point When, class Awaitable>
class [[nodiscard]] timed : task_timer {
  using awaiter = await_detail::awaiter_type<Awaitable>;
  using result = await_detail::result_of<Awaitable>;
  static_assert(!std::is_reference_v<result>, "with_timeout gives values: let what it awaits give a pointer");

 public:
  /// That, for so long or until then.
  timed(When when, Awaitable&& what)
      : task_timer([](task_timer& due) { static_cast<timed&>(due).time_has_come(); }), when_(when),
        what_(std::forward<Awaitable>(what)) {}

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> who) {
    static_assert(knows_executor<Promise>,
                  "a task has a timeout: a coroutine whose promise has an executor()");
    by_ = &executor_of(who.promise());
    by_->arm(*this, by_->deadline(when_));
    is_armed_ = true;
    slot_.enter(by_->running());
    try {
      awaiter_.emplace(std::forward<Awaitable>(what_));
      if (awaiter_->of.await_ready()) return who;
      return await_detail::suspend_in(awaiter_->of, who);
    } catch (...) {
      end();
      throw;
    }
  }
  timeout_detail::given<result> await_resume() {
    end();
    if constexpr (timeout_detail::is_expected<result>) {
      result given = awaiter_->of.await_resume();
      if (!given && is_late_ && given.error() == wait_cancelled()) return too_late();
      return given;
    } else {
      try {
        if constexpr (std::is_void_v<result>) {
          awaiter_->of.await_resume();
          if (is_late_) return too_late();
          return {};
        } else {
          return awaiter_->of.await_resume();
        }
      } catch (const std::system_error& error) {
        if (!is_late_ || error.code() != wait_cancelled()) throw;
        return too_late();
      }
    }
  }

 private:
  // Made where it is awaited: an awaiter need not be movable.
  struct held {
    explicit held(Awaitable&& what) : of(await_detail::awaiter_of(std::forward<Awaitable>(what))) {}
    awaiter of;
  };

  static unexpected<std::error_code> too_late() noexcept {
    return unexpected<std::error_code>{std::make_error_code(std::errc::timed_out)};
  }
  void time_has_come() noexcept {
    is_armed_ = false;
    is_late_ = !slot_.is_requested();  // else it was cancelled before
    slot_.request();
  }
  void end() noexcept {
    slot_.leave();
    if (is_armed_) by_->disarm(*this);
  }

  When when_;
  timeout_detail::kept<Awaitable> what_;
  executor_base* by_ = nullptr;
  timeout_detail::inner_slot slot_;
  std::optional<held> awaiter_;
  bool is_armed_ = false;
  bool is_late_ = false;
};

/// Awaits `what` for that long, from the co_await on, or until that time.
template <timer::delay_or_point When, class Awaitable>
[[nodiscard]] timed<When, Awaitable> with_timeout(When when, Awaitable&& what) {
  return {when, std::forward<Awaitable>(what)};
}

}  // namespace pinion::scheduler::inline PINION_MODE
