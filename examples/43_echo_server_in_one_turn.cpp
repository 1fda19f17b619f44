// SPDX-License-Identifier: Apache-2.0
//
// A server of coroutines whose loop is one turn: timers, wakes and an io_uring. It echoes letters; a question
// mark goes to another thread; who asks nothing for two seconds is let go; without a descriptor left it
// accepts nobody for 100 ms. A connection is a coroutine with its socket: no answer can erase what a line
// still touches.
#include <chrono>
#include <cstddef>
#include <pinion/iosubmit.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <span>
#include <thread>

#include "clients.hpp"
#include "counted_ring.hpp"
#include "task.hpp"

using namespace pinion;
using namespace std::chrono_literals;
using timer_queue = timer::timer_queue<timer::call_wheel>;
using loop_channel = waker::wake_channel<waker::tagged_inbox, waker::msg_ring_notifier>;
using worker_channel = waker::wake_channel<waker::tagged_inbox, waker::futex_notifier>;

// It is answered on the worker's thread, and comes back as a wake of the loop.
struct question : waker::wake_call {
  explicit question(loop_channel& loop)
      : wake_call([](wake_call& self) {
          auto& mine = static_cast<question&>(self);
          mine.letter = std::byte{'!'};
          mine.back.push(mine.answered);
        }),
        answered(loop), back(loop.sender()) {}
  waker::wake_event<loop_channel> answered;
  loop_channel::sender_type back;
  std::byte letter{};
};

struct server {
  ~server() { to_worker.push(over); }

  task accept_clients() {
    while (!closing.is_requested()) {
      const auto client = co_await awaiting(io, iosubmit::entries::accept(listening.get()), closing);
      if (client)
        serve(descriptor{static_cast<int>(*client)});
      else  // the next one would most likely fail at once
        static_cast<void>(co_await sleep_for(timers, 100ms, closing));
    }
  }

  task serve(descriptor socket) {
    ++connected;
    cancel_slot silence;
    timer::intrusive_timer<timer_queue> idle{timers, timer::calls<&cancel_slot::request>, silence};
    question asks{wakes};
    for (;; ++told) {
      idle.arm(2s);
      const auto got = co_await recv_all(io, socket.get(), std::span{&asks.letter, 1}, silence);
      if (!got || *got == 0) break;
      if (asks.letter == std::byte{'?'}) {
        idle.cancel();  // the time is the worker's now
        to_worker.push(asks);
        co_await asks.answered.wait();
        idle.arm(2s);
      }
      if (!co_await send_all(io, socket.get(), std::span{&asks.letter, 1}, silence)) break;
    }
    if (silence.is_requested()) ++timed_out;
  }

  void run() {
    accept_clients();
    while (!stop.is_woken()) turn(tasks);
    turn.end(closing, tasks, [this] { return tasks.left == 0; });
  }

  listener listening;
  timer_queue timers;
  iosubmit::submission<iosubmit::default_policy, counted_ring> io{counted_ring{iosubmit::uring_options{}}};
  loop_channel wakes{io};
  waker::wake_event<loop_channel> stop{wakes};
  task_queue tasks;
  cancel_slot closing;
  scheduler::turn<timer_queue, loop_channel, decltype(io)> turn{timers, wakes, io};
  std::size_t connected = 0, told = 0, timed_out = 0;
  // The other thread waits for questions alone, in a turn of its own.
  worker_channel questions;
  worker_channel::sender_type to_worker = questions.sender();
  waker::wake_event<worker_channel> over{questions};
  std::jthread worker{[this] {
    scheduler::turn loop{scheduler::absent, questions};
    while (!over.is_woken()) loop();
  }};
};

int main() {
  return serve_clients<server>("abcd?efghi", [](char asked) { return asked == '?' ? '!' : asked; });
}
