// SPDX-License-Identifier: Apache-2.0
//
// How a historic_wheel finds what is next, and polls.
#include <algorithm>
#include <bit>
#include <pinion/base/assert.hpp>
#include <utility>

#include "historic_wheel.hpp"

namespace pinion::timer::testing {

/// The next slot of a ring that holds anything, and the tick in which it begins.
historic_wheel::event historic_wheel::next_in_ring(std::size_t level) const {
  touch();
  if (occupied_[level] == 0) return {};
  const bool at_the_end =
      level != 0 && (is(defect::cascades_a_slot_as_it_ends) || is(defect::fires_a_coarse_slot_as_it_ends));
  const std::uint64_t cursor = (reached_ >> shift(level)) - (at_the_end ? 1 : 0);
  const auto ahead = static_cast<std::uint64_t>(
      std::countr_zero(std::rotr(occupied_[level], static_cast<int>(cursor % slots))));
  const std::uint64_t slot = cursor + ahead;
  if (is(defect::cascades_in_the_first_turn_only) && level != 0 && slot >= slots) return {};
  return {std::max(reached_, (slot + (at_the_end ? 1 : 0)) << shift(level)), level, slot};
}

/// The earliest of all; of two in the same tick the coarser, as it may put something into the finer.
historic_wheel::event historic_wheel::next_event() const {
  event first;
  if (!overflow_.empty() && !is(defect::never_drains_its_overflow) &&
      !is(defect::wakes_at_zero_for_its_overflow)) {
    const std::uint64_t slot = overflow_.begin()->first;
    first = {std::max(reached_, (slot - (slots - 1)) << shift(rings - 1)), overflow, slot};
  }
  for (std::size_t level = rings; level-- > 0;) {
    const event e = next_in_ring(level);
    if (e.tick < first.tick) first = e;
  }
  return first;
}

instant historic_wheel::earliest_by_scan() const {
  touch(timers_.size());
  instant earliest = never;
  for (const timer& t : timers_) {
    if (t.armed && t.deadline < earliest) earliest = t.deadline;
  }
  return earliest;
}

instant historic_wheel::next_wakeup() const {
  // Those two answer rightly; law T8 is about what they look at.
  if (is(defect::looks_at_every_timer)) static_cast<void>(earliest_by_scan());
  if (is(defect::looks_at_every_timer_after_a_cancel) && cancelled_since_)
    static_cast<void>(earliest_by_scan());

  event e = next_event();
  if (is(defect::wakes_at_zero_for_its_overflow) && e.tick == no_tick && !overflow_.empty())
    return instant{0};
  if (is(defect::looks_at_the_finest_level_only) && occupied_[0] != 0) e = next_in_ring(0);
  if (is(defect::takes_a_stale_slot_for_the_end) && e.level < rings && ring_[e.level][e.slot % slots].empty())
    return never;
  if (!late_.empty()) {
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      return timers_[a].deadline < timers_[b].deadline;
    };
    const instant since = timers_[*std::ranges::min_element(late_, earlier)].deadline;
    return e.tick < since.ns >> tick_bits ? instant{e.tick << tick_bits} : since;
  }
  if (e.tick == no_tick) return never;
  return e.tick >> (64 - tick_bits) != 0 ? never - duration{1} : instant{e.tick << tick_bits};
}

/// A sweep over what is due by now and was armed before this poll. One that a budget or a throwing sink ended
/// is resumed by the next poll.
void historic_wheel::begin_sweep() {
  ghosts_ = 0;
  cancelled_since_ = false;
  sweeping_ = true;
  sweep_of_ = polls_;
  const std::uint64_t before = target_;
  target_ = tick_of(now_);
  if (is(defect::serves_a_slot_that_has_only_begun)) ++target_;
  if (is(defect::serves_one_tick_a_poll)) target_ = std::min(target_, before + 1);
  if (is(defect::serves_a_stall_modulo_a_turn)) target_ = reached_ + (target_ - reached_) % slots;
  if (is(defect::walks_each_tick_of_a_jump)) touch(target_ - before);
  if (is(defect::walks_each_tick_since_the_epoch) && polls_ == 2) touch(before);
}

