// SPDX-License-Identifier: Apache-2.0
//
// An executor of one's own, with two queues: what somebody waits for runs first, and what computes gives way
// to it. Each queue is a run_queue with the word and the log of the slicer, so whatever a task awaits works:
// sleeps, I/O, wakes and yields. The turn asks has_ready(), and calls run(). The task that computes does so
// until the others are through.
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <thread>

#include "sockets.hpp"

using namespace pinion;
using namespace std::chrono_literals;
using timer_queue = timer::timer_queue<timer::call_wheel>;

struct queue : run_queue {
  queue(preempt::slicer<>& by, const preempt::queue_terms& terms) : slicer(by), number(*by.add(terms)) {}
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return slicer.word(); }
  preempt::slice_log& slices() noexcept { return slicer.log(); }
  preempt::slicer<>& slicer;
  preempt::slice_rule::queue number;
};

struct own_executor {
  explicit own_executor(timer_queue& of) : timers(of) {}
  timer_queue& timers;
  preempt::slicer<> slicer;
  queue urgent{slicer, {.quantum = ceil(1ms), .latency = ceil(200us)}};
  queue batch{slicer, {.quantum = ceil(10ms)}};

  [[nodiscard]] bool has_ready() const noexcept { return urgent.has_ready() || batch.has_ready(); }
  void run() {
    for (queue* each : {&urgent, &batch}) {
      if (each->has_ready()) run_slice(*each);
    }
    slicer.rest();
  }
  // It ends after the quantum, or sooner where the others can't wait for so long, or a timer is due.
  void run_slice(queue& of) {
    slicer.begin(
        of.number,
        {.now = monotonic_clock::now(), .next_timer = timers.next_wakeup(), .waits_for_others = true});
    of.run([this] { return slicer.word().is_due(); });
    slicer.end(monotonic_clock::now());
  }
};

// A coroutine that begins when it is first run, and is gone at its end. Any type will do whose promise says
// executor().
struct task {
  struct promise_type : runnable {
    explicit promise_type(queue& in, auto&...) noexcept : by(in) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      by.ready(*this);
    }
    [[nodiscard]] queue& executor() const noexcept { return by; }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
    queue& by;
  };
};

task answers(queue&, timer_queue& timers, auto& io, const descriptor& from, auto& event, bool& is_over) {
  std::array<std::byte, 3> letters{};
  co_await sleep_for(timers, 5ms);
  const auto count = co_await recv_all(io, from.get(), letters);
  co_await event.wait();
  std::printf("slept, received %zu letters, and was woken\n", count.value_or(0));
  is_over = true;
}

task computes(queue& in, const bool& is_over) {
  unsigned hash = 1;
  while (!is_over) {
    for (unsigned i = 0; i < 10'000; ++i) hash = hash * 1664525U + 1013904223U;
    co_await preempt::yield_if_needed(in);
  }
  std::printf("computed meanwhile: the sum is %s\n", hash % 2 == 1 ? "odd" : "even");
}

int main() {
  timer_queue timers;
  iosubmit::submission<iosubmit::default_policy, iosubmit::default_ring> io{iosubmit::open_ring().value()};
  waker::default_channel channel;
  waker::wake_event event{channel};
  own_executor tasks{timers};
  scheduler::turn loop{timers, channel, io};

  std::array<int, 2> ends{};
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  const descriptor here{ends[0]};
  bool is_over = false;
  computes(tasks.batch, is_over);
  answers(tasks.urgent, timers, io, here, event, is_over);
  std::thread other{[&event, sender = channel.sender(), there = descriptor{ends[1]}] {
    ::send(there.get(), "abc", 3, MSG_NOSIGNAL);
    sender.push(event);
  }};
  while (!is_over || tasks.has_ready()) loop(tasks);
  other.join();
}
