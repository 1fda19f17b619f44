// SPDX-License-Identifier: Apache-2.0
//
// Part of slab_wheel.hpp, which includes it: keeping garbage bounded.
//
// A pass takes a bucket's chunks off its front, drops the garbage in them and appends the rest to the same
// bucket. What was taken out of the levels to be served can't be told apart so, as its slots name a bucket
// that fills again; it is *sifted*: the rest goes to a bucket of its own, which is served next.
#pragma once

namespace pinion::timer::inline PINION_MODE {

/// There is one entry more.
template <class Value, class Levels>
void slab_wheel<Value, Levels>::count_entry() noexcept {
  if (++entries_ > entries_much_) [[unlikely]]
    compact();
}

/// Called for each new entry while there is too much garbage; looks at a few old entries, by whole chunks:
/// garbage goes, the rest is appended again. It is entries that are counted and not chunks, as in a sparse
/// bucket a chunk may hold one. A slot may have two entries in a bucket that it left and came back to; the
/// bit that the bucket's pass flips tells the second one.
template <class Value, class Levels>
[[gnu::noinline]] void slab_wheel<Value, Levels>::compact() noexcept {
  if (entries_ > entries_max_) [[unlikely]] {
    compact_everything();
    return;
  }
  compacting_credit_ += pace.looks;
  while (compacting_credit_ > 0) {
    if (compacting_ends_ && !find_something_to_compact()) {
      compacting_credit_ = 0;
      return;
    }
    compacting_credit_ -= static_cast<std::int32_t>(compact_chunk());
  }
}

/// Looks at the next chunk of the bucket that is being compacted; returns how many entries it had.
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::compact_chunk() noexcept {
  if (compacting_ >= gathered()) return sift_chunk(compacting_);
  bucket& b = buckets_[compacting_];
  compacting_ends_ = chains_.is_last(compacting_until_, *chains_.first(b));
  std::array<std::uint32_t, chunk_chains::chunk_size> numbers;
  const std::uint32_t pass = b.mark;
  const std::size_t count = chains_.pop(b, numbers);
  if (levels_.gathers() && compacting_ < bucket_count()) --chunk_counts_[compacting_];
  b.mark = pass & 1U;  // which it loses where it runs empty
  for (std::size_t k = 0; k < count; ++k) {
    if (numbers[k] != chunk_chains::nothing) slots_.prefetch(numbers[k]);
  }
  std::size_t looked_at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t slot = numbers[k];
    if (slot == chunk_chains::nothing) continue;
    ++looked_at;
    work_.touch();
    events_.count(&store_statistics::compacted);
    auto& t = slots_[slot];
    if (t.bucket == compacting_ && t.is_taken() && (t.mark & pass_bit) != pass) {
      t.mark ^= pass_bit;
      if (b.is_full()) extend(compacting_);
      *b.end++ = slot;
      continue;
    }
    if (t.bucket == compacting_ && !t.is_taken()) t.bucket = nowhere;
    --entries_;
    events_.count(&store_statistics::discarded);
  }
  if (b.empty() && compacting_ < bucket_count()) any_.clear(compacting_);
  return looked_at;
}

/// Looks at the next chunk of what is gathered, or, for the number of no bucket, of what is being served.
template <class Value, class Levels>
std::size_t slab_wheel<Value, Levels>::sift_chunk(std::uint16_t b) noexcept {
  chunk_chains::chain& chain = chain_to_sift(b);
  compacting_ends_ = chain.empty();
  if (compacting_ends_) return 0;
  const std::uint16_t from = b == gathered() ? b : pending_bucket_;
  bucket& to = buckets_[sifted()];
  const std::uint64_t since = levels_.begin_of(b == gathered() ? gathered_since_ : pending_since_).ns;
  if (to.live == 0 || since < sifted_since_) sifted_since_ = since;
  std::array<std::uint32_t, chunk_chains::chunk_size> numbers;
  const std::size_t count = chains_.pop(chain, numbers);
  std::size_t looked_at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (numbers[k] == chunk_chains::nothing) continue;
    ++looked_at;
    sift(numbers[k], from);
  }
  return looked_at;
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::sift(std::uint32_t number, std::uint16_t from) noexcept {
  work_.touch();
  events_.count(&store_statistics::compacted);
  auto& slot = slots_[number];
  tag& t = slot;
  if (!is_entry_of(slot, from)) {
    --entries_;
    events_.count(&store_statistics::discarded);
    return;
  }
  if (from == arrivals() && is_fresh(t)) {
    t.mark ^= turn_bit;
    if (buckets_[from].is_full()) extend(from);
    append(from, number, t);
    return;
  }
  // Of arrivals, and at the end of time, the time has come; that of others is told when they are served.
  const bool is_due =
      from == arrivals() || from == at_the_end() || (from == sifted() && (t.mark & due_bit) != 0);
  if (is_due && t.deadline < sifted_since_) sifted_since_ = t.deadline;
  leave(t);
  t.mark = static_cast<std::uint16_t>((t.mark & ~due_bit) | (is_due ? due_bit : 0));
  bucket& to = buckets_[sifted()];
  ++to.live;
  if (to.is_full()) extend(sifted());
  append(sifted(), number, t);
}

template <class Value, class Levels>
bool slab_wheel<Value, Levels>::find_something_to_compact() noexcept {
  // Round and round over the chains that hold anything, the special ones after those of the levels.
  for (const std::size_t from : {std::size_t{compacting_} + 1, std::size_t{0}}) {
    std::size_t b = from < bucket_count() ? any_.first_from(from) : from;
    if (b > bucket_count() && from < bucket_count()) b = bucket_count();
    while (b >= bucket_count() && b <= no_bucket() && !has_entries(b)) ++b;
    if (b > no_bucket()) continue;
    begin_to_compact(static_cast<std::uint16_t>(b));
    return true;
  }
  return false;
}

template <class Value, class Levels>
bool slab_wheel<Value, Levels>::has_entries(std::size_t b) const noexcept {
  return !(b == no_bucket() ? pending_ : buckets_[b]).empty();
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::begin_to_compact(std::uint16_t b) noexcept {
  compacting_ = b;
  compacting_ends_ = false;
  if (b >= gathered()) return;
  bucket& at = buckets_[b];
  at.mark ^= 1U;
  chains_.close(at);
  compacting_until_ = static_cast<const chunk_chains::chain&>(at);
}

template <class Value, class Levels>
bool slab_wheel<Value, Levels>::compact_bucket(std::size_t b, std::size_t& budget) noexcept {
  bool has_begun = is_compacting(b);
  for (;;) {
    // One bucket at a time: in one that is left in the middle, what was not seen yet would pass for seen.
    if (compacting_ends_) {
      if (has_begun || buckets_[b].empty()) return true;
      begin_to_compact(static_cast<std::uint16_t>(b));
      has_begun = true;
    }
    if (budget < chunk_chains::chunk_size) return false;
    budget -= compact_chunk();
  }
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::compact_everything() noexcept {
  while (!compacting_ends_) compact_chunk();  // or what it has not seen would pass for seen
  for (std::uint16_t b = 0; b <= no_bucket(); ++b) {
    if (!has_entries(b)) continue;
    begin_to_compact(b);
    while (!compacting_ends_) compact_chunk();
  }
}

template <class Value, class Levels>
void slab_wheel<Value, Levels>::compact_all() noexcept {
  PINION_ASSERT(!polling_, "compact_all() was called from inside a sink: return from the sink first");
  compact_everything();
}

}  // namespace pinion::timer::inline PINION_MODE
