// SPDX-License-Identifier: Apache-2.0
//
// The smallest program: a task that computes without an end, beside a task that prints three words, on a loop of a
// dozen lines.
//
// A coroutine stops where it awaits, and nowhere else. The hog awaits after each unit of its work, but goes on at once unless its slice
// is over, which a thread sees to: the ticker. The last word ends it; without the check it would never be printed.
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <pinion/preempt.hpp>

namespace preempt = pinion::preempt;

class loop {
 public:
  // What makes it an executor that tasks can yield on.
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return source_.word(); }
  void yield(std::coroutine_handle<> where) noexcept { ready_.push_back(where); }
  preempt::slice_log& slices() noexcept { return log_; }

  // A slice has an end only while another task waits. Nothing comes from outside this loop: a loop with timers, I/O
  // or wakes has to end slices for those as well, as slice_rule does.
  void run() {
    while (!ready_.empty()) {
      const std::coroutine_handle<> next = ready_.front();
      ready_.pop_front();
      const pinion::instant now = pinion::monotonic_clock::now();
      source_.begin(now, ready_.empty() ? pinion::never : now + pinion::duration{1'000'000});
      next.resume();
    }
    source_.rest();
  }

 private:
  preempt::ticker_source source_;
  preempt::slice_log log_;
  std::deque<std::coroutine_handle<>> ready_;
};

// A coroutine that begins when it is first run, and is gone at its end.
struct task {
  struct promise_type {
    explicit promise_type(loop& on, auto&...) noexcept {
      on.yield(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

// Awaited: to the end of the queue, due or not.
struct pass {
  loop& on;
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> where) const noexcept { on.yield(where); }
  static void await_resume() noexcept {}
};

task hog(loop& on, const bool& enough) {
  std::uint64_t hash = 1, units = 0;
  while (!enough) {
    ++units;
    for (int i = 0; i < 10'000; ++i) hash = hash * 6364136223846793005U + 1442695040888963407U;
    co_await preempt::yield_if_needed(on);
  }
  std::printf("hog: %s three units, and the sum is %s\n", units >= 3 ? "at least" : "fewer than",
              hash % 2 == 1 ? "odd" : "even");
}

task small(loop& on, bool& enough) {
  for (const char* word : {"let", "me", "through"}) {
    co_await pass{on};
    std::printf("small: %s\n", word);
  }
  enough = true;
}

int main() {
  loop on;
  bool enough = false;
  small(on, enough);
  hog(on, enough);
  on.run();
}
