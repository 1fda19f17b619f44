// SPDX-License-Identifier: Apache-2.0
//
// differential_episode: one store against ordered_map, for as many operations as are asked for.
//
//   episode<deferred_wheel<token>> e{from, start, traits, [&] { return std::make_unique<…>(start); }};
//   difference d = e.play(5'000);
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <pinion/timer/ordered_map.hpp>
#include <sstream>
#include <utility>

#include "differential.hpp"
#include "violation.hpp"

namespace pinion::timer::testing {

/// What is not the same for all.
struct terms {
  unsigned leap = 48;  ///< no jump of time is longer than 2 to that many ns
};

template <class Store>
class episode {
 public:
  template <class Make>
  episode(choices& from, instant start, const store_traits& declared, const terms& agreed, Make&& make)
      : from_(from), now_(start), declared_(declared), store_(make()), earliest_(start), latest_(start),
        tick_(store_->lateness_bound(duration{0}).ns), leap_(agreed.leap),
        population_(std::size_t{1} << from.below(11)),
        reach_(static_cast<unsigned>(leap_ - from.below(leap_ / 2))),
        pace_(static_cast<unsigned>(leap_ - 12 - from.below(leap_ / 2))), business_(1 + from.below(8)) {
    if (tick_ == 0) tick_ = std::uint64_t{1} << 20;
  }

  /// Plays, and ends the store; the first difference, or none.
  difference play(std::uint64_t operations) {
    std::uint64_t at_the_end = 0;
    for (std::uint64_t k = 0; k < operations && !found_ && !from_.used_up() && at_the_end < 200; ++k) {
      if (now_ == never) ++at_the_end;
      where_it_is().operations = operations_ = k + 1;
      operate();
      if (!found_) compare();
    }
    if (!found_) end();
    return found_;
  }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  struct timer {
    instant deadline;
    instant latest;  // the latest due time that the store's lateness bound allows
    handle name;
    handle by_deadline;          // in earliest_
    handle by_latest;            // in latest_, unless it is waiting
    std::uint64_t armed_in = 0;  // the poll during or after which it was armed
    std::uint64_t arming = 0;
    std::uint32_t among_live = nowhere;
    std::uint32_t among_waiting = nowhere;
    bool due_when_armed = false;
  };
  struct thrown {};
  struct trace {
    const char* what;
    std::uint64_t operation;
    std::uint64_t a;
    std::uint64_t b;
  };

  // ---- What is drawn

  std::uint64_t slot_length() {
    const std::uint64_t shift = 2 * from_.below(from_.below(15) + 1);
    return tick_ << shift;
  }
  duration some_ns() {
    const std::array<std::uint64_t, 5> lengths{0, 1, tick_ - 1, tick_, tick_ + 1};
    return duration{lengths[from_.below(5)]};
  }
  instant about(instant t) { return from_.one_in(2) ? t - some_ns() : t + some_ns(); }

  instant any_deadline() {
    switch (from_.below(16)) {
    case 0: {
      const std::array<instant, 8> special{
          instant{0},          instant{1}, now_ - duration{1},         now_, now_ + duration{1},
          never - duration{1}, never,      now_ - from_.any_length(40)};
      return special[from_.below(8)];
    }
    case 1: return live_.empty() ? now_ : timers_[victim()].deadline;
    case 2:
    case 3: {
      const std::uint64_t length = slot_length();
      return about(instant{(now_ + from_.any_length(reach_)).ns / length * length});
    }
    case 4:
    case 5:
    case 6: return now_ + duration{from_.below(tick_ * 80)};
    case 7: return from_.one_in(8) ? never - from_.any_length(44) : now_ + from_.any_length(leap_);
    default: return now_ + from_.any_length(reach_);
    }
  }

  instant any_time() { return std::min(drawn_time(), furthest_time()); }
  instant furthest_time() { return now_ + duration{std::uint64_t{1} << leap_}; }
  instant drawn_time() {
    switch (from_.below(16)) {
    case 0: return now_;
    case 1: return now_ - from_.any_length(40);
    case 2: return near(store_->next_wakeup());
    case 3: return near(earliest_.next_wakeup());
    case 4: return near(latest_.next_wakeup());
    case 5: {
      const std::array<std::uint64_t, 6> turns{1, 1, 2, 3, 17, 64};
      return about(now_ + duration{slot_length()} * turns[from_.below(6)]);
    }
    case 6: return from_.one_in(16) ? now_ + from_.any_length(leap_) : now_ + from_.any_length(reach_);
    case 7: return instant{(now_.ns / tick_ + from_.below(4)) * tick_};
    default: return now_ + from_.any_length(pace_);
    }
  }
  instant near(instant t) {
    if (t == never) return now_;
    const std::uint64_t which = from_.below(3);
    return which == 0 ? t : which == 1 ? t - duration{1} : t + duration{1};
  }
  std::uint32_t victim() { return live_[from_.below(live_.size())]; }

