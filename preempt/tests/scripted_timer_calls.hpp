// SPDX-License-Identifier: Apache-2.0
//
// scripted_timer_calls: timers and signals of a machine that the test plays: virtual time, refusals, signals
// held up, dropped, forged.
//
//   scripted_timer_calls::reset();
//   basic_posix_timer_source<scripted_timer_calls> source;
//   source.begin(instant{0}, instant{100});
//   scripted_timer_calls::advance_to(instant{99});          // its timers signal when they should
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <pinion/base/time.hpp>
#include <pinion/preempt/detail/posix_timer_calls.hpp>
#include <set>
#include <vector>

namespace pinion::preempt::testing {

struct scripted_timer {
  int signal = 0;
  std::uintptr_t thread = 0;
  instant armed = never;
  bool is_open = true;
};
struct scripted_machine {
  instant now{1'000};
  std::uintptr_t thread = 1;
  std::vector<scripted_timer> timers;
  std::map<int, posix_timer_calls::signal_handler> handlers;
  std::set<int> taken;
  std::set<int> blocked;
  std::vector<scripted_timer> held_up;  // what came, and was not delivered yet
  bool holds_up = false;
  bool drops = false;
  int refuses_open = 0;
  int refuses_arm = 0;
  int refuses_handle = 0;
  int opened = 0;
  int armings = 0;
  int signals = 0;  // delivered
  std::function<void()> before_arming;
};

struct scripted_timer_calls {
  using timer = scripted_timer;
  using timer_id = std::size_t;
  using signal_handler = posix_timer_calls::signal_handler;

  static inline scripted_machine it;
  static inline void (*before_fork)() = nullptr;
  static inline void (*in_parent)() = nullptr;
  static inline void (*in_child)() = nullptr;

  // A machine that nobody has asked for anything. No source may be left.
  static void reset() { it = {}; }
  // Time goes on until then; each timer signals in its turn.
  static void advance_to(instant then) {
    for (;;) {
      timer* first = nullptr;
      for (timer& each : it.timers)
        if (each.is_open && each.armed <= then && (first == nullptr || each.armed < first->armed))
          first = &each;
      if (first == nullptr) break;
      if (it.now < first->armed) it.now = first->armed;
      first->armed = never;
      signal(*first);
    }
    if (it.now < then) it.now = then;
  }
  // What was held up comes now, however late.
  static void let_go() {
    it.holds_up = false;
    std::vector<timer> came;
    came.swap(it.held_up);
    for (const timer& each : came) signal(each);
  }
  static void signal(timer from) {
    if (it.drops) return;
    if (it.holds_up) {
      it.held_up.push_back(from);
      return;
    }
    const auto handler = it.handlers.find(from.signal);
    if (handler == it.handlers.end()) return;
    ++it.signals;
    handler->second(from.signal);
  }
  // This process is the child from here on: without timers, and what is made next has the first one's number.
  static void fork_into_child() {
    before_fork();
    it.timers.clear();
    it.held_up.clear();
    in_child();
  }
  static bool is_anything_armed() {
    for (const timer& each : it.timers)
      if (each.is_open && each.armed != never) return true;
    return false;
  }
  static int open_timers() {
    int open = 0;
    for (const timer& each : it.timers) open += each.is_open ? 1 : 0;
    return open;
  }

  // As posix_timer_calls.
  static signal_range signals() noexcept { return {.first = 34, .last = 64}; }
  static bool is_free(int signal) noexcept {
    return !it.taken.contains(signal) && !it.handlers.contains(signal);
  }
  static int handle(int signal, signal_handler handler) noexcept {
    if (it.refuses_handle != 0) return -it.refuses_handle;
    it.handlers[signal] = handler;
    return 0;
  }
  static void unhandle(int signal, signal_handler /*handler*/) noexcept { it.handlers.erase(signal); }
  static bool is_blocked(int signal) noexcept { return it.blocked.contains(signal); }
  static void set_blocked(int signal, bool blocked) noexcept {
    if (blocked)
      it.blocked.insert(signal);
    else
      it.blocked.erase(signal);
  }
  static std::uintptr_t thread() noexcept { return it.thread; }
  static int at_fork(void (*before)(), void (*parent)(), void (*child)()) noexcept {
    before_fork = before;
    in_parent = parent;
    in_child = child;
    return 0;
  }
  static int open(int signal, timer_id& timer) noexcept {
    if (it.refuses_open != 0) return -it.refuses_open;
    ++it.opened;
    timer = it.timers.size();
    it.timers.push_back({.signal = signal, .thread = it.thread});
    return 0;
  }
  static int arm(timer_id timer, instant at) noexcept {
    if (it.before_arming) it.before_arming();
    if (it.refuses_arm != 0) return -it.refuses_arm;
    if (timer >= it.timers.size() || !it.timers[timer].is_open) return -EINVAL;
    ++it.armings;
    it.timers[timer].armed = at;
    return 0;
  }
  static void close(timer_id timer) noexcept { it.timers.at(timer).is_open = false; }
  static instant now() noexcept { return it.now; }
};

}  // namespace pinion::preempt::testing
