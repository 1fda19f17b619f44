// SPDX-License-Identifier: Apache-2.0
//
// Part of slab_wheel.hpp, which includes it: arming, cancelling, and where a timer goes.
#pragma once

namespace pinion::timer::inline PINION_MODE {

template <class Value, class Levels>
handle slab_wheel<Value, Levels>::arm(instant deadline, Value&& value, std::uint16_t exact) {
  if (slots_.is_full()) [[unlikely]]
    make_room();
  const std::uint32_t number = slots_.insert(std::move(value));
  auto& slot = slots_[number];
  tag& t = slot;
  work_.touch();
  events_.count(&store_statistics::scheduled);
  // Perhaps the entry that the slot's last timer left behind serves this one.
  const std::uint64_t due = levels_.tick_at_or_after(deadline);
  t.deadline = deadline.ns;
  if constexpr (Levels::has_exact_timers) t.mark = static_cast<std::uint16_t>((t.mark & ~exact_bit) | exact);
  if (still_serves(t, deadline, due)) {
    enliven(t.bucket);
  } else {
    put(number, t, due);
  }
  return slots_.name(number, slot);
}

template <class Value, class Levels>
handle slab_wheel<Value, Levels>::schedule(instant deadline, Value&& value) {
  return arm(deadline, std::move(value), 0);
}

template <class Value, class Levels>
expected<handle> slab_wheel<Value, Levels>::try_schedule(instant deadline, Value&& value) {
  if (deadline <= now_) return unexpected<errc>{errc::deadline_passed};
  try {
    return arm(deadline, std::move(value), 0);
  } catch (const std::length_error&) {
    return unexpected<errc>{errc::capacity_exceeded};
  }
}

template <class Value, class Levels>
std::optional<Value> slab_wheel<Value, Levels>::cancel(handle h) noexcept {
  auto* const slot = slots_.find_slot(h);
  if (slot == nullptr) return std::nullopt;
  work_.touch();
  events_.count(&store_statistics::cancelled);
  leave(*slot);
  return slots_.erase(slots_.number_of(h), *slot);
}

template <class Value, class Levels>
expected<Value> slab_wheel<Value, Levels>::try_cancel(handle h) noexcept {
  if (std::optional<Value> value = cancel(h)) return *std::move(value);
  return unexpected<errc>{slots_.knows_slot_of(h) ? errc::not_found : errc::invalid_handle};
}

template <class Value, class Levels>
bool slab_wheel<Value, Levels>::reschedule(handle h, instant deadline) noexcept {
  auto* const slot = slots_.find_slot(h);
  if (slot == nullptr) return false;
  work_.touch();
  tag& t = *slot;
  if (t.bucket == doomed) [[unlikely]]
    return false;
  const std::uint64_t due = levels_.tick_at_or_after(deadline);
  events_.count(&store_statistics::rescheduled);
  if (still_serves(t, deadline, due)) {
    events_.count(&store_statistics::rescheduled_in_place);
    t.deadline = deadline.ns;
    return true;
  }
  leave(t);
  t.deadline = deadline.ns;
  put(slots_.number_of(h), t, due);
  return true;
}

/// Room for one timer more.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::make_room() {
  // Room for the entries first, of all slots that the map will make: a slot that is there is used.
  const std::size_t slots = slots_.made_by(slots_.size() + 1);
  make_chunks(slots, true);
  slots_.grow();
  allow_entries(slots);
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::reserve(std::size_t n) {
  const std::size_t slots = slots_.made_by(n);
  make_chunks(slots, false);
  slots_.reserve(n);
  allow_entries(slots);
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::make_chunks(std::size_t slots, bool growing) {
  // While compaction catches up, entries can grow to twice the slots. A chunk holds fifteen; each bucket
  // wastes part of its last one; one bucket may be half compacted, and one be served. Where chunks of what is
  // gathered are part-filled besides, and the pool runs out, everything is compacted.
  const std::size_t entries = 2 * slots + 256;
  const std::size_t last_ones = entries < no_bucket() ? entries : no_bucket();
  const std::size_t chunks = entries / chunk_chains::chunk_size + last_ones + 8;
  if (growing) {
    chains_.grow_to(chunks);
  } else {
    chains_.reserve(chunks);
  }
}

/// As many as so many slots, which are there, may have.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::allow_entries(std::size_t slots) noexcept {
  entries_much_ = slots + slots / 2 + 64;
  entries_max_ = 2 * slots + 256;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::clear() {
  // First every timer is disarmed, then the values are destroyed: a destructor may come back to this store.
  for (std::uint32_t slot = 0; slot < slots_.made(); ++slot) {
    slots_.tag(slot).bucket = slots_.is_taken(slot) ? doomed : nowhere;
  }
  chains_.clear();
  for (std::size_t b = 0; b <= no_bucket(); ++b) buckets_[b] = bucket{};
  if (levels_.gathers()) std::fill_n(chunk_counts_.get(), bucket_count(), 0U);
  live_.clear();
  any_.clear();
  pending_ = {};
  pending_bucket_ = no_bucket();
  compacting_ends_ = true;
  quiet_until_ = instant{0};
  entries_ = ending_ = urgent_ = fresh_ = pending_next_ = pending_count_ = batch_next_ = batch_count_ = 0;
  const std::uint32_t made = slots_.made();
  for (std::uint32_t slot = 0; slot < made; ++slot) {
    tag& t = slots_.tag(slot);
    if (t.bucket != doomed || !slots_.is_taken(slot)) continue;  // armed or cancelled by a destructor
    t.bucket = nowhere;
    events_.count(&store_statistics::cancelled);
    static_cast<void>(slots_.erase(slot));
  }
}

/// Whether the entry that a slot has in the levels serves a timer for `deadline` too: its bucket's time comes
/// no later.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::still_serves(const tag& t, instant deadline,
                                             std::uint64_t due) const noexcept {
  return t.bucket < bucket_count() && now_ < deadline && deadline != never && levels_.serves(t.bucket, due);
}

// ---- Placing

/// Where a timer that is being armed belongs.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::put(std::uint32_t slot, tag& t, std::uint64_t due) noexcept {
  if (t.deadline <= now_.ns) [[unlikely]]
    return t.deadline != never.ns ? arrive(slot, t) : put_at_the_end(slot, t);
  if (due > levels_.last_tick()) [[unlikely]]
    return put_at_the_end(slot, t);
  append(levels_.place(due, is_exact(t)), slot, t);
  count_entry();
}

