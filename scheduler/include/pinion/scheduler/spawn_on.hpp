// SPDX-License-Identifier: Apache-2.0
//
// spawn_on: a task of another executor, on the thread of that one, awaited here.
//
//   const auto sum = co_await spawn_on(worker, [] { return adds(40, 2); });
//   if (!sum) co_return;  // that executor has ended
//
// `worker` is a remote_executor. The function is kept in the frame of the task that awaits, called on the
// other thread, and destroyed here when the wait is over. It makes the task and does nothing else: it runs in
// a drain of the other executor, and the task's frame comes from that one's allocator. A lambda may be a
// coroutine itself, and refer to what the awaiting task keeps. The task begins in the other main_queue().
// Its frame is all that is allocated.
//
// It gives what the task gives, or throws what the task or the function threw. There is an error only where
// the task never began: errc::closed, since that executor has ended or is ending; operation_canceled, since
// the awaiting task had been cancelled before.
//
// Cancelling. To cancel the awaiting task cancels the other one, by a message, and waits for its end. As for
// any task that is cancelled, that is when its function ends, and what it gives is kept.
//
// How. Two messages stand in the awaiting frame: the job, and the cancellation. Each message that was sent
// comes home: it is called there, and pushed back. The job comes home when the task is over and its frame is
// destroyed, or at once where no task is made. The wait is over when all that was sent is home. So the other
// thread knows nothing of this frame when the wait ends, whichever executor ends first:
//
//   the other one ends   A job that was not begun comes home. A task that runs is cancelled, and comes home
//                        from its end. Later pushes are answered `closed`: nothing was sent.
//   this one ends        The awaiting task is cancelled.
//
// A task that ignores that it is cancelled is reported and left by its executor, as executor.hpp says. Then
// its job never comes home, and the awaiting task waits until its own executor leaves it. A job that comes
// home behind that is refused, and the frame stays as it is. A job that was not begun by then may begin
// later: so a lambda refers to what the awaiting frame keeps, and to nothing that ends with the home
// executor.
//
// Portable jobs. A worker that is to end while others work on may name one of them its heir. A job which
// spawn_portable() sent, and which an ending worker has not begun, comes home as any other one, with the name
// of the heir, and is sent there. So it can be lost or begun twice as little as a job that is sent once. A
// job that is sent when the worker has closed for good is answered `closed`, as any other. Executors that are
// each other's heirs and end together pass a job on until one of them has closed.
//
// Memory ordering. There is no atomic word here, and each field has one thread at a time. A push happens
// before what its drain does (law W1), so the fields of the job pass from the home thread to the other one
// with the job, and back with it. The cancellation was pushed by the same thread, so it is drained behind the
// job (law W4), and touches only what the other thread keeps until all is home. What the home thread keeps
// meanwhile (away_, the slot, the resumption) no other thread touches.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/scheduler/remote_executor.hpp>
#include <pinion/scheduler/task.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/wake_event.hpp>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

namespace pinion::scheduler::inline PINION_MODE {

namespace spawn_on_detail {
template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;
}  // namespace spawn_on_detail

/// Called without arguments, it gives a task.
template <class Function> concept makes_task = spawn_on_detail::is_task<std::invoke_result_t<Function&>>;

/// What a coroutine keeps in its frame while a task of another executor works for it.
template <makes_task Function>
class [[nodiscard]] spawned_on : cancel_slot::wait, joiner {
  using value_type = typename std::invoke_result_t<Function&>::value_type;

 public:
  /// Of that executor, of what the function makes; a portable one may begin on the executor's heir.
  spawned_on(remote_executor there, Function&& what, const char* name, bool is_portable)
      : wait([](wait& self) noexcept { static_cast<spawned_on&>(self).cancel(); }), joiner(&ended),
        there_(std::move(there)), makes_(std::move(what)), name_(name), is_portable_(is_portable) {}
  /// It has gone on.
  ~spawned_on() { expect_wait_is_over(away_ == 0); }

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) {
    static_assert(knows_executor<Promise>,
                  "a task awaits one of another executor: a coroutine whose promise has an executor()");
    executor_base& here = executor_of(who.promise());
    home_.emplace(here.remote());
    slot_ = &here.slot();
    who_ = resumption{who};
    send_job();
  }
  expected<value_type, std::error_code> await_resume() {
    if (const auto* const thrown = std::get_if<std::exception_ptr>(&outcome_))
      std::rethrow_exception(*thrown);
    if (const auto* const error = std::get_if<std::error_code>(&outcome_))
      return unexpected<std::error_code>{*error};
    if constexpr (std::is_void_v<value_type>)
      return {};
    else
      return std::move(std::get<value>(outcome_).of);
  }

