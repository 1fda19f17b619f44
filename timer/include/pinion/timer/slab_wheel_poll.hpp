// SPDX-License-Identifier: Apache-2.0
//
// Part of slab_wheel.hpp, which includes it: polling, and serving the buckets whose time has come.
#pragma once

namespace pinion::timer::inline PINION_MODE {

template <class Value, class Levels>
template <sink_for<Value> Sink>
poll_result slab_wheel<Value, Levels>::poll(instant now, std::size_t budget, Sink&& sink) {
  PINION_ASSERT(!polling_, "poll() was called from inside a sink: return from the sink first");
  if (budget == 0) return {.more = next_wakeup() <= (now < now_ ? now_ : now) && next_wakeup() != never};

  struct turn {  // also when a sink throws
    slab_wheel& wheel;
    turn(slab_wheel& w, instant t) noexcept : wheel(w) { wheel.begin(t); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { wheel.finish(); }
  } const whole{*this, now};
  poll_result result;
  for (;;) {
    if (batch_next_ == batch_count_) result.moved += collect(budget - result.fired - result.moved);
    if (batch_next_ == batch_count_) break;
    while (batch_next_ != batch_count_ && result.fired + result.moved < budget) {
      const std::uint32_t slot = batch_[batch_next_++];
      tag& t = slots_.tag(slot);
      if (t.bucket != in_batch || !slots_.is_taken(slot)) {  // cancelled or moved by an earlier callback
        ++result.moved;
        continue;
      }
      const handle name = slots_.name(slot);
      const instant deadline{t.deadline};
      --urgent_;
      t.bucket = nowhere;
      Value value = slots_.erase(slot);
      ++result.fired;
      sink(name, deadline, std::move(value));
    }
    if (result.fired + result.moved >= budget) break;
  }
  result.more = has_more();
  return result;
}

template <class Value, class Levels>
instant slab_wheel<Value, Levels>::next_wakeup() const noexcept {
  if (urgent_ != 0 || is_behind()) [[unlikely]] {
    // At most the due time of whatever could fire at once.
    instant since = now_;
    if (is_behind()) since = levels_.begin_of(has_pending() ? pending_since_ : gathered_since_);
    return urgent_ != 0 && urgent_since_ < since.ns ? instant{urgent_since_} : since;
  }
  const std::uint64_t tick = levels_.next(live_).tick;
  if (tick <= levels_.last_tick()) return levels_.begin_of(tick);
  return ending_ != 0 ? instant{never.ns - 1} : never;
}

/// Whether timers may be left in a bucket that was taken out of the levels to be served.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::is_behind() const noexcept {
  return buckets_[pending_bucket_].live != 0 || pending_bucket_ == gathered_ ||
         !buckets_[gathered_].chain.empty();
}

/// Whether timers armed before this poll are due, as far as can be told without looking at each.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::has_more() const noexcept {
  return urgent_ > fresh_ || is_behind() || levels_.next(live_).tick <= target_;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::begin(instant now) noexcept {
  polling_ = true;
  if (now_ < now) now_ = now;
  backlog_ = target_;
  target_ = levels_.tick_at_or_before(now_);
  poll_number_ = static_cast<std::uint16_t>(poll_number_ + poll_step);
  fresh_ = 0;
  arrivals_served_ = false;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::finish() noexcept {
  polling_ = false;
  if (!levels_.gathers() || levels_.hand() == target_) return;
  // What is overdue goes into one chain, so that the hand is where now is.
  chunk_chains::chain& all = buckets_[gathered_].chain;
  for (auto next = levels_.next(any_); next.tick <= target_; next = levels_.next(any_)) {
    work_.touch();
    if (all.empty()) gathered_since_ = next.tick;
    chains_.take(all, buckets_[next.bucket].chain);
    any_.clear(next.bucket);
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
      if (batch_count_ == batch_size || moved + batch_count_ >= budget) return moved;
      if (pending_next_ == pending_count_) next_chunk();
      const std::uint32_t slot = pending_slots_[pending_next_++];
      if (slot != chunk_chains::nothing) moved += serve(slot);
    }
    pending_bucket_ = no_bucket_;
  } while (advance());
  return moved;
}

/// One entry of the pending bucket: into the batch (0), or elsewhere (1).
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::serve(std::uint32_t slot) noexcept {
  work_.touch();
  --entries_;
  tag& t = slots_.tag(slot);
  if (t.bucket != pending_bucket_ && (pending_bucket_ != gathered_ || t.bucket >= bucket_count_)) return 1;
  if (!slots_.is_taken(slot)) {
    t.bucket = nowhere;
    return 1;
  }
  if (pending_bucket_ == arrivals_ && is_fresh(t)) {
    ++entries_;
    chains_.append(buckets_[arrivals_].chain, slot);
    return 1;
  }
  leave(t);
  const instant deadline{t.deadline};
  if (pending_bucket_ == arrivals_ || pending_bucket_ == at_the_end_ ||
      levels_.is_due(deadline, pending_bucket_)) {
    t.bucket = in_batch;
    hurry(t.deadline);
    batch_[batch_count_++] = slot;
    return 0;
  }
  t.bucket = nowhere;
  const std::uint64_t due = levels_.tick_at_or_after(deadline);
  if (due > levels_.last_tick()) [[unlikely]] {
    put_at_the_end(slot, t);
  } else {
    ++entries_;
    append(levels_.place(due, (t.mark & exact_bit) != 0), slot, t);
  }
  return 1;
}

/// On to the next bucket that is to be served; false when all are.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::advance() noexcept {
  if (!buckets_[gathered_].chain.empty()) {
    detach(gathered_);
    return true;
  }
  const auto next = levels_.next(any_);
  if (levels_.hand() < backlog_) {
    const bool found = next.tick <= backlog_;
    levels_.turn_to(found ? next.tick : backlog_);
    if (found) detach(next.bucket);
    return true;
  }
  if (!arrivals_served_) {
    arrivals_served_ = true;
    if (buckets_[arrivals_].chain.empty()) return advance();
    detach(arrivals_);
    return true;
  }
  if (next.tick <= target_) {
    levels_.turn_to(next.tick);
    detach(next.bucket);
    return true;
  }
  levels_.turn_to(target_);
  if (now_.ns >= never.ns - 1 && !buckets_[at_the_end_].chain.empty()) {
    detach(at_the_end_);
    return true;
  }
  return false;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::detach(std::uint16_t b) noexcept {
  work_.touch();
  pending_ = std::exchange(buckets_[b].chain, {});
  pending_bucket_ = b;
  pending_since_ = b == gathered_ ? gathered_since_ : levels_.hand();
  if (b < bucket_count_) any_.clear(b);
  if (compacting_ == b) compacting_ends_ = true;
}

/// Takes the next chunk off the pending chain, and asks for the slots of this one and the one behind it.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::next_chunk() noexcept {
  pending_count_ = chains_.pop(pending_, pending_slots_);
  pending_next_ = 0;
  for (std::size_t k = 0; k < pending_count_; ++k) {
    if (pending_slots_[k] < slots_.made()) slots_.prefetch(pending_slots_[k]);
  }
  if (const chunk_chains::chunk* behind = chains_.first(pending_)) {
    for (const std::uint32_t slot : behind->numbers) {
      if (slot < slots_.made()) slots_.prefetch(slot);
    }
  }
}

}  // namespace pinion::timer::inline PINION_MODE
