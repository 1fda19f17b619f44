// SPDX-License-Identifier: Apache-2.0
//
// slab_wheel: a timer wheel that owns its values, over any arithmetic of levels.
//
// A timer is a slot of a slab, which holds its true deadline and the bucket where an *entry* for it lies. An
// entry is nothing but the slot's number in the bucket's queue of cache-line chunks. It is a hint to look at
// that slot when the bucket's time comes: the slot tells whether the timer is due, was moved, or is gone. So
//
//  - pushing a deadline on is one store: the entry stays, and is placed anew when its bucket is served;
//  - cancelling stores into the slot alone. Its entry stays behind, and if the slot's next timer is due no
//    earlier, that entry serves it too: a timeout that is cancelled and armed again places nothing;
//  - only moving a timer to before its bucket makes garbage: a new entry, and an old one that is passed over.
//    Garbage is bounded: beyond half as many entries again as slots, each new entry pays for looking at four
//    old ones; at twice as many all are looked at.
//
// Every bucket counts the timers that are really in it, so that next_wakeup() looks past garbage.
//
// poll() turns the hand from occupied bucket to occupied bucket. It gathers due timers into a batch, in code
// that does not know the sink, prefetching slots two chunks ahead, and then calls the sink for each that is
// still due. Where a budget ends it, or a sink throws, the rest of batch and bucket stay as they are and the
// next poll goes on there.
//
// Timers that are due already as they are armed don't go into the levels, which are being swept perhaps, but
// into `arrivals`: served after the backlog, and only by polls that began after the arming. An entry there
// remembers its poll. A slot that arrives anew takes the place of an entry that waits there.
//
//   slab_wheel<task, nested_levels<1'000'000, 8, 6, 6, 6>> timers{monotonic_clock::now()};
//
// One owner at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/event_counter.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/detail/chunk_chains.hpp>
#include <pinion/timer/detail/compaction_pace.hpp>
#include <pinion/timer/detail/slot_map.hpp>
#include <pinion/timer/detail/work_counter.hpp>
#include <pinion/timer/statistics.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

template <class Value, class Levels>
class slab_wheel {
  static_assert(std::is_nothrow_move_constructible_v<Value>,
                "a timer's value must move without throwing (law T2)");

 public:
  /// What it keeps, and by which arithmetic.
  using value_type = Value;
  using levels_type = Levels;

  /// What the store declares of itself.
  static constexpr store_traits traits{.order = firing_order::by_tick,
                                       .cost = growth::constant,
                                       .next_wakeup = growth::constant,
                                       .allocates = allocation::beyond_reserve,
                                       .range = forever};

  /// A store whose latest now is `start`. May throw std::bad_alloc.
  explicit slab_wheel(instant start, slot_options options = {}, Levels levels = Levels{})
      : now_(start), levels_(levels), slots_(options) {
    levels_.start(start);
    target_ = levels_.hand();
    backlog_ = target_;
    pending_bucket_ = no_bucket();
    compacting_ = no_bucket();
    buckets_ = std::make_unique<bucket[]>(std::size_t{no_bucket()} + 1);
    if (levels_.gathers()) chunk_counts_ = std::make_unique<std::uint32_t[]>(bucket_count());
  }

  slab_wheel(const slab_wheel&) = delete;
  slab_wheel& operator=(const slab_wheel&) = delete;

  /// Destroys the values of all timers. Inside a sink: a violation.
  ~slab_wheel() {
    PINION_ASSERT(!polling_, "a store was destroyed inside its own sink: let poll() return first");
    clear();
  }

  /// Arms a timer that hands `value` to the sink at the first poll at or after its due time, the first tick
  /// at or after `deadline`; one in the past fires at the next poll, one at `never` does not fire. Strong
  /// guarantee: on std::bad_alloc or std::length_error nothing was armed, and `value` was not moved from.
  handle schedule(instant deadline, Value&& value);

  /// As schedule(), but refuses: errc::deadline_passed when `deadline` is not after the latest now,
  /// errc::capacity_exceeded when no handle is left. `value` is moved from only on success. May throw
  /// std::bad_alloc.
  [[nodiscard]] expected<handle> try_schedule(instant deadline, Value&& value);

  /// Takes the timer back: its value, or nothing if `h` is refused (T5).
  std::optional<Value> cancel(handle h) noexcept;

  /// As cancel(), and why not: errc::invalid_handle where there never was such a slot, else not_found.
  [[nodiscard]] expected<Value> try_cancel(handle h) noexcept;

  /// Moves the timer; one store where that is later and not yet due. False if `h` is refused.
  bool reschedule(handle h, instant deadline) noexcept;

