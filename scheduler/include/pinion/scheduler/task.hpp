// SPDX-License-Identifier: Apache-2.0
//
// task, join_handle: coroutines that an executor runs, and what is kept of one that was spawned.
//
//   task<int> answer() { co_return 42; }
//
//   task<> asks() {
//     const int here = co_await answer();            // runs it here: a part of this task
//     join_handle<int> other = spawn(answer());      // a task beside this one
//     std::printf("%d %d\n", here, co_await other);  // waits for its end
//   }
//
// A task begins when it is awaited or spawned. Awaited, it is a part of the task that awaits it: nothing is
// queued, and what it throws the co_await throws. Spawned, it is one of its own, and its result is in the
// handle.
//
// A handle that is dropped lets go: the task goes on by itself. What it then throws, the executor's run()
// throws. A result that was there already and is never taken is gone; an exception that is never taken is
// reported.
//
// Cancelling. cancel() requests the slot that the task waits under: what it waits for ends with
// std::errc::operation_canceled, and it goes on from there. It ends when its function does.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <new>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/scheduler/detail/outcome.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/scheduler/frames/use_frames.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

template <class T = void>
class task;
template <class T = void>
class join_handle;

namespace task_detail {

/// Reports that a task threw what nobody took.
PINION_EXPORT void tell_of_lost(const std::exception_ptr& thrown, const char* name) noexcept;

/// What all promises have.
class promise_base : public frame_allocated {
 public:
  promise_base() noexcept {}
  promise_base(const promise_base&) = delete;
  promise_base& operator=(const promise_base&) = delete;
  ~promise_base() {}

  static std::suspend_always initial_suspend() noexcept { return {}; }
  /// For resumption: by whom it is run.
  [[nodiscard]] executor_base& executor() const noexcept { return *by_; }

  /// It goes on there when it is over.
  void is_part_of(executor_base& by, std::coroutine_handle<> awaits) noexcept {
    PINION_ASSERT(by_ == nullptr, "a task was awaited twice");
    by_ = &by;
    awaits_ = awaits;
  }
  /// It is a task of its own.
  task_header& is_task(executor_base& by, std::coroutine_handle<> frame, task_queue& queue) noexcept {
    by_ = &by;
    return *::new (static_cast<void*>(&root)) task_header(frame, queue);
  }
  [[nodiscard]] task_header& header() noexcept { return root; }

 private:
  friend struct going_on;
  executor_base* by_ = nullptr;
  // U1: alive in the outermost coroutine of a task alone, from is_task() on until its executor destroys it,
  // just before the frame. It costs the others its room, and no allocation for it costs each task one.
  union {
    task_header root;
  };
  std::coroutine_handle<> awaits_;
};

/// At its end: goes on with who awaits it; or the task is over.
struct going_on {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  [[nodiscard]] static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> over) noexcept {
    Promise& promise = over.promise();
    if (promise.awaits_) return promise.awaits_;
    return promise.by_->end(promise.root, over, promise.thrown());
  }
  [[noreturn]] static void await_resume() noexcept { std::terminate(); }
};

template <class T>
struct promise : promise_base, outcome<T> {
  task<T> get_return_object() noexcept;
  static going_on final_suspend() noexcept { return {}; }
};

}  // namespace task_detail

/// A coroutine that has not begun, or is being awaited.
template <class T>
class [[nodiscard]] task {
  class awaiter;

 public:
  using promise_type = task_detail::promise<T>;  ///< what makes a function a coroutine of this kind
  using value_type = T;                          ///< what it gives

