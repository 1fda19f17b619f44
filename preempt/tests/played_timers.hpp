// SPDX-License-Identifier: Apache-2.0
//
// with_posix_timer: posix_timer_source, over timers and signals that are played. Each owner is on a thread of
// its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <pinion/preempt/posix_timer_source.hpp>
#include <vector>

#include "played_source.hpp"

namespace pinion::preempt::testing {

struct played_timers {
  struct timer {
    std::uintptr_t thread = 0;
    int signal = 0;
    instant at = never;  // when it signals
  };
  static inline instant time;
  static inline std::uintptr_t running = 1;  // the thread
  static inline std::deque<timer> timers;
  static inline posix_timer_calls::signal_handler handler = nullptr;
  static inline std::function<instant(instant)> late;
  static inline std::function<void()> called;
};

struct played_calls : posix_timer_calls {
  static signal_range signals() noexcept { return {.first = 34, .last = 64}; }
  static bool is_free(int /*signal*/) noexcept { return true; }
  static int handle(int /*signal*/, signal_handler with) noexcept {
    played_timers::handler = with;
    return 0;
  }
  static void unhandle(int /*signal*/, signal_handler /*handler*/) noexcept {
    played_timers::handler = nullptr;
  }
  static bool is_blocked(int /*signal*/) noexcept { return false; }
  static void set_blocked(int /*signal*/, bool /*blocked*/) noexcept {}
  static std::uintptr_t thread() noexcept { return played_timers::running; }
  static int at_fork(void (* /*before*/)(), void (* /*in_parent*/)(), void (* /*in_child*/)()) noexcept {
    return 0;
  }
  static int open(int signal, timer_id& made) noexcept {
    played_timers::timers.push_back({.thread = played_timers::running, .signal = signal});
    made = &played_timers::timers.back();
    return 0;
  }
  static int arm(timer_id which, instant at) noexcept {
    played_timers::called();
    static_cast<played_timers::timer*>(which)->at = played_timers::late(at);
    return 0;
  }
  static void close(timer_id which) noexcept { *static_cast<played_timers::timer*>(which) = {}; }
  static instant now() noexcept { return played_timers::time; }
};

class with_posix_timer final : public each_with_a_source<basic_posix_timer_source<played_calls>> {
  using base = each_with_a_source<basic_posix_timer_source<played_calls>>;

 public:
  explicit with_posix_timer(const machine& on) : base(on) {
    played_timers::timers.clear();
    played_timers::late = [this](instant at) { return late(at); };
    played_timers::called = [this] { called(); };
    for (std::size_t who = 0; who < on.owners; ++who) {
      on_thread_of(who);
      sources_.emplace_back(posix_timer_options{.stalls = {.after = on.stall_after, .hook = noting(who)}});
    }
  }
  ~with_posix_timer() override {
    while (!sources_.empty()) {
      on_thread_of(sources_.size() - 1);
      sources_.pop_back();
    }
  }

  void begin(instant until, std::size_t who) override {
    on_thread_of(who);
    base::begin(until, who);
  }
  void rest(std::size_t who) override {
    on_thread_of(who);
    base::rest(who);
  }
  // The timer has run out, its signal waits, and is taken when the next slice has begun.
  void begin_as_it_ends(instant until, std::size_t who) override {
    time_is(now() + duration{1});
    std::vector<played_timers::timer> signalled;
    for (auto& each : played_timers::timers) {
      if (now() < each.at) continue;
      signalled.push_back(each);
      each.at = never;
    }
    begin(until, who);
    for (const auto& each : signalled) signal(each);
  }

 protected:
  [[nodiscard]] instant next_event() const override {
    instant first = never;
    for (const auto& each : played_timers::timers) first = std::min(first, each.at);
    return first;
  }
  void happen() override {
    for (auto& each : played_timers::timers) {
      if (now() < each.at) continue;
      each.at = never;
      signal(each);
    }
  }

 private:
  void on_thread_of(std::size_t who) const {
    played_timers::running = who + 1;
    played_timers::time = now();
  }
  void signal(const played_timers::timer& by) {
    woke();
    on_thread_of(by.thread - 1);
    played_timers::handler(by.signal);
  }
};

}  // namespace pinion::preempt::testing
