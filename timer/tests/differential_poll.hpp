// SPDX-License-Identifier: Apache-2.0
//
// Part of differential_episode.hpp, which includes it: polling, and judging what a poll did.
#pragma once

namespace pinion::timer::testing {

template <class Store>
void episode<Store>::poll(instant at, std::size_t budget, bool sinks_are_busy) {
  note(budget == unlimited ? "poll" : "poll with a budget", at.ns, budget);
  if (budget != 0 && now_ < at) now_ = at;
  ++polls_;
  fired_ = 0;
  furthest_ = instant{0};
  last_arming_ = 0;
  busy_ = sinks_are_busy && from_.below(8) < business_;
  auto sink = [this](handle h, instant deadline, token&& value) { fire(h, deadline, std::move(value)); };
  polling_ = true;
  try {
    const poll_result did = store_->poll(at, budget, sink);
    polling_ = false;
    if (!found_) judge_poll(at, budget, did);
  } catch (const thrown&) {
    polling_ = false;
    if (!backlog_) backlog_since_ = now_;
    backlog_ = true;
  }
  must_progress_ = false;
}

template <class Store>
void episode<Store>::judge_poll(instant at, std::size_t budget, const poll_result& did) {
  const bool must_be_due = latest_.next_wakeup() <= std::max(at, now_) && latest_.next_wakeup() != never;
  if (did.fired != fired_) return differ("a poll says it fired ", did.fired, " timers and fired ", fired_);
  if (budget == 0) {
    if (did.fired + did.moved != 0) return differ("a poll with a budget of 0 did ", did.fired + did.moved);
    if (must_be_due && !did.more) differ("a timer is due, and a poll with a budget of 0 says there is none");
    return;
  }
  if (budget != unlimited && did.fired + did.moved > budget) {
    return differ("a poll with a budget of ", budget, " fired ", did.fired, " and moved ", did.moved);
  }
  if (must_progress_ && did.fired + did.moved == 0) return differ("a poll at next_wakeup() did nothing");
  if (did.more) {
    if (budget == unlimited) return differ("an unlimited poll left something");
    if (did.fired + did.moved == 0) return differ("a poll did nothing, and says there is more");
    if (now_ < store_->next_wakeup())
      return differ("there is more, and next_wakeup() is ", store_->next_wakeup().ns);
  } else if (must_be_due) {
    return differ("a timer due by ", latest_.next_wakeup().ns,
                  " is left after a poll that says there is none");
  }
  // What was armed before this poll belongs to the backlog of the next one, unless there is one from before.
  const bool same_backlog = did.more && backlog_ && latest_.next_wakeup() <= backlog_since_;
  for (std::size_t k = waiting_.size(); k-- > 0 && !same_backlog;) {
    const std::uint32_t id = waiting_[k];
    const timer& t = timers_[id];
    if (t.armed_in == polls_ && did.more) continue;
    if (t.armed_in != polls_ && !did.more && t.latest <= now_ && t.latest != never) {
      return differ("timer ", id, ", due by ", t.latest.ns, ", is left after a poll that says there is none");
    }
    no_longer_waits(id);
    oblige(id);
  }
  if (!same_backlog) backlog_since_ = now_;
  backlog_ = did.more;
  if (!backlog_) places_to_take_.clear();
  if (now_ == never && !did.more) {
    for (const std::uint32_t id : live_) {
      if (timers_[id].deadline != never && timers_[id].armed_in != polls_) {
        return differ("poll(never) left timer ", id, " for ", timers_[id].deadline.ns);
      }
    }
  }
}

template <class Store>
void episode<Store>::fire(handle h, instant deadline, token&& value) {
  if (found_) return;
  if (!value.holds()) return differ("a sink was given no value");
  // Destroyed before the sink does anything else, so that the ledger has no more than the store.
  const auto id = static_cast<std::uint32_t>(token{std::move(value)}.id());
  note("  fires", id, deadline.ns);
  const timer& t = timers_[id];
  if (t.among_live == nowhere) return differ("timer ", id, " fired and was not armed");
  if (!(t.name == h)) return differ("timer ", id, " fired under another's handle");
  if (t.deadline != deadline)
    return differ("timer ", id, " for ", t.deadline.ns, " fired as for ", deadline.ns);
  if (now_ < deadline || deadline == never) return differ("timer ", id, " for ", deadline.ns, " fired early");
  if (t.armed_in == polls_) return differ("timer ", id, " fired in the poll that armed it");
  judge_order(t);
  const bool is_newcomer = backlog_ && t.among_waiting != nowhere && t.due_when_armed &&
                           std::ranges::count(places_to_take_, slot_of(t.name)) == 0;
  if (is_newcomer && latest_.next_wakeup() <= std::min(backlog_since_, never - duration{1})) {
    return differ("timer ", id, ", armed behind a backlog, fired before one due by ",
                  latest_.next_wakeup().ns);
  }
  ++fired_;
  forget(id);
  if (store_->size() != earliest_.size())
    differ("inside a sink size() is ", store_->size(), ", not ", earliest_.size());
  if (busy_ && !found_) react();
}

/// T11, but for timers that were due already as they were armed, which come when they come.
template <class Store>
void episode<Store>::judge_order(const timer& t) {
  if (declared_.order == firing_order::none) return;
  if (t.due_when_armed && (declared_.order == firing_order::by_tick || backlog_)) return;
  const bool is_late = t.latest <= furthest_ && t.deadline != furthest_;
  const bool is_swapped =
      declared_.order == firing_order::by_deadline && t.deadline == furthest_ && t.arming < last_arming_;
  if (is_late || is_swapped) {
    return differ("a timer for ", t.deadline.ns, ", due by ", t.latest.ns, ", fired after one for ",
                  furthest_.ns);
  }
  if (furthest_ <= t.deadline) last_arming_ = t.arming;
  furthest_ = std::max(furthest_, t.deadline);
}

template <class Store>
void episode<Store>::react() {
  if (!from_.one_in(4)) return;
  for (std::uint64_t k = from_.below(4); k-- > 0 && !found_;) change(from_.below(10));
  if (found_ || !from_.one_in(64)) return;
  if (from_.one_in(4)) return clear();
  note("  sink throws", 0, 0);
  throw thrown{};
}

/// What must hold after every operation.
template <class Store>
void episode<Store>::compare() {
  if (store_->size() != earliest_.size()) {
    return differ("size() is ", store_->size(), " with ", earliest_.size(), " timers armed");
  }
  const instant wakeup = store_->next_wakeup();
  if (latest_.next_wakeup() < wakeup) {
    return differ("next_wakeup() is ", wakeup.ns, ", and a timer is due by ", latest_.next_wakeup().ns);
  }
  const bool will_fire = earliest_.next_wakeup() != never;
  if (will_fire && wakeup == never) return differ("next_wakeup() is never with timers armed");
  // Garbage may be woken for, if it is overdue.
  if (!will_fire && now_ < wakeup && wakeup != never)
    return differ("nothing will fire, and next_wakeup() is ", wakeup.ns);
  if (operations_ % 16 != 0) return;
  for (const std::uint32_t id : waiting_) {
    if (timers_[id].latest < wakeup)
      return differ("next_wakeup() is ", wakeup.ns, ", after timer ", id, " is due");
  }
}

/// Drains, clears, or lets the store go as it is. No value may be left.
template <class Store>
void episode<Store>::end() {
  if (from_.one_in(2)) {
    const instant last = furthest_time();
    std::uint64_t polls = 0;
    for (backlog_ = true; backlog_ && !found_ && polls < 1'000'000; ++polls)
      poll(last, 1 + from_.below(1'000), false);
    if (backlog_) return differ("a million polls did not exhaust the backlog");
  }
  if (!found_ && from_.one_in(4)) clear();
  if (found_) return;
  store_.reset();
  for (std::uint32_t id = 0; id < timers_.size(); ++id) {
    if (book_.live(id) != 0) return differ("the store is gone, and the value of timer ", id, " is not");
  }
}

}  // namespace pinion::timer::testing
