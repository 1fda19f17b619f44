// SPDX-License-Identifier: Apache-2.0
//
// Two connections whose clients ask faster than they are answered. Each read is ready at once, so nothing in
// such a task ever waits, and the first would be served for ever; unless it counts what it has done. The
// budget goes where the calls go, and a callee that is to stop more often than its caller has a part of it. A
// line of the output is a turn: a letter for a request, a digit for a row of its answer, a point for a line
// in a log.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <pinion/preempt.hpp>
#include <utility>

namespace preempt = pinion::preempt;

class loop : public pinion::run_queue {
 public:
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return slicer_.word(); }
  preempt::slice_log& slices() noexcept { return slicer_.log(); }

  // One task a turn.
  void run_slice() {
    slicer_.begin(queue_, {.waits_for_others = true});
    run([] { return true; });
    slicer_.end(pinion::instant{0});
    std::printf("\n");
  }

 private:
  preempt::slicer<preempt::never_due> slicer_;  // a call_budget looks at no word
  preempt::slice_rule::queue queue_ = slicer_.add({}).value();
};

// A coroutine that can be awaited, or spawned.
class [[nodiscard]] task {
 public:
  struct promise_type : pinion::runnable {
    task get_return_object() noexcept {
      return task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() const noexcept {
      struct going_on {
        std::coroutine_handle<> where;
        static bool await_ready() noexcept { return false; }
        [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
          return where;
        }
        static void await_resume() noexcept {}
      };
      return going_on{caller ? caller : std::noop_coroutine()};
    }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
    std::coroutine_handle<> caller;
  };

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~task() {
    if (handle_) handle_.destroy();
  }
  void spawn(loop& on) const {
    handle_.promise().where = handle_;
    on.ready(handle_.promise());
  }

  static bool await_ready() noexcept { return false; }
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  static void await_resume() noexcept {}

 private:
  explicit task(std::coroutine_handle<promise_type> of) noexcept : handle_(of) {}
  std::coroutine_handle<promise_type> handle_;
};

// A plain function can't yield: it does what the budget allows, and is called again.
bool write_log(int& lines, preempt::call_budget& budget) {
  for (; lines != 0; --lines) {
    if (!budget.try_spend()) return false;
    std::printf(".");
  }
  return true;
}

// At most two rows between two yields, whatever its caller has left.
task answer(loop& on, preempt::call_budget& whole) {
  preempt::call_budget part{whole, 2};
  for (int row = 0; row < 3; ++row) {
    co_await part.spend(on);
    std::printf("%d", row);
  }
  int lines = 5;
  while (!write_log(lines, whole)) co_await whole.spend(on, 0);
}

task serve(loop& on, char client) {
  preempt::call_budget budget{5};
  for (int request = 0; request < 2; ++request) {
    co_await budget.spend(on);
    std::printf("%c", client);
    co_await answer(on, budget);
  }
}

int main() {
  loop on;
  const task first = serve(on, 'a'), second = serve(on, 'b');
  first.spawn(on);
  second.spawn(on);
  while (on.has_ready()) on.run_slice();
}
