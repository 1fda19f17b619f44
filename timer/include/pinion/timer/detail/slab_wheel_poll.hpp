// SPDX-License-Identifier: Apache-2.0
//
// Part of slab_wheel.hpp, which includes it: polling, and serving the buckets whose time has come.
#pragma once

namespace pinion::timer::inline PINION_MODE {

/// A poll that finds nothing to do.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::stand_at(instant now) noexcept {
  if (now <= now_) return;
  now_ = now;
  target_ = levels_.tick_at_or_before(now);
  levels_.turn_to(target_);
}

template <class Value, class Levels>
template <class Sink>
poll_result slab_wheel<Value, Levels>::serve_until(instant now, std::size_t budget, Sink& sink) {
  if (budget == 0) return {.more = next_wakeup() <= (now < now_ ? now_ : now) && next_wakeup() != never};

  struct turn {  // also when a sink throws
    slab_wheel& wheel;
    turn(slab_wheel& w, instant t) noexcept : wheel(w) { wheel.begin(t); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { wheel.finish(); }
  } const whole{*this, now};
  poll_result result;
  std::size_t left = budget;
  do {
    if (batch_next_ == batch_count_) {
      const std::size_t moved = collect(left);
      result.moved += moved;
      left -= moved;
    }
    while (batch_next_ != batch_count_ && left != 0) {
      --left;
      const std::uint32_t number = batch_[batch_next_++];
      auto& slot = slots_[number];
      if (slot.bucket != in_batch || !slot.is_taken()) {  // cancelled or moved by an earlier callback
        ++result.moved;
        events_.count(&store_statistics::discarded);
        continue;
      }
      const handle name = slots_.name(number, slot);
      const instant deadline{slot.deadline};
      --urgent_;
      slot.bucket = nowhere;
      Value value = slots_.erase(number, slot);
      ++result.fired;
      events_.count(&store_statistics::fired);
      sink(name, deadline, std::move(value));
    }
  } while (left != 0 && !all_served_);
  result.more = has_more();
  return result;
}

template <class Value, class Levels>
instant slab_wheel<Value, Levels>::next_wakeup() const noexcept {
  work_.touch(levels_.searched());
  const std::uint64_t tick = levels_.next(live_).tick;
  instant at = tick <= levels_.last_tick() ? levels_.begin_of(tick)
               : ending_ != 0              ? instant{never.ns - 1}
                                           : never;
  // At most the due time of whatever could fire at once, too.
  if (urgent_ != 0 && urgent_since_ < at.ns) [[unlikely]]
    at = instant{urgent_since_};
  if (is_behind()) [[unlikely]] {
    if (has_pending() && levels_.begin_of(pending_since_) < at) at = levels_.begin_of(pending_since_);
    if (buckets_[sifted()].live != 0 && sifted_since_ < at.ns) at = instant{sifted_since_};
    if (!buckets_[gathered()].empty() && levels_.begin_of(gathered_since_) < at) {
      at = levels_.begin_of(gathered_since_);
    }
  }
  return at;
}

/// Whether timers may be left in a bucket that was taken out of the levels to be served.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::is_behind() const noexcept {
  if (has_pending() &&
      (buckets_[pending_bucket_].live != 0 || (pending_bucket_ == gathered() && slots_.size() != 0))) {
    return true;
  }
  return (levels_.gathers() && !buckets_[gathered()].empty() && slots_.size() != 0) ||
         buckets_[sifted()].live != 0;
}

/// Whether timers armed before this poll are due, as far as can be told without looking at each.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::has_more() const noexcept {
  return urgent_ > fresh_ || (!all_served_ && (is_behind() || levels_.next(live_).tick <= target_ ||
                                               (is_at_the_end_of_time() && ending_ != 0)));
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::begin(instant now) noexcept {
  polling_ = true;
  ends_first_ = is_at_the_end_of_time();
  if (now_ < now) now_ = now;
  backlog_ = target_;
  target_ = levels_.tick_at_or_before(now_);
  poll_number_ = static_cast<std::uint16_t>(poll_number_ + poll_step);
  fresh_ = 0;
  arrivals_served_ = false;
  all_served_ = false;
  quiet_until_ = instant{0};
  if (levels_.gathers()) gather();
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::finish() noexcept {
  polling_ = false;
  // Or what is left of a chunk would pass for entries.
  while (pending_next_ != pending_count_ && pending_slots_[pending_next_] == chunk_chains::nothing)
    ++pending_next_;
  if (batch_next_ != batch_count_) quiet_until_ = instant{0};
}

/// What is overdue goes into one chain, so that the hand is where now is, and what sinks arm is placed from
/// there. A short chain is copied: linked, the part-filled chunks of many would be more than there are.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::gather() noexcept {
  constexpr std::uint32_t chunks_copied = 8;
  gathered_first_ = is_behind();
  chunk_chains::chain& all = buckets_[gathered()];
  for (auto next = levels_.next(any_); next.tick <= target_; next = levels_.next(any_)) {
    work_.touch();
    if (all.empty()) gathered_since_ = next.tick;
    bucket& from = buckets_[next.bucket];
    if (chunk_counts_[next.bucket] <= chunks_copied) {
      chains_.copy(all, from);
    } else {
      chains_.take(all, from);
    }
    forget_chain(next.bucket);
    if (compacting_ == next.bucket) compacting_ends_ = true;
    levels_.turn_to(next.tick);
  }
  levels_.turn_to(target_);
}

