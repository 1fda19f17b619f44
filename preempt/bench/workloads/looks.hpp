// SPDX-License-Identifier: Apache-2.0
//
// What one look costs that finds nothing due, in each of the forms.
//
//   measured m = measure_looks(word_of(source), 10'000'000);                     // checkpoint(), by a pointer as a promise holds it
//   measured m = measure_awaited<each_time>(source.word(), 10'000'000);          // co_await yield_if_needed(executor)
//
// A loop of looks and nothing else: what it takes is what a look adds at most, and `nothing` in a look's
// place is the loop alone. Between two looks the optimiser forgets all that it knew of memory, as it does at
// any call, so pointer and word are loaded each time. The checksum is how many looks said no.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/program.hpp>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/preempt.hpp>
#include <pinion/preempt/for_each.hpp>
#include <ranges>

#include "task.hpp"

namespace pinion::preempt::bench::inline PINION_MODE {

using pinion::bench::measured;
using pinion::bench::stopwatch;

/// Keeps the optimiser from knowing what an object holds, and anything else that it can reach.
template <class Object>
inline void unknown(Object& object) noexcept {
  asm volatile("" : : "r"(&object) : "memory");
}

/// As a promise holds it.
struct word_pointer {
  const preempt::word* word;
  [[nodiscard]] bool is_due() const noexcept { return checkpoint(*word); }
};

/// In a look's place.
struct nothing {
  [[nodiscard]] static bool is_due() noexcept { return false; }
};

/// A plain function's loop. `Look` has is_due().
template <class Look, class Meter = stopwatch>
measured measure_looks(Look look, std::size_t n) {
  measured result{.operations = n, .expected = n};
  std::uint64_t yes = 0;
  const Meter watch;
  for (std::size_t k = 0; k < n; ++k) {
    unknown(look);
    if (look.is_due()) [[unlikely]] {
      ++yes;
      unknown(yes);
    }
  }
  result.seconds = watch.seconds();
  result.checksum = n - yes;
  return result;
}

/// An executor of one task, which takes a slice as long as the task is. It counts how often the task let
/// others run.
class looking_executor {
 public:
  explicit looking_executor(const preempt::word& looked_at) noexcept : word_(&looked_at) {}

  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return *word_; }
  [[nodiscard]] runnable& running() noexcept { return only_; }
  void ready(runnable& /*only*/) noexcept { ++yields_; }
  [[nodiscard]] preempt::slice_log& slices() noexcept { return log_; }

  void run(const task<looking_executor>& only) {
    only_.where = only.handle();
    while (!only.handle().done()) only_.where.resume();
  }
  [[nodiscard]] std::uint64_t yields() const noexcept { return yields_; }

 private:
  const preempt::word* word_;
  runnable only_;
  std::uint64_t yields_ = 0;
  preempt::slice_log log_;
};

/// The forms. Each is a coroutine that looks n times.
struct each_time {
  static task<looking_executor> looks(looking_executor& on, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      unknown(on);
      co_await yield_if_needed(on);
    }
  }
};
struct by_promise {
  static task<looking_executor> looks(looking_executor& on, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      unknown(on);
      co_await yield_if_needed();
    }
  }
};
struct each_64th {
  static task<looking_executor> looks(looking_executor& on, std::size_t n) {
    auto pace = yield_every<64>(on);
    for (std::size_t k = 0; k < n; ++k) {
      unknown(on);
      co_await pace;
    }
  }
};
struct each_element {
  static task<looking_executor> looks(looking_executor& on, std::size_t n) {
    co_await for_each(on, std::views::iota(std::size_t{0}, n), [&](std::size_t) { unknown(on); });
  }
};

/// The same loop, with an await that the optimiser can't know to be nothing.
struct ready_at_once {
  [[nodiscard]] static bool await_ready() noexcept {
    bool ready = true;
    asm volatile("" : "+r"(ready));
    return ready;
  }
  static void await_suspend(std::coroutine_handle<>) noexcept {}
  static void await_resume() noexcept {}
};
struct empty_await {
  static task<looking_executor> looks(looking_executor& on, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      unknown(on);
      co_await ready_at_once{};
    }
  }
};

/// A coroutine's loop. An operation is one await.
template <class Form, class Meter = stopwatch>
measured measure_awaited(const preempt::word& word, std::size_t n) {
  measured result{.operations = n, .expected = n};
  looking_executor executor{word};
  const task<looking_executor> only = Form::looks(executor, n);
  const Meter watch;
  executor.run(only);
  result.seconds = watch.seconds();
  result.checksum = n - executor.yields();
  return result;
}

/// The same where each look says yes: suspended, queued, resumed. The checksum is how many looks said so.
template <class Form, class Meter = stopwatch>
measured measure_yields(const preempt::word& word, std::size_t n) {
  measured result = measure_awaited<Form, Meter>(word, n);
  result.checksum = n - result.checksum;
  return result;
}

}  // namespace pinion::preempt::bench::inline PINION_MODE