  /// The other one has no coroutine any more.
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&&) = delete;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  /// One that was neither awaited nor spawned never ran.
  ~task() {
    if (frame_) frame_.destroy();
  }

  /// Runs it as a part of the task that awaits it, once: its result, or what it threw.
  [[nodiscard]] awaiter operator co_await() && noexcept {
    PINION_ASSERT(frame_ != nullptr, "a task was awaited that was spawned or moved from");
    return awaiter{frame_};
  }

  /// Begins as a task of its own; for who keeps no join_handle, but joins or lets go of it by its executor.
  task_header& begin(executor_base& by, task_queue& queue, const char* name = nullptr) && noexcept {
    return begin(std::exchange(frame_, nullptr), by, queue, name);
  }

 private:
  friend promise_type;
  friend join_handle<T>;
  using frame = std::coroutine_handle<promise_type>;
  static task_header& begin(frame of, executor_base& by, task_queue& queue, const char* name) noexcept {
    PINION_ASSERT(of != nullptr, "a task was spawned that was spawned or moved from before");
    task_header& header = of.promise().is_task(by, of, queue);
    header.name = name;
    by.begin(header);
    return header;
  }
  explicit task(frame of) noexcept : frame_(of) {}

  frame frame_;
};

/// What a coroutine keeps in its frame while it awaits a part of itself.
template <class T>
class task<T>::awaiter {
 public:
  /// Of that coroutine, which stays the task's.
  explicit awaiter(frame of) noexcept : frame_(of) {}

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaits) noexcept {
    static_assert(knows_executor<Promise>,
                  "a task is awaited by a coroutine whose promise has an executor()");
    frame_.promise().is_part_of(executor_of(awaits.promise()), awaits);
    return frame_;
  }
  T await_resume() { return frame_.promise().result(); }

 private:
  frame frame_;
};

template <class T>
task<T> task_detail::promise<T>::get_return_object() noexcept {
  return task<T>{std::coroutine_handle<promise>::from_promise(*this)};
}

/// Of a task that was spawned; or of none, once it was moved from or has let go.
template <class T>
class join_handle {
  class waiting;
  class waiting_under;

 public:
  /// Spawns it there.
  join_handle(executor_base& by, task<T>&& what, task_queue& queue, const char* name = nullptr) noexcept
      : frame_(std::exchange(what.frame_, nullptr)) {
    task<T>::begin(frame_, by, queue, name);
  }
  /// The other one has none any more. Not while a coroutine awaits the other: it takes the result from there.
  join_handle(join_handle&& other) noexcept : frame_(other.release()) {}
  join_handle& operator=(join_handle&& other) noexcept {
    if (this != &other) {
      detach();
      frame_ = other.release();
    }
    return *this;
  }
  join_handle(const join_handle&) = delete;
  join_handle& operator=(const join_handle&) = delete;
  /// As detach().
  ~join_handle() { detach(); }

  /// Whether it has a task.
  [[nodiscard]] explicit operator bool() const noexcept { return frame_ != nullptr; }
  /// Whether that is over.
  [[nodiscard]] bool is_over() const noexcept { return header().is_over(); }
  /// The task goes on by itself.
  void detach() noexcept {
    if (frame_ == nullptr) return;
    auto& promise = frame_.promise();
    PINION_ASSERT(promise.header().is_over() || !promise.header().has_joiner(),
                  "a join_handle was dropped while it is awaited");
    if (promise.thrown() != nullptr && !promise.header().has_joiner())  // so it is over
      task_detail::tell_of_lost(*promise.thrown(), promise.header().name);
    frame_ = nullptr;
    executor_base::let_go(promise.header());
  }
  /// Requests the slot that it waits under. It ends when its function does.
  void cancel() noexcept { header().own_slot().request(); }

  /// Awaited: its end, once, however long that takes; gives its result, or throws what it threw. One
  /// coroutine at a time.
  [[nodiscard]] waiting operator co_await() noexcept { return waiting{*this}; }
  /// The same, or until the slot is requested, its own or that of the task that waits: then the other task
  /// goes on, and the handle is as before. co_await gives expected<T, std::error_code>.
  [[nodiscard]] waiting_under join() noexcept { return waiting_under{*this, nullptr}; }
  [[nodiscard]] waiting_under join(cancel_slot& slot) noexcept { return waiting_under{*this, &slot}; }
  /// For who joins it by its executor.
  [[nodiscard]] task_header& header() const noexcept {
    PINION_ASSERT(frame_ != nullptr, "a join_handle was asked that has let go of its task");
    return frame_.promise().header();
  }
  /// Of one that is over: its result, once, or throws what it threw.
  T take() {
    PINION_ASSERT(is_over(), "a task's result was taken before it was over: await the handle");
    const auto taken = std::exchange(frame_, nullptr);
    const leaving goes{taken};
    return taken.promise().result();
  }