/// The entry that the sweep comes to next, as the front of a bucket; no_tick when the sweep is done.
historic_wheel::event historic_wheel::next_step() {
  if (!late_.empty() && timers_[late_.front()].armed_in < sweep_of_) return {reached_, late, 0};
  for (;;) {
    const event e = next_event();
    if (e.tick > target_) return {};
    reached_ = std::max(reached_, e.tick);
    if (!bucket_at(e.level, e.slot).empty()) return e;
    forget_if_empty(e.level, e.slot);
  }
}

/// Moves the front of a coarse bucket to a finer one.
void historic_wheel::move_down(const event& from) {
  std::uint32_t index = bucket_at(from.level, from.slot).front();
  unlink(index);
  const std::uint64_t due = timers_[index].due;
  if (is(defect::loses_what_cascades_into_a_full_slot) && ring_[0][due % slots].size() >= 64) {
    release(index);
    return;
  }
  if (is(defect::renames_what_cascades)) {
    const std::uint32_t place = take_index();
    std::swap(timers_[index], timers_[place]);
    std::swap(timers_[index].generation, timers_[place].generation);
    free_.push_back(std::exchange(index, place));
  }
  if (is(defect::cascades_into_the_slot_just_served) && due == reached_) {
    link(index, 0, reached_ + slots - 1);
  } else if (is(defect::cascades_what_is_due_upwards) && from.level < rings && due <= tick_of(now_)) {
    link(index, from.level, from.slot + slots - 1);
  } else {
    place(index, from.level);
  }
}

/// The budget is spent with `left` to do: normally just that, and the next poll comes back to it.
void historic_wheel::end_early(const event& left) {
  if (is(defect::forgets_what_the_budget_left)) {
    sweeping_ = false;
    reached_ = target_ + 1;
  }
  if (is(defect::passes_over_what_a_cascade_left) && left.level != 0 && left.level < rings) {
    reached_ = (left.slot + 1) << shift(left.level);
  }
}

poll_result historic_wheel::poll(instant now, std::size_t budget, sink_ref sink) {
  PINION_ASSERT(!polling_, "poll() was called from inside a sink: return from the sink first");
  if (budget == 0) {
    return {.more = sweeping_ || !late_.empty() || next_event().tick <= tick_of(std::max(now, now_))};
  }
  struct polling_mark {
    bool& flag;
    explicit polling_mark(bool& f) noexcept : flag(f) { flag = true; }
    polling_mark(const polling_mark&) = delete;
    polling_mark& operator=(const polling_mark&) = delete;
    ~polling_mark() { flag = false; }
  } const mark{polling_};

  now_ = std::max(now, now_);
  ++polls_;
  bool resumed = sweeping_;
  if (!resumed) begin_sweep();
  poll_result result;
  for (;;) {
    const event step = next_step();
    if (step.tick == no_tick) {
      if (std::exchange(resumed, false)) {  // the backlog is done: now for what has come due since
        begin_sweep();
        continue;
      }
      sweeping_ = false;
      reached_ = std::max(reached_, is(defect::serves_one_tick_a_poll) ? target_ : tick_of(now_));
      return result;
    }
    const bool coarse = step.level != 0 && step.level <= overflow;
    if (result.fired + result.moved >= budget && !(coarse && is(defect::cascades_beyond_the_budget))) {
      end_early(step);
      result.more = true;
      return result;
    }
    const bool fires_coarse =
        is(defect::fires_a_coarse_slot_as_it_begins) || is(defect::fires_a_coarse_slot_as_it_ends);
    const std::uint32_t index = bucket_at(step.level, step.slot).front();
    const timer& t = timers_[index];
    const bool is_elsewhere = t.level != step.level || t.slot % slots != step.slot % slots;
    if (!t.armed || (coarse && is_elsewhere)) {  // only if a cancel left it linked
      bucket_at(step.level, step.slot).pop_front();
      forget_if_empty(step.level, step.slot);
      ++result.moved;
    } else if (coarse && (!fires_coarse || step.level == overflow)) {
      move_down(step);
      ++result.moved;
    } else {
      const handle named = name(index);
      const instant deadline = t.deadline;
      unlink(index);
      token value = release(index);
      ++result.fired;
      sink(named, deadline, std::move(value));
    }
  }
}

}  // namespace pinion::timer::testing
