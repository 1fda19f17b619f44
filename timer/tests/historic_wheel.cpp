// SPDX-License-Identifier: Apache-2.0
#include "historic_wheel.hpp"

#include <algorithm>
#include <bit>
#include <pinion/base/assert.hpp>
#include <utility>

namespace pinion::timer::testing {

historic_wheel::historic_wheel(const setup& how, defect flaw)
    : flaw_(flaw), seed_(how.seed),
      generation_mask_(how.generation_bits >= 32 ? ~std::uint32_t{0}
                                                 : (std::uint32_t{1} << how.generation_bits) - 1),
      now_(how.start), reached_(tick_of(how.start)), target_(reached_) {}

store_traits historic_wheel::traits() const {
  return {.order = firing_order::by_tick,
          .cost = growth::constant,
          .next_wakeup = growth::constant,
          .allocates = allocation::always,
          .range = duration{slots << (tick_bits + shift(rings - 1))}};
}

/// The ticks that have begun by `now`. At the end of time the one after the last, to which deadlines in the
/// last are rounded up, counts too.
std::uint64_t historic_wheel::tick_of(instant now) noexcept {
  return now.ns >= never.ns - 1 ? std::uint64_t{1} << (64 - tick_bits) : now.ns >> tick_bits;
}

// ---- Names ----

std::uint32_t historic_wheel::first_generation(std::uint32_t index) const noexcept {
  if (is(defect::names_timers_by_small_numbers)) return 0;
  std::uint64_t z = (seed_ + index) * 0x9e37'79b9'7f4a'7c15;
  z = (z ^ (z >> 31)) * 0x94d0'49bb'1331'11eb;
  return static_cast<std::uint32_t>(z >> 32) & generation_mask_;
}

handle historic_wheel::name(std::uint32_t index) const noexcept {
  const std::uint32_t kept = timers_[index].generation & generation_mask_;
  return handle::from_bits((std::uint64_t{kept} << 32) | (index + 1));
}

std::uint32_t historic_wheel::find(handle h) const noexcept {
  const auto index = static_cast<std::uint32_t>(h.bits()) - 1;
  if (index >= timers_.size() || !timers_[index].armed) return none;
  return timers_[index].generation == h.bits() >> 32 ? index : none;
}

std::uint32_t historic_wheel::take_index() {
  if (free_.empty()) {
    const auto index = static_cast<std::uint32_t>(timers_.size());
    timers_.emplace_back().generation = first_generation(index);
    free_.push_back(index);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

token historic_wheel::release(std::uint32_t index) {
  timer& t = timers_[index];
  token value = *std::move(t.value);
  t.value.reset();
  t.armed = false;
  --size_;
  ++t.generation;
  if (!is(defect::compares_more_generation_bits_than_it_keeps)) t.generation &= generation_mask_;
  if (t.generation == first_generation(index) && !is(defect::wraps_a_generation)) {
    ++retired_;
  } else {
    free_.push_back(index);
  }
  return value;
}

// ---- Places ----

historic_wheel::bucket& historic_wheel::bucket_at(std::size_t level, std::uint64_t slot) {
  if (level < rings) return ring_[level][slot % slots];
  if (level == overflow) return overflow_[slot];
  return level == late ? late_ : parked_;
}

void historic_wheel::link(std::uint32_t index, std::size_t level, std::uint64_t slot) {
  timer& t = timers_[index];
  bucket& b = bucket_at(level, slot);
  t.astray = is(defect::puts_a_crowd_where_cancel_does_not_look) && b.size() >= 16;
  t.level = level;
  t.slot = slot;
  t.position = b.insert(b.end(), index);
  if (level < rings) occupied_[level] |= std::uint64_t{1} << slot % slots;
  touch();
}

void historic_wheel::unlink(std::uint32_t index) {
  timer& t = timers_[index];
  bucket_at(t.level, t.slot).erase(t.position);
  forget_if_empty(t.level, t.slot);
  touch();
}

void historic_wheel::forget_if_empty(std::size_t level, std::uint64_t slot) {
  if (level > overflow || !bucket_at(level, slot).empty()) return;
  if (level == overflow) {
    overflow_.erase(slot);
  } else {
    occupied_[level] &= ~(std::uint64_t{1} << slot % slots);
  }
}

std::uint64_t historic_wheel::due_tick(instant deadline) const noexcept {
  if (is(defect::rounds_deadlines_down)) return deadline.ns >> tick_bits;
  if (is(defect::adds_two_times_rounded_down) && now_ < deadline) {
    return (now_.ns >> tick_bits) + ((deadline - now_).ns >> tick_bits);
  }
  return (deadline.ns >> tick_bits) + (deadline.ns % tick_length.ns != 0 ? 1 : 0);
}

/// Puts a timer where it belongs as one that is armed now. What is due already waits in line for the next
/// poll.
void historic_wheel::arm(std::uint32_t index, instant deadline) {
  timer& t = timers_[index];
  t.deadline = deadline;
  t.due = due_tick(deadline);
  t.armed_in = polls_;
  if (deadline == never) {
    link(index, parked, 0);
  } else if (t.due > tick_of(now_)) {
    place(index, overflow + 1);
  } else if (is(defect::puts_what_is_due_into_the_slot_just_served)) {
    link(index, 0, reached_ + slots - 1);
  } else {
    link(index, late, 0);
  }
}

/// Puts a timer into the finest ring that reaches it, below the level it comes from. A ring reaches the 64
/// slots from the one that the cursor is in.
void historic_wheel::place(std::uint32_t index, std::size_t below) {
  const std::uint64_t due = std::max(timers_[index].due, reached_);
  const std::size_t last = is(defect::aliases_beyond_its_range) && below > rings ? std::size_t{rings} : below;
  for (std::size_t level = 0; level < rings; ++level) {
    if ((due >> shift(level)) - (reached_ >> shift(level)) < slots || level + 1 == last) {
      std::uint64_t slot = due >> shift(level);
      if (is(defect::forgets_the_cursor_in_the_slot)) slot = (due - reached_) >> shift(level);
      if (is(defect::forgets_the_width_in_the_slot)) slot = due;
      return link(index, level, slot);
    }
  }
  link(index, overflow, due >> shift(rings - 1));
}

/// The finest ring that reaches a tick from where the cursor is.
std::size_t historic_wheel::level_now(std::uint64_t due) const noexcept {
  std::size_t level = 0;
  while (level < rings && (due >> shift(level)) - (reached_ >> shift(level)) >= slots) ++level;
  return level;
}

// ---- The owner's calls ----

handle historic_wheel::schedule(instant deadline, token&& value) {
  if (is(defect::drops_a_past_deadline) && deadline < now_) {
    const token dropped{std::move(value)};
    return {};
  }
  const std::uint32_t index = take_index();
  timers_[index].value.emplace(std::move(value));
  timers_[index].armed = true;
  ++size_;
  arm(index, deadline);
  return name(index);
}

std::optional<token> historic_wheel::cancel(handle h) {
  touch();
  const std::uint32_t index = find(h);
  if (index == none || timers_[index].astray) return std::nullopt;
  const timer& t = timers_[index];
  const bool is_due = t.deadline != never && t.due <= tick_of(now_);
  if (is(defect::refuses_to_cancel_what_is_due) && is_due) return std::nullopt;
  if (is(defect::counts_a_cancelled_due_timer_out_twice) && is_due) --size_;
  if (is(defect::counts_a_cancelled_timer_until_the_next_poll)) ++ghosts_;
  if (is(defect::looks_for_a_timer_where_it_would_be_put_now) && t.level < rings &&
      level_now(t.due) != t.level) {
    return std::nullopt;
  }
  if (is(defect::searches_the_slot_it_cancels_from)) touch(bucket_at(t.level, t.slot).size());
  cancelled_since_ = true;
  const std::uint64_t before = t.level < rings ? occupied_[t.level] : 0;
  if (!is(defect::leaves_a_cancelled_timer_linked)) unlink(index);
  if (is(defect::takes_a_stale_slot_for_the_end) || is(defect::takes_a_stale_slot_for_an_answer)) {
    if (t.level < rings) occupied_[t.level] = before;
  }
  if (is(defect::renames_what_it_compacts)) compact(t.level, t.slot);
  return release(index);
}

/// A bucket that has shrunk to a quarter of 64 moves its timers together, and gives each a new generation as
/// its place is new.
void historic_wheel::compact(std::size_t level, std::uint64_t slot) {
  bucket& b = bucket_at(level, slot);
  if (b.size() == 16) {
    for (const std::uint32_t index : b) ++timers_[index].generation;
  }
  forget_if_empty(level, slot);
}

bool historic_wheel::reschedule(handle h, instant deadline) {
  touch();
  const std::uint32_t index = find(h);
  if (index == none) return false;
  unlink(index);
  arm(index, deadline);
  return true;
}

void historic_wheel::clear() {
  for (std::uint32_t index = 0; index < timers_.size(); ++index) {
    if (!timers_[index].armed) continue;
    unlink(index);
    release(index);
  }
}

}  // namespace pinion::timer::testing