  /// Moves the clock to `now`, or leaves it where `now` is earlier, and hands what is due to `sink`, spending
  /// at most `budget` on timers fired and entries moved or discarded. What sink throws passes through; that
  /// timer has fired, all others stay. Not from inside a sink. Where no bucket is due: three stores.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    PINION_ASSERT(!polling_, "poll() was called from inside a sink: return from the sink first");
    if (now < quiet_until_ && budget != 0) [[likely]] {
      stand_at(now);
      return {};
    }
    return serve_until(now, budget, sink);
  }

  /// As poll() with a budget, without one.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, Sink&& sink) {
    return poll(now, unlimited, std::forward<Sink>(sink));
  }

  /// When the next bucket with a timer in it is to be served; `never` when nothing will fire.
  [[nodiscard]] instant next_wakeup() const noexcept;

  /// How late a timer armed `ahead` of now may be: the tick of the level it goes to.
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return levels_.lateness_bound(ahead);
  }

  /// The latest time that poll() was told.
  [[nodiscard]] instant now() const noexcept { return now_; }

  /// How many timers are armed, those at `never` among them.
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }

  /// Destroys every timer armed before the call. What a value's destructor arms stays armed.
  void clear();

  /// Drops all garbage at once, looking at every entry. Never needed: garbage is bounded.
  void compact_all() noexcept;

  /// Until `n` timers are armed, schedule() neither allocates nor throws (T9). May throw std::bad_alloc.
  void reserve(std::size_t n);

  /// Slots that ran out of generations (T5).
  [[nodiscard]] std::size_t retired() const noexcept { return slots_.retired(); }

  /// The arithmetic, for looking at.
  [[nodiscard]] const Levels& levels() const noexcept { return levels_; }

  /// Entries in all buckets, of timers and garbage: at most twice the slots, and 256.
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }

  /// Whether `h` names a timer that is armed.
  [[nodiscard]] bool is_armed(handle h) const noexcept { return slots_.find(h) != slots_.none; }

  /// The level that an armed timer is on. As many as there are levels for a timer on none of them: beyond the
  /// last, due already, at `never`, or not armed.
  [[nodiscard]] std::size_t level_of(handle h) const noexcept {
    return levels_.level_of(std::min<std::size_t>(bucket_of(h), bucket_count()));
  }

  /// How many timers are on a level. Looks at each of its buckets.
  [[nodiscard]] std::size_t timers_in_level(std::size_t level) const noexcept {
    std::size_t count = 0;
    for (std::size_t b = 0; b < bucket_count(); ++b) {
      if (levels_.level_of(b) == level) count += buckets_[b].live;
    }
    return count;
  }

  /// Bytes held for buckets, slots and entries, values included.
  [[nodiscard]] std::size_t memory() const noexcept {
    return (std::size_t{no_bucket()} + 1) * sizeof(bucket) +
           (levels_.gathers() ? bucket_count() * sizeof(std::uint32_t) : 0) + slots_.memory() +
           chains_.memory();
  }

  /// What does not hold of all that docs/design/timer.md says must; empty when everything does. Looks at
  /// every slot and bucket. Also from inside a sink.
  [[nodiscard]] std::string violated_invariant() const;

#if PINION_CHECKED
  /// Slots and buckets visited since the store was made.
  [[nodiscard]] std::uint64_t work() const noexcept { return work_.touched(); }
#endif

#if PINION_COUNTED
  /// What it has done since it was made.
  [[nodiscard]] const store_statistics& statistics() const noexcept { return events_.total(); }
