// SPDX-License-Identifier: Apache-2.0
//
// Signals in the middle of everything that a task does: it allocates, throws and catches, suspends and is
// resumed, while a real timer and another thread signal its thread as fast as it goes on. What it works out
// is the same as without, and slices still end.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <coroutine>
#include <csignal>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <pinion/preempt.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real_timers.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr std::uint64_t rounds = 20'000;

// A coroutine that adds what it is given, each time it is resumed.
class adder {
 public:
  struct promise_type {
    std::uint64_t next = 0;
    std::uint64_t sum = 0;
    adder get_return_object() { return adder{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
  adder(adder&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  adder(const adder&) = delete;
  adder& operator=(const adder&) = delete;
  ~adder() {
    if (coroutine_) coroutine_.destroy();
  }
  std::uint64_t add(std::uint64_t next) {
    coroutine_.promise().next = next;
    coroutine_.resume();
    return coroutine_.promise().sum;
  }

 private:
  explicit adder(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

struct promise_of_this_coroutine {
  adder::promise_type* promise = nullptr;
  static bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<adder::promise_type> task) noexcept {
    promise = &task.promise();
    return false;
  }
  [[nodiscard]] adder::promise_type& await_resume() const noexcept { return *promise; }
};

adder add_forever() {
  adder::promise_type& mine = co_await promise_of_this_coroutine{};
  for (;;) {
    co_await std::suspend_always{};
    mine.sum += mine.next;
  }
}

struct thrown {
  std::uint64_t value;
};

std::uint64_t through_an_exception(std::uint64_t value, int depth) {
  const auto held = std::make_unique<std::uint64_t>(value);
  try {
    if (depth == 0) throw thrown{*held};
    return through_an_exception(value, depth - 1);
  } catch (const thrown& caught) {
    if (depth == 3) return caught.value;
    throw;
  }
}

// Does all that, and calls `each_round` in between. The sum.
template <class EachRound>
std::uint64_t work(EachRound each_round) {
  adder total = add_forever();
  std::vector<std::string> kept(17);
  std::uint64_t sum = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> numbers(1 + round % 97, round);
    numbers.insert(numbers.end(), {1, 2, 3});
    const auto of_numbers = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
    kept[round % kept.size()] = std::string(20 + round % 50, 'x') + std::to_string(of_numbers);
    sum = total.add(through_an_exception(of_numbers + kept[round * 7 % kept.size()].size(), 3));
    each_round();
  }
  return sum;
}

// Signals that thread as fast as it goes on.
class storm {
 public:
  storm(pthread_t target, int signal)
      : thread_([this, target, signal] {
          while (!is_over_.load(std::memory_order_relaxed)) {
            const std::uint64_t before = rounds_.load(std::memory_order_relaxed);
            ::pthread_kill(target, signal);
            // Or the target would do nothing but handle signals.
            while (rounds_.load(std::memory_order_relaxed) == before &&
                   !is_over_.load(std::memory_order_relaxed))
              std_sync::yield();
          }
        }) {}
  storm(const storm&) = delete;
  storm& operator=(const storm&) = delete;
  ~storm() {
    is_over_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  void goes_on() noexcept { rounds_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

std::atomic<std::uint64_t> told{0};

TEST(SignalStormTest, LosesNothingOfWhatATaskAllocatesThrowsAndResumes) {
  if (const std::string why = no_timers(); !why.empty()) GTEST_SKIP() << why;
  constexpr duration quantum{20'000};
  const std::uint64_t expected = work([] {});
  std::uint64_t slices = 0;
  told.store(0);
  const stall_hook hook{.function = [](void*, const stall&) noexcept { told.fetch_add(1); }};
  posix_timer_source source{{.stalls = {.after = duration{0}, .hook = hook}}};

  begin(source, quantum);
  std::uint64_t sum = 0;
  {
    storm signals{::pthread_self(), source.signal()};
    sum = work([&] {
      signals.goes_on();
      if (!source.word().is_due()) return;
      ++slices;
      begin(source, quantum);
    });
  }

  EXPECT_EQ(sum, expected);
  EXPECT_TRUE(becomes_due(source.word())) << "the signal of a slice was lost";
  ++slices;
  EXPECT_EQ(told.load(), slices) << "each slice that ended is told of once";
}

}  // namespace
}  // namespace pinion::preempt::testing