// ---- Serving buckets

/// Fills the batch with timers that are due, spending at most `budget`; returns what went into other entries.
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::collect(std::size_t budget) noexcept {
  batch_next_ = batch_count_ = 0;
  std::size_t moved = 0;
  do {
    while (has_pending()) {
      const std::size_t room = budget - moved - batch_count_;
      if (batch_count_ == batch_size || room == 0) return moved;
      if (pending_next_ == pending_count_) next_chunk();
      const std::size_t count = pending_count_ - pending_next_;
      const std::size_t fits = count < room ? count : room;
      if (pending_bucket_ < bucket_count()) {
        moved += serve(fits < batch_size - batch_count_ ? fits : batch_size - batch_count_);
      } else if (const std::uint32_t number = pending_slots_[pending_next_++];
                 number != chunk_chains::nothing) {
        moved += serve_special(number);
      }
    }
    pending_bucket_ = no_bucket();
  } while (advance());
  all_served_ = true;
  return moved;
}

/// So many entries of a bucket of the levels: timers that are due into the batch, others into a bucket they
/// belong to now. Returns how many were placed or garbage.
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::serve(std::size_t count) noexcept {
  const std::uint16_t from = pending_bucket_;
  const std::uint32_t* next = &pending_slots_[pending_next_];
  pending_next_ += count;
  const std::size_t batched = batch_count_;
  std::size_t looked_at = 0;
  std::uint32_t live = 0;  // timers that were in the bucket
  std::size_t placed = 0;
  for (const std::uint32_t* const end = next + count; next != end; ++next) {
    if (*next == chunk_chains::nothing) [[unlikely]]
      continue;
    ++looked_at;
    auto& slot = slots_[*next];
    if (slot.bucket != from) continue;
    if (!slot.is_taken()) [[unlikely]] {
      slot.bucket = nowhere;
      continue;
    }
    ++live;
    if (levels_.is_due(instant{slot.deadline}, from)) {
      slot.bucket = in_batch;
      batch_[batch_count_++] = *next;
      continue;
    }
    placed += place_anew(*next, slot);
  }
  work_.touch(looked_at);
  events_.count(&store_statistics::discarded, looked_at - live);
  events_.count(&store_statistics::moved, live - (batch_count_ - batched));
  entries_ = entries_ - looked_at + placed;
  if (live != 0) {
    buckets_[from].live -= live;
    if (buckets_[from].live == 0) live_.clear(from);
  }
  if (batch_count_ != batched) {
    const std::uint64_t since = levels_.begin_of(levels_.hand()).ns;
    if (urgent_ == 0 || since < urgent_since_) urgent_since_ = since;
    urgent_ += batch_count_ - batched;
  }
  return looked_at - (batch_count_ - batched);
}

/// A timer whose bucket was served before it is due. Returns how many entries it has now, apart from one at
/// the end of time.
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::place_anew(std::uint32_t number, tag& t) noexcept {
  const std::uint64_t due = levels_.tick_at_or_after(instant{t.deadline});
  if (due > levels_.last_tick()) [[unlikely]] {
    t.bucket = nowhere;
    put_at_the_end(number, t);
    return 0;
  }
  append(levels_.place(due, is_exact(t)), number, t);
  return 1;
}

