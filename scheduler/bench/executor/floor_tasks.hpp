// SPDX-License-Identifier: Apache-2.0
//
// floor_tasks: the least that spawns, runs, joins and frees coroutines, written by hand as a runtime
// (runtimes.hpp).
//
// Tasks that are ready are in a list through their frames, first in, first out. Frames come from lists of
// free blocks, one for each size, and go back there. There is nothing else: no I/O, timers, wakes or queues,
// no end of a slice, no cancelling, no exceptions, and no coroutine that is a part of a task. All is static,
// for one thread, so nothing has to be found.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <pinion/config.hpp>
#include <utility>

namespace pinion::scheduler::bench::inline PINION_MODE {

class floor_tasks {
  struct ready_task {
    std::coroutine_handle<> where;
    ready_task* next = nullptr;
  };
  template <class T>
  struct promise;

 public:
  template <class T>
  struct task {
    using promise_type = promise<T>;
    std::coroutine_handle<promise_type> frame;
  };

  /// Destroys the task when its value is taken.
  template <class T>
  struct handle {
    std::coroutine_handle<promise<T>> frame;

    [[nodiscard]] bool await_ready() const noexcept { return frame.promise().is_over; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> joins) const noexcept {
      frame.promise().joiner = &joins.promise().self;
    }
    T await_resume() const noexcept {
      T value = std::move(frame.promise().value);
      frame.destroy();
      return value;
    }
  };

  /// Awaited by a task: it is the last of those that are ready.
  struct yielding {
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    template <class Promise>
    static void await_suspend(std::coroutine_handle<Promise> of) noexcept {
      make_ready(of.promise().self);
    }
    static void await_resume() noexcept {}
  };

  template <class T>
  static handle<T> spawn(task<T> what) noexcept {
    make_ready(what.frame.promise().self);
    return {what.frame};
  }
  static yielding yield() noexcept { return {}; }
  template <class T>
  static T run(task<T> what) {
    const handle<T> over = spawn(what);
    while (first != nullptr) {
      ready_task& next = *first;
      first = next.next;
      if (first == nullptr) last = nullptr;
      next.where.resume();
    }
    return over.await_resume();
  }

  /// What frames of one size ask for, rounded up to what they have taken.
  static constexpr std::size_t taken(std::size_t bytes) noexcept {
    return (bytes + block_step - 1) / block_step * block_step;
  }

 private:
  static void make_ready(ready_task& task) noexcept {
    task.next = nullptr;
    *(last == nullptr ? &first : &last->next) = &task;
    last = &task;
  }

  struct free_block {
    free_block* next;
  };
  static constexpr std::size_t block_step = 32, sizes = 64, blocks_at_once = 1024;

  static void* allocate(std::size_t bytes) {
    free_block*& free = free_blocks[taken(bytes) / block_step];
    if (free == nullptr) [[unlikely]]
      refill(free, taken(bytes));
    return std::exchange(free, free->next);
  }
  static void deallocate(void* frame, std::size_t bytes) noexcept {
    free_block*& free = free_blocks[taken(bytes) / block_step];
    free = new (frame) free_block{free};
  }
  [[gnu::noinline]] static void refill(free_block*& free, std::size_t block_bytes) {
    if (block_bytes >= block_step * sizes) std::abort();
    auto* const chunk = static_cast<std::byte*>(::operator new(block_bytes * blocks_at_once));
    for (std::size_t k = blocks_at_once; k-- != 0;) free = new (chunk + k * block_bytes) free_block{free};
  }

  static inline constinit ready_task* first = nullptr;
  static inline constinit ready_task* last = nullptr;
  static inline constinit std::array<free_block*, sizes> free_blocks{};
};

template <class T>
struct floor_tasks::promise {
  ready_task self{std::coroutine_handle<promise>::from_promise(*this)};
  ready_task* joiner = nullptr;
  bool is_over = false;
  T value{};

  static void* operator new(std::size_t bytes) { return allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { deallocate(frame, bytes); }

  struct ending {
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    static void await_suspend(std::coroutine_handle<promise> of) noexcept {
      of.promise().is_over = true;
      if (of.promise().joiner != nullptr) make_ready(*of.promise().joiner);
    }
    static void await_resume() noexcept {}
  };
  task<T> get_return_object() noexcept { return {std::coroutine_handle<promise>::from_promise(*this)}; }
  static std::suspend_always initial_suspend() noexcept { return {}; }
  static ending final_suspend() noexcept { return {}; }
  void return_value(T given) noexcept { value = std::move(given); }
  [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