  // ---- The operations

  void operate() {
    const std::uint64_t what = from_.below(64);
    if (what < 14) return poll(any_time(), unlimited, true);
    if (what < 22) return poll(any_time(), from_.below(24), true);
    if (what < 24) return doze();
    if (what == 24 && from_.one_in(64)) return clear();
    change(live_.size() < population_ ? from_.below(10) : 4 + from_.below(6));
  }

  /// What is done between polls and by sinks alike.
  void change(std::uint64_t what) {
    if (what < 4 || live_.empty()) return arm();
    if (what < 7) return cancel(victim());
    if (what < 9) return push_on(victim());
    use_a_stale_handle();
  }

  void arm() {
    const instant deadline = any_deadline();
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(timers_.size()));
      timers_.emplace_back();
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    note(polling_ ? "  sink arms" : "arm", id, deadline.ns);
    timer& t = timers_[id];
    t.name = store_->schedule(deadline, token{book_, id});
    t.among_live = static_cast<std::uint32_t>(live_.size());
    live_.push_back(id);
    t.by_deadline = earliest_.schedule(deadline, std::uint32_t{id});
    t.by_latest = {};
    is_armed(id, deadline);
    if (!t.name) differ("a timer was given the handle that names none");
  }

  void cancel(std::uint32_t id) {
    note(polling_ ? "  sink cancels" : "cancel", id, timers_[id].deadline.ns);
    const std::optional<token> back = store_->cancel(timers_[id].name);
    if (!back || !back->holds() || back->id() != id) {
      return differ("cancel of timer ", id,
                    back ? " gave back another's value" : " said no, and it is armed");
    }
    leaves_an_arrival(id);
    forget(id);
  }

  void push_on(std::uint32_t id) {
    const instant deadline = any_deadline();
    note(polling_ ? "  sink pushes on" : "push on", id, deadline.ns);
    timer& t = timers_[id];
    if (!store_->reschedule(t.name, deadline))
      return differ("timer ", id, " is armed and can't be pushed on");
    leaves_an_arrival(id);
    earliest_.reschedule(t.by_deadline, deadline);
    is_armed(id, deadline);
  }

  /// In a slab_wheel the next timer of its slot, if it is due as it is armed, takes its place, perhaps in a
  /// backlog.
  void leaves_an_arrival(std::uint32_t id) {
    if (timers_[id].due_when_armed) places_to_take_.push_back(slot_of(timers_[id].name));
  }
  static std::uint32_t slot_of(handle h) { return static_cast<std::uint32_t>(h.bits()); }

  /// Notes when the timer may be due, and keeps it out of latest_ while nothing says that it is to fire yet.
  void is_armed(std::uint32_t id, instant deadline) {
    timer& t = timers_[id];
    t.deadline = deadline;
    t.latest = deadline + store_->lateness_bound(deadline - now_);
    t.armed_in = polls_;
    t.arming = ++armings_;
    t.due_when_armed = deadline <= now_;
    if (!polling_ && !backlog_) return oblige(id);
    if (t.among_waiting != nowhere) return;
    latest_.cancel(t.by_latest);
    t.among_waiting = static_cast<std::uint32_t>(waiting_.size());
    waiting_.push_back(id);
  }
  void oblige(std::uint32_t id) {
    timer& t = timers_[id];
    if (!latest_.reschedule(t.by_latest, t.latest))
      t.by_latest = latest_.schedule(t.latest, std::uint32_t{id});
  }

