// SPDX-License-Identifier: Apache-2.0
//
// All the parts in one loop. A task sleeps, reads a pipe and is woken by another thread, one after the other.
// A second one computes meanwhile, and lets the others run each millisecond. A third one waits until the slot
// stops it.
#include <unistd.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <thread>
#include <utility>

using namespace pinion;
using namespace std::chrono_literals;
using iosubmit::entries;

// What a task belongs to: an executor, and the parts that its tasks wait for.
struct loop : run_queue {
  explicit loop(iosubmit::default_ring ring) : io{std::move(ring)} {}

  timer::timer_queue<timer::call_wheel> timers;
  iosubmit::submission<iosubmit::default_policy, iosubmit::default_ring> io;
  waker::default_channel channel{io};
  preempt::slicer<> slicer;
  cancel_slot stop;
  int left = 0;

  // For co_await yield_if_needed(on).
  const preempt::word& preempt_word() const noexcept { return slicer.word(); }
  preempt::slice_log& slices() noexcept { return slicer.log(); }

  // A slice: until each has run, or its time is over.
  void run() {
    run_queue::run([this] { return slicer.word().is_due(); });
  }
  void run_until_all_are_over() {
    scheduler::turn turn{timers, channel, io, slicer};
    while (left != 0) turn(*this);
  }
};

// A coroutine that begins in the next round, and is gone at its end.
struct task {
  struct promise_type : runnable {
    explicit promise_type(loop& on, auto&...) noexcept : by(on) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      by.ready(*this);
      ++by.left;
    }
    ~promise_type() { --by.left; }
    loop& executor() noexcept { return by; }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
    loop& by;
  };
};

task one_of_each(loop& on, int pipe, waker::wake_event<waker::default_channel>& word) {
  co_await timer::sleep_for(on.timers, 10ms);
  std::puts("slept");
  std::array<std::byte, 8> bytes{};
  const auto count = co_await iosubmit::awaiting(on.io, entries::read(pipe, bytes));
  std::printf("read %u bytes\n", count.value_or(0));
  co_await word.wait();
  std::puts("woken");
  on.stop.request();
}

task compute(loop& on, std::uint64_t& sum) {
  while (!on.stop.is_requested()) {
    for (int i = 0; i < 1000; ++i) sum = sum * 3 + 1;
    co_await preempt::yield_if_needed(on);
  }
  std::puts("computed meanwhile");
}

task until_stopped(loop& on) {
  const auto slept = co_await timer::sleep_until(on.timers, never, on.stop);
  std::puts(slept ? "slept for ever" : "stopped");
}

int main() {
  std::array<int, 2> pipe{};
  auto ring = iosubmit::open_ring();
  if (!ring || ::pipe(pipe.data()) != 0) return 1;
  loop on{std::move(*ring)};
  waker::wake_event word{on.channel};
  std::uint64_t sum = 0;
  one_of_each(on, pipe[0], word);
  compute(on, sum);
  until_stopped(on);

  std::thread other{[&word, to = pipe[1], sender = on.channel.sender()] {
    if (::write(to, "hello", 5) == 5) sender.push(word);
  }};
  on.run_until_all_are_over();
  other.join();
  ::close(pipe[0]);
  ::close(pipe[1]);
}