#endif

 protected:
  /// As schedule(), stepping from level to level, to be late by the finest one's tick only.
  handle arm_exact(instant deadline, Value&& value) { return arm(deadline, std::move(value), exact_bit); }

  /// The bucket that an armed timer's entry is in; past the levels' own where it is in none of theirs.
  [[nodiscard]] std::size_t bucket_of(handle h) const noexcept {
    const std::uint32_t slot = slots_.find(h);
    return slot == slots_.none ? nowhere : slots_.tag(slot).bucket;
  }

  /// How many timers are in a bucket of the levels, and how many entries its chunks have room for.
  [[nodiscard]] std::size_t timers_in_bucket(std::size_t b) const noexcept { return buckets_[b].live; }
  [[nodiscard]] std::size_t room_in_bucket(std::size_t b) const noexcept {
    return chunk_counts_[b] * chunk_chains::chunk_size;
  }

  /// Rewrites a bucket to hold only its timers: a chunk at a time, while `budget`, which it counts down by
  /// the entries it looks at, has room for one. False when the budget ended it; called again, it goes on.
  bool compact_bucket(std::size_t b, std::size_t& budget) noexcept;
  /// Whether a bucket is in the middle of that.
  [[nodiscard]] bool is_compacting(std::size_t b) const noexcept {
    return !compacting_ends_ && compacting_ == b;
  }

  /// Entries that the chunks of a level's buckets have room for.
  [[nodiscard]] std::size_t capacity_in_level(std::size_t level) const noexcept {
    std::size_t room = 0;
    for (std::size_t b = 0; b < bucket_count(); ++b) {
      if (levels_.level_of(b) == level) room += room_in_bucket(b);
    }
    return room;
  }

 private:
  class census;

  static constexpr std::uint16_t exact_bit = 2;  // of a slot's mark: not to be late by a coarse tick

  // Where a slot's entry lies, when in none of the buckets.
  static constexpr std::uint16_t in_batch = 0xfffc;  // taken out of its bucket, about to fire
  static constexpr std::uint16_t parked = 0xfffd;    // at never: no entry
  static constexpr std::uint16_t doomed = 0xfffe;    // clear() is about to destroy it
  static constexpr std::uint16_t nowhere = 0xffff;   // no entry

  // Of a slot's mark: a bit for the compaction; which arrivals its entry is among, those served now or those
  // since, or, of a sifted one, whether it is due; the rest: during which poll a timer arrived.
  static constexpr std::uint16_t pass_bit = 1;
  static constexpr std::uint16_t turn_bit = 4;
  static constexpr std::uint16_t due_bit = turn_bit;
  static constexpr std::uint16_t poll_step = 8;
  static constexpr std::uint16_t poll_bits = 0xfff8;

  static constexpr std::size_t batch_size = 64;
  static constexpr compaction_pace pace = pace_of<Levels>();

  // A base, so that the slot's generation fills the rest of its last word.
  struct tag {
    std::uint64_t deadline = 0;
    std::uint16_t bucket = nowhere;
    std::uint16_t mark = 0;
    tag() noexcept = default;
  };
  // The mark of its chain: which pass_bit says "seen by the compaction".
  struct bucket : chunk_chains::chain {
    std::uint32_t live = 0;  // timers whose entry this is
  };
  static_assert(sizeof(void*) != 8 || sizeof(bucket) == 16, "four buckets to a cache line");

  // Behind the levels' own buckets: what was due as it was armed; what is due after the last tick; what the
  // compaction found in a bucket that is being served; entries of overdue buckets, whatever bucket their
  // slots name; and one that is always empty, whose number stands for what is being served, too.
  [[nodiscard]] std::uint16_t bucket_count() const noexcept {
    return static_cast<std::uint16_t>(levels_.bucket_count());
  }
  [[nodiscard]] std::uint16_t arrivals() const noexcept { return bucket_count(); }
  [[nodiscard]] std::uint16_t at_the_end() const noexcept { return bucket_after(1); }
  [[nodiscard]] std::uint16_t sifted() const noexcept { return bucket_after(2); }
  [[nodiscard]] std::uint16_t gathered() const noexcept { return bucket_after(3); }
  [[nodiscard]] std::uint16_t no_bucket() const noexcept { return bucket_after(4); }
  [[nodiscard]] std::uint16_t bucket_after(unsigned number) const noexcept {
    return static_cast<std::uint16_t>(levels_.bucket_count() + number);
  }

  handle arm(instant deadline, Value&& value, std::uint16_t exact);
  [[nodiscard]] bool still_serves(const tag& t, instant deadline, std::uint64_t due) const noexcept;
  [[gnu::noinline]] void make_room();
  void make_chunks(std::size_t slots, bool growing);
  void allow_entries(std::size_t slots) noexcept;

  void put(std::uint32_t slot, tag& t, std::uint64_t due) noexcept;
  void arrive(std::uint32_t slot, tag& t) noexcept;
  void put_at_the_end(std::uint32_t slot, tag& t) noexcept;
  void append(std::uint16_t b, std::uint32_t slot, tag& t) noexcept;
  void extend(std::uint16_t b) noexcept;
  [[gnu::noinline]] void extend(std::uint16_t b, tag& t) noexcept;
  void enliven(std::uint16_t b) noexcept;
  void leave(const tag& t) noexcept;
  void hurry(std::uint64_t deadline) noexcept;
  [[nodiscard]] bool is_fresh(const tag& t) const noexcept;
  [[nodiscard]] static bool is_exact(const tag& t) noexcept {
    return Levels::has_exact_timers && (t.mark & exact_bit) != 0;
  }

  void stand_at(instant now) noexcept;
  template <class Sink>
  [[gnu::noinline]] poll_result serve_until(instant now, std::size_t budget, Sink& sink);
  void begin(instant now) noexcept;
  void finish() noexcept;
  void gather() noexcept;
  std::size_t collect(std::size_t budget) noexcept;
  std::size_t serve(std::size_t count) noexcept;
  std::size_t serve_special(std::uint32_t number) noexcept;
  std::size_t place_anew(std::uint32_t number, tag& t) noexcept;
  [[nodiscard]] bool is_entry_of(auto& slot, std::uint16_t b) noexcept;
  [[nodiscard]] bool is_due_in(const tag& t, std::uint16_t b) const noexcept;
  bool advance() noexcept;
  void detach(std::uint16_t b) noexcept;
  void forget_chain(std::uint16_t b) noexcept;
  void next_chunk() noexcept;
  void prefetch(std::uint32_t number) const noexcept;
  [[nodiscard]] bool has_pending() const noexcept {
    return pending_next_ != pending_count_ || !pending_.empty();
  }
  [[nodiscard]] bool is_behind() const noexcept;
  [[nodiscard]] bool has_more() const noexcept;
  /// No tick is left: whatever is armed, but at never, is due.
  [[nodiscard]] bool is_at_the_end_of_time() const noexcept { return now_.ns >= never.ns - 1; }

  void count_entry() noexcept;
  void compact() noexcept;
  void compact_everything() noexcept;
  std::size_t compact_chunk() noexcept;
  std::size_t sift_chunk(std::uint16_t b) noexcept;
  [[nodiscard]] chunk_chains::chain& chain_to_sift(std::uint16_t b) noexcept {
    return b == gathered() ? buckets_[b] : pending_;
  }
  void sift(std::uint32_t number, std::uint16_t from) noexcept;
  [[nodiscard]] bool has_entries(std::size_t b) const noexcept;
  void begin_to_compact(std::uint16_t b) noexcept;
  bool find_something_to_compact() noexcept;

  [[no_unique_address]] work_counter work_;
  [[no_unique_address]] event_counter<store_statistics> events_;
  bool polling_ = false;
  instant now_;
  instant quiet_until_{0};  // before it no bucket's time comes; a bucket that gets its first entry makes it 0
  Levels levels_;
  std::uint64_t target_ = 0;   // the tick of the latest now: how far the hand is to go
  std::uint64_t backlog_ = 0;  // the same of the poll before
  slot_map<Value, tag> slots_;
  chunk_chains chains_;
  std::unique_ptr<bucket[]> buckets_;
  std::unique_ptr<std::uint32_t[]> chunk_counts_;  // of each bucket of levels that gather
  typename Levels::occupancy_type live_;           // buckets that timers are in
  typename Levels::occupancy_type any_;            // buckets that entries are in
  std::size_t entries_ = 0;
  std::size_t entries_much_ = 0;      // beyond it, compact
  std::size_t entries_max_ = 0;       // beyond it, compact everything: the pool has room for so many
  std::size_t ending_ = 0;            // timers at_the_end_
  std::uint64_t gathered_since_ = 0;  // the first tick of them
  std::uint64_t sifted_since_ = 0;    // a time at or before the due time of each

  // What could fire now: in the batch, or arrived; and a time at or before the deadline of each.
  std::size_t urgent_ = 0;
  std::uint64_t urgent_since_ = 0;
  std::size_t fresh_ = 0;  // of them, arrived during this poll
  std::uint16_t poll_number_ = 0;
  bool arrivals_served_ = true;
  bool gathered_first_ = false;  // what is gathered was, in part, left by an earlier poll: before arrivals
  std::uint16_t arrivals_turn_ = 0;  // the turn_bit of what arrives now
  bool all_served_ = true;           // by this poll, but for the batch
  bool ends_first_ =
      false;  // the poll before was at the end of time: what is kept for it comes before arrivals

  // The bucket that is being served: the rest of its chain, and of the chunk that was taken off it.
  std::uint16_t pending_bucket_ = 0;
  std::uint64_t pending_since_ = 0;  // the tick it was to be served at
  chunk_chains::chain pending_{};
  std::size_t pending_next_ = 0;
  std::size_t pending_count_ = 0;
  std::array<std::uint32_t, chunk_chains::chunk_size> pending_slots_{};

  std::size_t batch_next_ = 0;
  std::size_t batch_count_ = 0;
  std::array<std::uint32_t, batch_size> batch_{};

  std::uint16_t compacting_ = 0;
  bool compacting_ends_ = true;             // nothing is left to do in that bucket
  chunk_chains::chain compacting_until_{};  // that bucket as it was: up to its end is to be looked at
  std::int32_t compacting_credit_ = 0;      // old entries that may be looked at
};

}  // namespace pinion::timer::inline PINION_MODE

// The implementation; the order does not matter.
#include <pinion/timer/detail/slab_wheel_arm.hpp>      // IWYU pragma: export
#include <pinion/timer/detail/slab_wheel_check.hpp>    // IWYU pragma: export
#include <pinion/timer/detail/slab_wheel_compact.hpp>  // IWYU pragma: export
#include <pinion/timer/detail/slab_wheel_poll.hpp>     // IWYU pragma: export
