// SPDX-License-Identifier: Apache-2.0
//
// task_group: tasks that end before what spawned them goes on.
//
//   task_group all;
//   for (const int each : servers) all.spawn(tells(each));
//   co_await all.join();  // until each is over; throws what the first of them threw
//
// The tasks wait under the group's slot, which is requested by cancel(), when one of them throws, and when
// the slot of the task that joins it is; the others are waited for then. A group is joined before it goes, on
// each path: as with a std::thread, one that is not empty at its end ends the program. After a join it can be
// used again.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <pinion/scheduler/task.hpp>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// Of the task that makes it.
class PINION_EXPORT task_group : joiner {
  class joining;

 public:
  /// Empty; of the task that runs.
  task_group() noexcept;
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// It is empty.
  ~task_group();

  /// Spawns a task of the group, in that queue, or in that of the task that runs. Its result is dropped.
  /// While the group is joined only its own tasks do so: from others it could come when the join is over.
  void spawn(task<>&& what, const char* name = nullptr) noexcept {
    spawn_into(by_->current_queue(), std::move(what), name);
  }
  void spawn_into(task_queue& queue, task<>&& what, const char* name = nullptr) noexcept {
    task_header& begun = std::move(what).begin(*by_, queue, name);
    add(begun);
    executor_base::let_go(begun);
  }
  /// The same, of which a handle is kept: to take its result from when the group is joined, not to be awaited
  /// or cancelled.
  template <class T>
  [[nodiscard]] join_handle<T> spawn_kept(task<T>&& what) noexcept {
    join_handle<T> kept{*by_, std::move(what), by_->current_queue()};
    add(kept.header());
    return kept;
  }
  /// How many are not over.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Requests the slot of the group. Tasks that are spawned from here on find it requested, until it was
  /// joined.
  void cancel() noexcept { slot_.request(); }
  /// Awaited: until all are over, also those that are spawned meanwhile. Throws what the first one threw that
  /// threw.
  [[nodiscard]] joining join() noexcept;

 private:
  void add(task_header& task) noexcept;
  static void ended(joiner& self, task_header& task, const std::exception_ptr* thrown) noexcept;

  executor_base* by_;
  cancel_slot slot_;
  std::size_t size_ = 0;
  std::exception_ptr thrown_;
  resumption who_;
  bool is_joined_ = false;  // and who joined it has not gone on
};

/// What a coroutine keeps in its frame while it joins a group.
class task_group::joining : cancel_slot::wait {
 public:
  /// Of that one, which outlives it.
  explicit joining(task_group& of) noexcept
      : wait([](wait& self) noexcept { static_cast<joining&>(self).of_.cancel(); }), of_(of) {}

  /// What an awaiter has.
  [[nodiscard]] bool await_ready() const noexcept { return of_.size_ == 0; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) noexcept {
    static_assert(knows_executor<Promise>,
                  "a task joins a group: a coroutine whose promise has an executor()");
    PINION_ASSERT(!of_.who_, "two tasks join one group: let one of them tell the other");
    of_.who_ = resumption{who};
    wait_under(executor_of(who.promise()).slot());
  }
  void await_resume() {
    of_.slot_.reset();
    of_.is_joined_ = false;
    if (of_.thrown_ != nullptr) std::rethrow_exception(std::exchange(of_.thrown_, nullptr));
  }

 private:
  task_group& of_;
};

inline task_group::joining task_group::join() noexcept { return joining{*this}; }

}  // namespace pinion::scheduler::inline PINION_MODE
