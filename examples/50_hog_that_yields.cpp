// SPDX-License-Identifier: Apache-2.0
//
// The smallest program: a task that computes without an end, beside a task that prints three words, on a loop
// of a dozen lines.
//
// A coroutine stops where it awaits, and nowhere else. The hog awaits after each unit of its work, but goes
// on at once unless its slice is over, which a thread sees to: the ticker. The last word ends it; without the
// check it would never be printed.
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <pinion/preempt.hpp>

namespace preempt = pinion::preempt;

class loop : public pinion::run_queue {
 public:
  // What makes it an executor that tasks can yield on.
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return slicer_.word(); }
  preempt::slice_log& slices() noexcept { return slicer_.log(); }

  // Runs those that are ready, until the slice is over. It ends in time also where one task alone is ready:
  // what others wait for, I/O, a timer or a wake, may come meanwhile, and a loop looks for it between two
  // slices.
  void run_slice() {
    slicer_.begin(queue_, {.now = pinion::monotonic_clock::now(), .waits_for_others = true});
    run([this] { return slicer_.word().is_due(); });
    slicer_.end(pinion::monotonic_clock::now());
  }
  void rest() { slicer_.rest(); }

 private:
  preempt::slicer<preempt::ticker_source> slicer_;
  preempt::slice_rule::queue queue_ = slicer_.add({.quantum = pinion::duration{1'000'000}}).value();
};

// A coroutine that begins when it is first run, and is gone at its end.
struct task {
  struct promise_type : pinion::runnable {
    explicit promise_type(loop& on, auto&...) noexcept {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      on.ready(*this);
    }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
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
    co_await preempt::yield_now(on);
    std::printf("small: %s\n", word);
  }
  enough = true;
}

int main() {
  loop on;
  bool enough = false;
  small(on, enough);
  hog(on, enough);
  while (on.has_ready()) on.run_slice();
  on.rest();
}
