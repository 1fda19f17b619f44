// SPDX-License-Identifier: Apache-2.0
//
// turn_loop, task: for tests, the smallest executor that the forms work on, with one queue, and a coroutine
// type that knows it.
//
//   always_due source;
//   turn_loop loop{source};
//   task one = count(loop, 3), other = count(loop, 3);
//   loop.spawn(one);
//   loop.spawn(other);
//   loop.run();                                // each resumption is a slice, in virtual time
//
// A task that ends before it is done is out of the queue. Tasks may await tasks: what runs then is still the
// one that was spawned.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <pinion/preempt.hpp>
#include <utility>

namespace pinion::preempt::testing {

class task;

/// An executor. What it runs knows it by a pointer, so it isn't moved.
class turn_loop {
 public:
  /// Slices end by that source, which outlives it.
  template <preempt_source Source>
  explicit turn_loop(Source& source)
      : source_(&source), word_(source.word()),
        begin_([](void* of, instant now, instant until) { static_cast<Source*>(of)->begin(now, until); }) {}
  turn_loop(const turn_loop&) = delete;
  turn_loop& operator=(const turn_loop&) = delete;

  /// As yielding_executor says.
  [[nodiscard]] const word& preempt_word() const noexcept { return word_; }
  [[nodiscard]] runnable& running() noexcept { return *running_; }
  void ready(runnable& what) noexcept { ready_.push_back(&what); }
  [[nodiscard]] slice_log& slices() noexcept { return log_; }

  /// It is run after those who wait. It may end before the loop, or before it is done.
  void spawn(task& what);
  /// No more.
  void forget(const runnable& what) noexcept { std::erase(ready_, &what); }

  /// Resumes the first who waits, for a slice. False if nobody does.
  bool turn() {
    if (ready_.empty()) return false;
    running_ = ready_.front();
    ready_.pop_front();
    begin_(source_, now_, now_ + duration{1'000'000});
    log_.began(counts, now_);
    ++turns;
    running_->where.resume();
    running_ = nullptr;
    now_ = now_ + duration{1'000};
    log_.ended(now_);
    return true;
  }
  /// Until nobody waits.
  void run() {
    while (turn()) {
    }
  }

  std::size_t turns = 0;
  queue_slices counts;

 private:
  void* source_;
  const word& word_;
  void (*begin_)(void* of, instant now, instant until);
  slice_log log_;
  std::deque<runnable*> ready_;
  runnable* running_ = nullptr;
  instant now_{};
};

static_assert(yielding_executor<turn_loop>);

/// A coroutine that begins when it is spawned or awaited.
class [[nodiscard]] task {
 public:
  class promise_type : runnable {
   public:
    task get_return_object() noexcept { return task{handle::from_promise(*this)}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return going_on{awaiting_ ? awaiting_ : std::noop_coroutine()}; }
    static void return_void() noexcept {}
    void unhandled_exception() noexcept { failed_ = std::current_exception(); }

    /// What makes it know its executor.
    [[nodiscard]] turn_loop* executor() const noexcept { return loop_; }

   private:
    friend task;
    friend turn_loop;
    turn_loop* loop_ = nullptr;
    std::coroutine_handle<> awaiting_;
    std::exception_ptr failed_;
  };

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~task() {
    if (!handle_) return;
    if (turn_loop* loop = handle_.promise().loop_) loop->forget(handle_.promise());
    handle_.destroy();
  }

  [[nodiscard]] bool is_done() const noexcept { return handle_.done(); }
  /// What it threw, if it did.
  void rethrow() const {
    if (handle_.promise().failed_) std::rethrow_exception(handle_.promise().failed_);
  }

  auto operator co_await() const noexcept { return awaiter{*this}; }

 private:
  friend turn_loop;
  using handle = std::coroutine_handle<promise_type>;

  struct going_on {
    std::coroutine_handle<> where;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
      return where;
    }
    static void await_resume() noexcept {}
  };
  struct awaiter {
    const task& of;
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(handle awaiting) const noexcept {
      of.handle_.promise().loop_ = awaiting.promise().loop_;
      of.handle_.promise().awaiting_ = awaiting;
      return of.handle_;
    }
    void await_resume() const { of.rethrow(); }
  };
  explicit task(handle of) noexcept : handle_(of) {}

  handle handle_;
};

static_assert(can_yield<task::promise_type>);

inline void turn_loop::spawn(task& what) {
  what.handle_.promise().loop_ = this;
  what.handle_.promise().where = what.handle_;
  ready(what.handle_.promise());
}

}  // namespace pinion::preempt::testing
