// SPDX-License-Identifier: Apache-2.0
//
// libuv_heap: the binary heap of pointers behind libuv's timers, through uv_timer_start() and
// uv_timer_stop().
//
// Timers fire from uv_run() alone, which reads the real clock, so libuv takes part where nothing fires:
// arming, cancelling, pushing on, memory. The loop never runs, and its cached time stands still; a deadline
// is then a timeout from there. libuv rounds to milliseconds. A uv_timer_t belongs to whoever armed it, and
// is used again when it was cancelled.
#pragma once

#include <uv.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace pinion::timer::bench {

class libuv_heap {
  struct timer {
    uv_timer_t entry;
    std::uint64_t payload;
  };

 public:
  explicit libuv_heap(std::uint64_t /*start_ns*/) { uv_loop_init(&loop_); }
  libuv_heap(const libuv_heap&) = delete;
  libuv_heap& operator=(const libuv_heap&) = delete;
  ~libuv_heap() {
    for (timer& t : timers_) uv_close(reinterpret_cast<uv_handle_t*>(&t.entry), nullptr);
    uv_run(&loop_, UV_RUN_NOWAIT);
    uv_loop_close(&loop_);
  }

  timer* arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    if (spare_.empty()) {
      spare_.push_back(&timers_.emplace_back());
      uv_timer_init(&loop_, &spare_.back()->entry);
    }
    timer* const t = spare_.back();
    spare_.pop_back();
    t->payload = payload;
    start(t, deadline_ns);
    return t;
  }
  std::uint64_t cancel(timer* t) {
    const bool was_armed = uv_is_active(reinterpret_cast<const uv_handle_t*>(&t->entry)) != 0;
    uv_timer_stop(&t->entry);
    spare_.push_back(t);
    return was_armed ? t->payload : 0;
  }
  /// Starting a timer that is started moves it.
  timer* push_on(timer* t, std::uint64_t deadline_ns, std::uint64_t /*payload*/) {
    start(t, deadline_ns);
    return t;
  }
  /// The loop is not run, so nothing fires.
  template <class Fired>
  void advance(std::uint64_t /*now_ns*/, Fired) {}

 private:
  static void start(timer* t, std::uint64_t deadline_ns) {
    uv_timer_start(&t->entry, [](uv_timer_t*) {}, (deadline_ns + 999'999) / 1'000'000, 0);
  }

  uv_loop_t loop_{};
  std::deque<timer> timers_;
  std::vector<timer*> spare_;
};

}  // namespace pinion::timer::bench