/// Due as it is armed: fires at the next poll, in its turn, and not in the one that goes on.
template <class Value, class Levels>
[[gnu::noinline]] void slab_wheel<Value, Levels>::arrive(std::uint32_t slot, tag& t) noexcept {
  // Perhaps it has an entry there that serves again; one among those that are being served would come too
  // early.
  const bool has_entry = t.bucket == arrivals() && (t.mark & turn_bit) == arrivals_turn_;
  t.mark = static_cast<std::uint16_t>((t.mark & ~(poll_bits | turn_bit)) | poll_number_ | arrivals_turn_);
  if (polling_) ++fresh_;
  hurry(t.deadline);
  if (has_entry) return;
  append(arrivals(), slot, t);
  count_entry();
}

template <class Value, class Levels>
[[gnu::noinline]] void slab_wheel<Value, Levels>::put_at_the_end(std::uint32_t slot, tag& t) noexcept {
  if (t.deadline == never.ns) {
    t.bucket = parked;
    return;
  }
  ++ending_;
  if (t.bucket == at_the_end()) return;
  append(at_the_end(), slot, t);
  count_entry();
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::append(std::uint16_t b, std::uint32_t slot, tag& t) noexcept {
  bucket& to = buckets_[b];
  if (to.is_full()) extend(b, t);
  t.bucket = b;
  t.mark = static_cast<std::uint16_t>((t.mark & ~pass_bit) | to.mark);
  if (b < bucket_count()) enliven(b);
  *to.end++ = slot;
}

/// Room in a bucket for a timer that is in none: where garbage and part-filled chunks have used the pool up,
/// by dropping it.
template <class Value, class Levels>
[[gnu::noinline]] void slab_wheel<Value, Levels>::extend(std::uint16_t b, tag& t) noexcept {
  if (chains_.free() <= pace.chunks_spare) [[unlikely]] {
    t.bucket = nowhere;
    compact_everything();
    if (!buckets_[b].is_full()) return;
  }
  extend(b);
}

/// One chunk more for a bucket; for one that had none, a look at what comes next.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::extend(std::uint16_t b) noexcept {
  bucket& to = buckets_[b];
  if (to.empty()) {
    quiet_until_ = instant{0};
    if (b < bucket_count()) any_.set(b);
  }
  if (levels_.gathers() && b < bucket_count()) ++chunk_counts_[b];
  chains_.extend(to);
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::enliven(std::uint16_t b) noexcept {
  if (buckets_[b].live++ == 0) live_.set(b);
}

/// A timer is no longer where it is; its entry there, if it has one, is left behind.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::leave(const tag& t) noexcept {
  if (t.bucket < bucket_count()) [[likely]] {
    if (--buckets_[t.bucket].live == 0) live_.clear(t.bucket);
    return;
  }
  if (t.bucket == arrivals() && is_fresh(t) && fresh_ != 0) --fresh_;
  if (t.bucket == arrivals() || t.bucket == in_batch) --urgent_;
  if (t.bucket == at_the_end()) --ending_;
  if (t.bucket == sifted()) --buckets_[sifted()].live;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::hurry(std::uint64_t deadline) noexcept {
  if (urgent_++ == 0 || deadline < urgent_since_) urgent_since_ = deadline;
}

/// Whether an arrival came during the poll that goes on. Poll numbers come round after 8,192 polls; an entry
/// that waited through exactly so many, all cut short before it, would wait for one more.
template <class Value, class Levels>
bool slab_wheel<Value, Levels>::is_fresh(const tag& t) const noexcept {
  return polling_ && (t.mark & poll_bits) == poll_number_;
}

}  // namespace pinion::timer::inline PINION_MODE