/// One entry of another bucket: into the batch (0), or elsewhere (1).
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::serve_special(std::uint32_t number) noexcept {
  work_.touch();
  --entries_;
  auto& slot = slots_[number];
  tag& t = slot;
  if (!is_entry_of(slot, pending_bucket_)) {
    events_.count(&store_statistics::discarded);
    return 1;
  }
  if (pending_bucket_ == arrivals() && is_fresh(t)) {
    ++entries_;
    t.mark ^= turn_bit;
    append(arrivals(), number, t);
    events_.count(&store_statistics::moved);
    return 1;
  }
  leave(t);
  if (is_due_in(t, pending_bucket_)) {
    t.bucket = in_batch;
    hurry(t.deadline);
    batch_[batch_count_++] = number;
    return 0;
  }
  events_.count(&store_statistics::moved);
  entries_ += place_anew(number, t);
  return 1;
}

/// Whether an entry that was found in a special bucket, or taken off a bucket of the levels, is its slot's;
/// of a slot that is free it is not from here on.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::is_entry_of(auto& slot, std::uint16_t b) noexcept {
  tag& t = slot;
  if (b == gathered()) {
    if (t.bucket >= bucket_count()) return false;
  } else if (t.bucket != b || (b == arrivals() && (t.mark & turn_bit) == arrivals_turn_)) {
    return false;
  }
  if (slot.is_taken()) [[likely]]
    return true;
  t.bucket = nowhere;
  return false;
}

/// Whether a timer found in a special bucket is to fire: arrivals and those at the end always, sifted ones by
/// their bit, all others by the hand, which stands where they are served.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::is_due_in(const tag& t, std::uint16_t b) const noexcept {
  if (b != gathered() && (b != sifted() || (t.mark & due_bit) != 0)) return true;
  return levels_.is_due(instant{t.deadline}, b);
}

/// On to the next bucket that is to be served; false when all are.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::advance() noexcept {
  if (!buckets_[sifted()].empty()) [[unlikely]] {
    detach(sifted());
    return true;
  }
  const bool has_gathered = levels_.gathers() && !buckets_[gathered()].empty();
  if (has_gathered && gathered_first_) {
    detach(gathered());
    return true;
  }
  const auto next = levels_.next(any_);
  if (next.tick <= backlog_) [[unlikely]] {
    levels_.turn_to(next.tick);
    detach(next.bucket);
    return true;
  }
  const bool none_at_the_end = buckets_[at_the_end()].empty();
  if (ends_first_ && !none_at_the_end) [[unlikely]] {
    detach(at_the_end());
    return true;
  }
  if (!arrivals_served_) {
    arrivals_served_ = true;
    if (!buckets_[arrivals()].empty()) {
      detach(arrivals());
      arrivals_turn_ ^= turn_bit;
      return true;
    }
  }
  if (has_gathered) {
    detach(gathered());
    return true;
  }
  if (next.tick <= target_) {
    levels_.turn_to(next.tick);
    detach(next.bucket);
    return true;
  }
  levels_.turn_to(target_);
  if (is_at_the_end_of_time() && !none_at_the_end) [[unlikely]] {
    detach(at_the_end());
    return true;
  }
  if (buckets_[arrivals()].empty()) {
    quiet_until_ = next.tick <= levels_.last_tick() ? levels_.begin_of(next.tick)
                   : none_at_the_end                ? never
                                                    : instant{never.ns - 1};
  }
  return false;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::detach(std::uint16_t b) noexcept {
  work_.touch();
  chunk_chains::chain& from = buckets_[b];
  pending_ = std::exchange(from, {});
  pending_bucket_ = b;
  pending_count_ = pending_next_ = 0;
  pending_since_ = b == gathered() ? gathered_since_ : levels_.hand();
  if (b < bucket_count()) forget_chain(b);
  if (compacting_ == b) compacting_ends_ = true;
}

/// The chain of a bucket was taken off it.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::forget_chain(std::uint16_t b) noexcept {
  any_.clear(b);
  if (levels_.gathers()) chunk_counts_[b] = 0;
}

/// Takes the next chunk off the pending chain, and asks for the slots of the one behind it; the first one of
/// a bucket finds its own slots not asked for yet.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::next_chunk() noexcept {
  const bool is_first = pending_count_ == 0;
  pending_count_ = chains_.pop(pending_, pending_slots_);
  pending_next_ = 0;
  if (is_first && pending_count_ > 1) {
    for (std::size_t k = 0; k < pending_count_; ++k) prefetch(pending_slots_[k]);
  }
  if (const chunk_chains::chunk* behind = chains_.first(pending_)) {
    // What its last chunk has not been filled with yet may be anything.
    for (std::size_t k = 0; k < chunk_chains::chunk_size; ++k) prefetch(behind->words[k]);
  }
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::prefetch(std::uint32_t number) const noexcept {
  if (number < slots_.made()) slots_.prefetch(number);
}

}  // namespace pinion::timer::inline PINION_MODE