 private:
  using frame = std::coroutine_handle<task_detail::promise<T>>;
  frame release() noexcept {
    PINION_ASSERT(frame_ == nullptr || !executor_base::is_joined_by(header(), &waiting::is_over),
                  "a join_handle was moved while it is awaited: keep it where it stays, not in a vector that "
                  "grows, or move it before");
    return std::exchange(frame_, nullptr);
  }
  struct leaving {
    frame of;
    ~leaving() { executor_base::let_go(of.promise().header()); }
  };

  frame frame_;
};

/// What a coroutine keeps in its frame while it waits for the end of another task.
template <class T>
class join_handle<T>::waiting : protected joiner {
 public:
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;
  /// It has gone on.
  ~waiting() { expect_wait_is_over(!waits_); }

  /// What an awaiter has.
  [[nodiscard]] bool await_ready() const noexcept { return of_.is_over(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) noexcept {
    static_assert(knows_executor<Promise>,
                  "a join is awaited by a coroutine whose promise has an executor()");
    PINION_ASSERT(&executor_of(who.promise()).running() != &of_.header(),
                  "a task waits for its own end, which would never come");
    waits_ = true;
    executor_base::join(of_.header(), this);
    who_ = resumption{who};
  }
  T await_resume() { return of_.take(); }

 protected:
  friend join_handle;
  explicit waiting(join_handle& of) noexcept : joiner(&is_over), of_(of) {}
  static void is_over(joiner& self, task_header& /*task*/, const std::exception_ptr* /*thrown*/) noexcept {
    static_cast<waiting&>(self).go_on();
  }
  void go_on() noexcept {
    waits_ = false;
    who_.go_on();
  }

  join_handle& of_;
  resumption who_;
  bool waits_ = false;
};

/// The same under a slot.
template <class T>
class join_handle<T>::waiting_under : public waiting, cancel_slot::wait {
 public:
  /// What an awaiter has.
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) noexcept {
    waiting::await_suspend(who);
    wait_under(slot_ != nullptr ? *slot_ : executor_of(who.promise()).slot());
  }
  expected<T, std::error_code> await_resume() {
    if (was_cancelled_) return unexpected<std::error_code>{wait_cancelled()};
    if constexpr (std::is_void_v<T>) {
      this->of_.take();
      return {};
    } else {
      return this->of_.take();
    }
  }

 private:
  friend join_handle;
  waiting_under(join_handle& of, cancel_slot* slot) noexcept
      : waiting(of), wait([](wait& self) noexcept {
          auto& mine = static_cast<waiting_under&>(self);
          if (!mine.waits_) return;  // the task is over already, and this only to go on
          mine.was_cancelled_ = true;
          executor_base::join(mine.of_.header(), nullptr);
          mine.go_on();
        }),
        slot_(slot) {}

  cancel_slot* slot_;
  bool was_cancelled_ = false;
};

/// Spawns a task beside the one that runs, in its queue; the name, for reports, outlives it. Inside a task
/// alone.
template <class T>
join_handle<T> spawn(task<T>&& what, const char* name = nullptr) noexcept {
  executor_base* const by = executor_base::current();
  PINION_ASSERT(by != nullptr, "spawn() was called where no executor runs: call its own spawn()");
  return {*by, std::move(what), by->current_queue(), name};
}
/// The same in that queue, which is one of the executor's that runs.
template <class T>
join_handle<T> spawn_into(task_queue& queue, task<T>&& what, const char* name = nullptr) noexcept {
  executor_base* const by = executor_base::current();
  PINION_ASSERT(by != nullptr, "spawn_into() was called where no executor runs: call its own spawn_into()");
  return {*by, std::move(what), queue, name};
}

}  // namespace pinion::scheduler::inline PINION_MODE