 private:
  // What is sent there, and comes back.
  struct message : waker::wake_call {
    message(spawned_on& in, void (spawned_on::*when_called)() noexcept) noexcept
        : wake_call([](wake_call& self) {
            auto& mine = static_cast<message&>(self);
            (mine.of.*mine.then)();
          }),
          of(in), then(when_called) {}
    spawned_on& of;
    void (spawned_on::*then)() noexcept;
  };
  struct value {
    std::conditional_t<std::is_void_v<value_type>, std::monostate, value_type> of;
  };

  // From the push on the frame may be gone: the sender is a copy. Where home is closed, its executor has left
  // the task that waits behind.
  void send_home(message& what) noexcept {
    what.then = &spawned_on::came_home;
    const remote_executor home = *home_;
    static_cast<void>(home.push(what));
  }

  // On the other thread.
  void begin() noexcept {
    executor_base& there = there_.executor();
    if (!there.is_ending()) {
      try {
        running_.emplace(there, makes_(), there.main_queue(), name_);
        return executor_base::join(running_->header(), this);
      } catch (...) {
        outcome_ = std::current_exception();
      }
    } else if (is_portable_) {
      heir_ = there.heir();
    }
    send_home(job_);
  }
  static void ended(joiner& self, task_header& /*task*/, const std::exception_ptr* /*thrown*/) noexcept {
    auto& mine = static_cast<spawned_on&>(self);
    mine.take();
    mine.running_.reset();
    mine.send_home(mine.job_);
  }
  void take() noexcept {
    try {
      if constexpr (std::is_void_v<value_type>) {
        running_->take();
        outcome_.template emplace<value>();
      } else {
        outcome_.template emplace<value>(value{running_->take()});
      }
    } catch (...) {
      outcome_ = std::current_exception();
    }
  }
  void cancel_there() noexcept {
    if (running_.has_value()) running_->cancel();
    send_home(cancellation_);
  }

  // On this thread.
  void send_job() noexcept {
    job_.then = &spawned_on::begin;
    if (slot_->is_requested())
      outcome_ = wait_cancelled();
    else if (send(job_))
      return wait_under(*slot_);
    who_.go_on();  // in its turn
  }
  void cancel() noexcept { send(cancellation_); }
  bool send(message& what) noexcept {
    const bool is_sent = there_.push(what) != waker::push_result::closed;
    away_ += is_sent ? 1 : 0;
    return is_sent;
  }
  void came_home() noexcept {
    if (--away_ != 0) return;
    leave();
    if (!heir_.has_value()) return who_.go_on();
    there_ = *std::exchange(heir_, std::nullopt);
    send_job();
  }

  remote_executor there_;
  std::optional<remote_executor> home_;
  Function makes_;
  const char* name_;
  bool is_portable_;
  message job_{*this, &spawned_on::begin};
  message cancellation_{*this, &spawned_on::cancel_there};
  // The home thread's.
  resumption who_;
  cancel_slot* slot_ = nullptr;  // of who waits
  int away_ = 0;                 // messages that have not come home
  // Of who has the job.
  std::optional<join_handle<value_type>> running_;
  std::optional<remote_executor> heir_;  // where a job goes next that was not begun
  std::variant<std::error_code, value, std::exception_ptr> outcome_{make_error_code(errc::closed)};
};

/// Awaited in a task: what the task gives that `what` makes there. The name, for reports, outlives it.
template <class Function>
  requires makes_task<std::decay_t<Function>>
[[nodiscard]] spawned_on<std::decay_t<Function>> spawn_on(remote_executor there, Function&& what,
                                                          const char* name = nullptr) {
  return {std::move(there), std::decay_t<Function>(std::forward<Function>(what)), name, false};
}

/// The same of a job that may begin on that executor's heir, where the executor ends before it has begun the
/// job: for what refers to nothing of one worker alone.
template <class Function>
  requires makes_task<std::decay_t<Function>>
[[nodiscard]] spawned_on<std::decay_t<Function>> spawn_portable(remote_executor there, Function&& what,
                                                                const char* name = nullptr) {
  return {std::move(there), std::decay_t<Function>(std::forward<Function>(what)), name, true};
}

}  // namespace pinion::scheduler::inline PINION_MODE