  /// The timer has fired or was cancelled.
  void forget(std::uint32_t id) {
    timer& t = timers_[id];
    earliest_.cancel(t.by_deadline);
    if (t.among_waiting == nowhere) {
      latest_.cancel(t.by_latest);
    } else {
      no_longer_waits(id);
    }
    timers_[live_.back()].among_live = t.among_live;
    live_[t.among_live] = live_.back();
    live_.pop_back();
    remember_as_stale(t.name);
    free_.push_back(id);
    t.among_live = nowhere;
  }
  void no_longer_waits(std::uint32_t id) {
    timer& t = timers_[id];
    timers_[waiting_.back()].among_waiting = t.among_waiting;
    waiting_[t.among_waiting] = waiting_.back();
    waiting_.pop_back();
    t.among_waiting = nowhere;
  }
  void remember_as_stale(handle h) {
    if (stale_.size() < 512) {
      stale_.push_back(h);
    } else {
      const std::size_t place = ++stale_next_ % 16 == 0 ? stale_next_ / 16 % 512 : stale_next_ % 64;
      stale_[place] = h;  // most are soon replaced, some kept for long
    }
  }

  void use_a_stale_handle() {
    handle h = from_.one_in(8) ? handle{} : handle::from_bits(~std::uint64_t{0});
    if (!stale_.empty() && !from_.one_in(8)) h = stale_[from_.below(stale_.size())];
    note(polling_ ? "  sink uses a stale handle" : "stale handle", h.bits(), 0);
    if (store_->cancel(h)) return differ("a stale handle, ", h.bits(), ", cancelled a timer");
    if (store_->reschedule(h, now_ + duration{1})) differ("a stale handle, ", h.bits(), ", moved a timer");
  }

  void clear() {
    note(polling_ ? "  sink clears" : "clear", live_.size(), 0);
    store_->clear();
    while (!live_.empty()) {
      const std::uint32_t id = live_.back();
      forget(id);
      if (book_.live(id) != 0) return differ("clear() left the value of timer ", id);
    }
  }

  void doze() {
    const instant wakeup = store_->next_wakeup();
    if (wakeup == never) return;
    must_progress_ = wakeup <= furthest_time();
    poll(std::min(wakeup, furthest_time()), unlimited, true);
  }

  void poll(instant at, std::size_t budget, bool sinks_are_busy);
  void judge_poll(instant at, std::size_t budget, const poll_result& did);
  void fire(handle h, instant deadline, token&& value);
  void judge_order(const timer& t);
  void react();
  void compare();
  void end();

  // ---- What is told

  void note(const char* what, std::uint64_t a, std::uint64_t b) noexcept {
    trail_[traced_++ % trail_.size()] = {what, operations_, a, b};
  }

  template <class... Words>
  void differ(const Words&... words) {
    if (!found_) tell(in_words(words..., " (now ", now_.ns, ", operation ", operations_, ')'));
  }

  [[gnu::cold, gnu::noinline]] void tell(const violation& broken) {
    std::ostringstream text;
    text << broken.what();
    for (std::uint64_t k = traced_ - std::min<std::uint64_t>(traced_, trail_.size()); k < traced_; ++k) {
      const trace& t = trail_[k % trail_.size()];
      text << "\n  " << t.operation << ": " << t.what << ' ' << t.a << ' ' << t.b;
    }
    found_ = {text.str(), operations_};
  }

  choices& from_;
  instant now_;
  store_traits declared_;
  ledger book_;
  std::unique_ptr<Store> store_;  // after the ledger its tokens report to
  ordered_map<std::uint32_t> earliest_;
  ordered_map<std::uint32_t> latest_;  // those that the store is obliged to fire, by their latest due time

  std::uint64_t tick_;
  unsigned leap_;  // no jump of time is longer than 2 to that many ns
  std::size_t population_;
  unsigned reach_;  // of most deadlines
  unsigned pace_;   // of most polls
  std::uint64_t business_;

  std::vector<timer> timers_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> live_;
  std::vector<std::uint32_t> waiting_;  // armed during a poll, or behind a backlog
  std::vector<handle> stale_;
  std::size_t stale_next_ = 0;
  std::vector<std::uint32_t> places_to_take_;
  std::uint64_t armings_ = 0;

  std::uint64_t polls_ = 0;
  std::size_t fired_ = 0;
  bool polling_ = false;
  bool busy_ = false;
  bool must_progress_ = false;
  bool backlog_ = false;  // the last poll was cut short
  instant backlog_since_;
  instant furthest_;  // the latest deadline fired in this poll
  std::uint64_t last_arming_ = 0;

  difference found_;
  std::uint64_t operations_ = 0;
  std::uint64_t traced_ = 0;
  std::array<trace, 32> trail_{};
};

}  // namespace pinion::timer::testing

#include "differential_poll.hpp"  // IWYU pragma: export
