// SPDX-License-Identifier: Apache-2.0
//
// asio_timer_queue: the binary heap behind Boost.Asio's timers.
//
// The queue is used directly, although it is a detail: a steady_timer would add the reactor's lock and read
// the real clock, and these workloads run in virtual time. A timer is a queue entry and its wait in one
// object, which belongs to whoever armed it until it is cancelled, and is then used again, as the timers of
// connections and Asio's recycled waits are; so Asio is charged neither for a lock nor for an allocation.
#pragma once

#include <boost/asio/detail/timer_queue.hpp>
#include <cstdint>
#include <deque>
#include <vector>

namespace pinion::timer::bench {

class asio_timer_queue {
  using asio_operation = boost::asio::detail::operation;
  using waits = boost::asio::detail::op_queue<asio_operation>;

  struct virtual_time {
    using time_type = std::uint64_t;
    using duration_type = std::uint64_t;
    struct posix_duration {
      std::uint64_t ns;
      std::int64_t ticks() const { return static_cast<std::int64_t>(ns); }
      std::int64_t total_milliseconds() const { return ticks() / 1'000'000; }
      std::int64_t total_microseconds() const { return ticks() / 1'000; }
    };
    static inline time_type now_ns = 0;
    static time_type now() { return now_ns; }
    static duration_type subtract(time_type a, time_type b) { return a > b ? a - b : 0; }
    static bool less_than(time_type a, time_type b) { return a < b; }
    static posix_duration to_posix_duration(duration_type d) { return {d}; }
  };
  using queue = boost::asio::detail::timer_queue<virtual_time>;

  struct timer : boost::asio::detail::wait_op {
    timer() : wait_op([](void*, asio_operation*, const boost::system::error_code&, std::size_t) {}) {}
    queue::per_timer_data entry;
    std::uint64_t payload = 0;
  };

 public:
  explicit asio_timer_queue(std::uint64_t start_ns) { virtual_time::now_ns = start_ns; }

  timer* arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    if (spare_.empty()) spare_.push_back(&timers_.emplace_back());
    timer* const t = spare_.back();
    spare_.pop_back();
    t->payload = payload;
    queue_.enqueue_timer(deadline_ns, t->entry, t);
    return t;
  }
  std::uint64_t cancel(timer* t) {
    const std::uint64_t payload = take_out(t) ? t->payload : 0;
    spare_.push_back(t);
    return payload;
  }
  /// What expires_after() and async_wait() do to a timer that is waiting.
  timer* push_on(timer* t, std::uint64_t deadline_ns, std::uint64_t payload) {
    take_out(t);
    t->payload = payload;
    queue_.enqueue_timer(deadline_ns, t->entry, t);
    return t;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    virtual_time::now_ns = now_ns;
    waits due;
    queue_.get_ready_timers(due);
    while (asio_operation* const operation = due.front()) {
      due.pop();
      fired(static_cast<timer*>(operation)->payload);
    }
  }
  /// As the reactor asks: in microseconds, rounded down, but one at least while nothing is due.
  std::uint64_t next_wakeup() const {
    return virtual_time::now_ns +
           static_cast<std::uint64_t>(queue_.wait_duration_usec(longest_wait_us)) * 1'000;
  }

 private:
  static constexpr long longest_wait_us = 300'000'000;

  bool take_out(timer* t) {
    waits cancelled;
    const bool was_waiting = queue_.cancel_timer(t->entry, cancelled) == 1;
    while (cancelled.front() != nullptr) cancelled.pop();
    return was_waiting;
  }

  std::deque<timer> timers_;
  std::vector<timer*> spare_;
  queue queue_;  // destroyed first: it points into timers_
};

}  // namespace pinion::timer::bench
