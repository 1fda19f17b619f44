// SPDX-License-Identifier: Apache-2.0
//
// The forms that a loop is written with, side by side: eight values, and a script by which the third look at
// the word finds it due. A bar is where another task ran.
#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <pinion/preempt.hpp>

namespace preempt = pinion::preempt;

class loop : public pinion::run_queue {
 public:
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return slicer_.word(); }
  preempt::slice_log& slices() noexcept { return slicer_.log(); }

  // One task a slice, so that each begins with one. The script knows no time: a slice has an end, and no
  // more.
  void run_slice() {
    slicer_.begin(queue_, {.waits_for_others = true});
    run([] { return true; });
    slicer_.end(pinion::instant{0});
  }
  [[nodiscard]] unsigned looks() { return static_cast<unsigned>(slicer_.source().checks()); }

 private:
  preempt::slicer<preempt::scripted_source> slicer_{std::initializer_list<std::uint64_t>{3}};
  preempt::slice_rule::queue queue_ = slicer_.add({}).value();
};

struct task {
  struct promise_type : pinion::runnable {
    explicit promise_type(loop& on, auto&...) noexcept : loop_(on) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      on.ready(*this);
    }
    // By this the forms find the executor where they aren't given one.
    [[nodiscard]] loop& executor() const noexcept { return loop_; }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
    loop& loop_;
  };
};

const std::array values{0, 1, 2, 3, 4, 5, 6, 7};

void work(int value) { std::printf(" %d", value); }

task with_yield_if_needed(loop& on, bool& done) {
  for (const int value : values) {
    work(value);
    co_await preempt::yield_if_needed(on);
  }
  done = true;
}

// Looks after each second: for bodies so short that the look would show.
task with_yield_every(loop& on, bool& done) {
  auto pace = preempt::yield_every<2>(on);
  for (const int value : values) {
    work(value);
    co_await pace;
  }
  done = true;
}

// Looks before each, and by the promise; the loop can't forget to.
task with_for_each(loop&, bool& done) {
  co_await preempt::for_each(values, &work);
  done = true;
}

// Before each second, and until it has seen enough.
task with_for_each_until(loop& on, bool& done) {
  const bool all = co_await preempt::for_each<2>(on, values, [](int value) {
    work(value);
    return value < 6;
  });
  std::printf(" %s", all ? "and all" : "and enough");
  done = true;
}

// No look inside of a piece: the compiler may do with it what it does with any loop.
task with_chunks(loop& on, bool& done) {
  for (const auto piece : preempt::chunks<3>(values)) {
    for (const int value : piece) work(value);
    co_await preempt::yield_if_needed(on);
  }
  done = true;
}

// A plain function can't yield: it unwinds, and is called again where it stopped.
bool walk(std::size_t& at, const preempt::word& word) {
  while (at != values.size()) {
    work(values[at++]);
    if (preempt::checkpoint(word)) return false;
  }
  return true;
}

task with_checkpoint(loop& on, bool& done) {
  for (std::size_t at = 0; !walk(at, on.preempt_word());) co_await preempt::yield_if_needed();
  done = true;
}

task bystander(loop& on, const bool& done) {
  while (!done) {
    std::printf(" |");
    co_await preempt::yield_now(on);
  }
}

void show(const char* name, task (*form)(loop&, bool&)) {
  loop on;
  bool done = false;
  std::printf("%-16s", name);
  form(on, done);
  bystander(on, done);
  while (on.has_ready()) on.run_slice();
  std::printf("  (%u looks)\n", on.looks());
}

int main() {
  show("yield_if_needed", with_yield_if_needed);
  show("yield_every<2>", with_yield_every);
  show("for_each", with_for_each);
  show("for_each<2>", with_for_each_until);
  show("chunks<3>", with_chunks);
  show("checkpoint", with_checkpoint);
}
