// SPDX-License-Identifier: Apache-2.0
//
// The loops whose system calls are counted (workloads/calls.hpp): a turn over a ring, a turn beside a loop's
// own epoll, and an epoll loop as it is written by hand.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

#include "../../waker/bench/workloads/wakes.hpp"
#include "workloads/stub_tasks.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using call_timers = timer::timer_queue<timer::call_wheel>;

/// Makes a task ready when it is drained.
class task_call : public waker::wake_call {
 public:
  explicit task_call(stub_tasks& tasks) noexcept : wake_call(&came), tasks_(tasks) {}

 private:
  static void came(wake_call& self) { ++static_cast<task_call&>(self).tasks_.to_do; }
  stub_tasks& tasks_;
};

/// What another thread wakes by.
template <class Channel>
struct channel_bell {
  typename Channel::sender_type sender;
  task_call* call;
  void ring() { sender.push(*call); }
};

/// A turn over a ring. `Slices` may be `nothing`.
template <class Ring, class Notifier, class Slices = nothing>
class turn_over {
 public:
  using timers_type = call_timers;

  stub_tasks tasks{};
  timers_type timers{};
  void round() { loop_(tasks); }
  [[nodiscard]] auto bell() { return channel_bell<channel>{wakes_.sender(), &call_}; }

 private:
  using io = iosubmit::submission<iosubmit::default_policy, Ring>;
  using channel = waker::wake_channel<waker::tagged_inbox, Notifier>;

  io io_{iosubmit::open_ring<Ring>().value()};
  channel wakes_{io_};
  task_call call_{tasks};
  Slices slices_{};
  turn<timers_type, channel, io, Slices> loop_{timers, wakes_, io_, slices_};
};

/// An epoll's descriptor.
class epoll {
 public:
  epoll() : descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (descriptor_ < 0) waker::bench::give_up("an epoll descriptor");
  }
  epoll(const epoll&) = delete;
  epoll& operator=(const epoll&) = delete;
  ~epoll() { ::close(descriptor_); }

  [[nodiscard]] int get() const noexcept { return descriptor_; }
  /// One event, whether there was any.
  [[nodiscard]] bool wait(int timeout_ms) const noexcept {
    epoll_event event{};
    return ::epoll_wait(descriptor_, &event, 1, timeout_ms) == 1;
  }

 private:
  int descriptor_;
};

/// A turn in a loop that waits in epoll by itself.
class turn_in_epoll {
 public:
  using timers_type = call_timers;

  stub_tasks tasks{};
  timers_type timers{};
  void round() {
    const instant until = loop_.prepare(tasks);
    static_cast<void>(epoll_.wait(poll_timeout(until)));
    loop_.woke();
  }
  [[nodiscard]] auto bell() { return channel_bell<waker::default_channel>{wakes_.sender(), &call_}; }

 private:
  epoll epoll_{};
  waker::default_channel wakes_{};
  task_call call_{tasks};
  waker::epoll_set watched_{.descriptor = epoll_.get()};
  turn<timers_type, waker::default_channel, waker::epoll_set> loop_{timers, wakes_, watched_};
};

/// By hand: an eventfd in an epoll, which is read when it is readable, and a counter of what is to be done.
class epoll_by_hand {
 public:
  using timers_type = call_timers;

  epoll_by_hand() {
    epoll_event event{.events = EPOLLIN, .data = {}};
    if (eventfd_ < 0 || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, eventfd_, &event) != 0)
      waker::bench::give_up("an eventfd in an epoll");
  }
  epoll_by_hand(const epoll_by_hand&) = delete;
  epoll_by_hand& operator=(const epoll_by_hand&) = delete;
  ~epoll_by_hand() { ::close(eventfd_); }

  stub_tasks tasks{};
  timers_type timers{};
  void round() {
    if (epoll_.wait(tasks.has_ready() ? 0 : timers.timeout_ms())) {
      eventfd_t rung = 0;
      static_cast<void>(::eventfd_read(eventfd_, &rung));
      // Memory ordering: acquire and the bell's release, so that what was handed over is seen.
      tasks.to_do += handed_over_.exchange(0, std::memory_order_acquire);
    }
    timers.run();
    if (tasks.has_ready()) tasks.run();
  }
  struct bell_type {
    epoll_by_hand* of;
    void ring() const {
      of->handed_over_.fetch_add(1, std::memory_order_release);
      ::eventfd_write(of->eventfd_, 1);
    }
  };
  [[nodiscard]] bell_type bell() noexcept { return {this}; }

 private:
  epoll epoll_{};
  int eventfd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::atomic<std::uint64_t> handed_over_{0};
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
