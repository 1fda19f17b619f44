// SPDX-License-Identifier: Apache-2.0
//
// Part of slab_wheel.hpp, which includes it: the wheel's check of itself.
//
// First every entry is looked at, chain by chain, and written down for its slot where it was found; then
// every slot is held against what was found; then the counts against the slots.
#pragma once

#include <pinion/timer/detail/chunk_census.hpp>
#include <pinion/timer/detail/invariant.hpp>
#include <vector>

namespace pinion::timer::inline PINION_MODE {

/// What is where in a wheel, counted once.
template <class Value, class Levels>
class slab_wheel<Value, Levels>::census {
 public:
  /// Of a wheel that stays as it is meanwhile.
  explicit census(const slab_wheel& wheel)
      : w_(wheel), found_(wheel.slots_.made()), live_(std::size_t{wheel.no_bucket()} + 1),
        ticks_(wheel.bucket_count()) {}

  /// What does not hold, or nothing.
  [[nodiscard]] std::string result() {
    for (auto part : {&census::slots_and_free_list, &census::entries, &census::compaction, &census::each_slot,
                      &census::counts, &census::occupancies, &census::quiet}) {
      if (std::string text = (this->*part)(); !text.empty()) return text;
    }
    return {};
  }

 private:
  // Where an entry of a slot, in the bucket that the slot names, was found.
  static constexpr std::uint8_t in_chain = 1;  // of that bucket; not looked at by the compaction that goes on
  static constexpr std::uint8_t in_new_part = 2;  // the same, appended since that compaction began
  static constexpr std::uint8_t in_pending = 4;
  static constexpr std::uint8_t in_gathered = 8;
  static constexpr std::uint8_t in_rest_of_batch = 16;

  template <class... Words>
  [[nodiscard]] static std::string broken(const Words&... words) {
    return invariant_detail::broken(words...);
  }

  [[nodiscard]] bool is_compacting(std::size_t b) const {
    return !w_.compacting_ends_ && w_.compacting_ == b;
  }
  [[nodiscard]] bool is_chain(std::size_t b) const { return b <= w_.sifted(); }

  [[nodiscard]] std::string slots_and_free_list() { return w_.slots_.violated_invariant(); }

  /// An entry for `slot` in the chain of bucket `b`, or taken off it.
  void find(std::uint32_t slot, std::size_t b, std::uint8_t where) {
    ++entries_;
    if (slot >= w_.slots_.made()) {
      strange_ = slot;
      return;
    }
    const std::uint16_t named = w_.slots_.tag(slot).bucket;
    if (named == b || (b == w_.gathered() && named < w_.bucket_count())) found_[slot] |= where;
  }

  [[nodiscard]] std::string entries() {
    chunk_census chunks{w_.chains_};
    typename Levels::occupancy_type scratch;
    for (std::size_t b = 0; b <= w_.no_bucket(); ++b) {
      const chunk_chains::chain& chain = w_.buckets_[b];
      bool is_new_part = false;
      const chunk_chains::chunk* last = nullptr;
      std::string text = chunks.walk(b, chain, [&](std::uint32_t slot, const chunk_chains::chunk& chunk) {
        if (is_compacting(b)) {
          if (&chunk != last && last != nullptr && w_.chains_.is_last(w_.compacting_until_, *last))
            is_new_part = true;
          if (w_.chains_.is_last(w_.compacting_until_, chunk)) has_last_to_compact_ = true;
        }
        last = &chunk;
        find(slot, b,
             b == w_.gathered()                ? in_gathered
             : is_new_part && is_compacting(b) ? in_new_part
                                               : in_chain);
      });
      if (!text.empty()) return text;
      if (b < w_.bucket_count() && !chain.empty())
        ticks_[b] = invariant_detail::tick_of(w_.levels_, scratch, b);
    }
    const std::uint8_t where = w_.pending_bucket_ == w_.gathered() ? in_gathered : in_pending;
    const auto pend = [&](std::uint32_t slot, const auto&) { find(slot, w_.pending_bucket_, where); };
    if (std::string text = chunks.walk(w_.no_bucket(), w_.pending_, pend); !text.empty()) return text;
    if (std::string text = chunks.unaccounted(); !text.empty()) return text;
    if (w_.pending_next_ > w_.pending_count_ || w_.pending_count_ > w_.pending_slots_.size() ||
        w_.batch_next_ > w_.batch_count_ || w_.batch_count_ > w_.batch_.size()) {
      return broken("of ", w_.pending_count_, " pending entries ", w_.pending_next_, " are served, and ",
                    w_.batch_next_, " of ", w_.batch_count_, " in the batch");
    }
    for (std::size_t k = w_.pending_next_; k < w_.pending_count_; ++k) {
      if (w_.pending_slots_[k] != chunk_chains::nothing) pend(w_.pending_slots_[k], w_);
    }
    if (strange_ != chunk_chains::nothing)
      return broken("an entry names slot ", strange_, " of ", found_.size());
    for (std::size_t k = w_.batch_next_; k < w_.batch_count_; ++k) {
      if (w_.batch_[k] >= found_.size())
        return broken("the batch has slot ", w_.batch_[k], " of ", found_.size());
      found_[w_.batch_[k]] |= in_rest_of_batch;
    }
    if (entries_ != w_.entries_)
      return broken(entries_, " entries are there, and the wheel counts ", w_.entries_);
    const std::size_t most = 2 * found_.size() + 256;
    return entries_ > most ? broken(entries_, " entries for ", found_.size(), " slots") : std::string{};
  }

  [[nodiscard]] std::string compaction() {
    if (!w_.compacting_ends_ && w_.compacting_ < w_.gathered() && !has_last_to_compact_) {
      return broken("bucket ", w_.compacting_, " is being compacted up to a chunk that it does not have");
    }
    if (!w_.buckets_[w_.no_bucket()].empty()) return broken("the bucket that is always empty has an entry");
    return {};
  }

  [[nodiscard]] std::string each_slot() {
    for (std::uint32_t slot = 0; slot < found_.size(); ++slot) {
      std::string text = w_.slots_.is_taken(slot) ? armed(slot, w_.slots_.tag(slot)) : std::string{};
      if (text.empty()) text = entry_of(slot, w_.slots_.tag(slot));
      if (!text.empty())
        return broken("slot ", slot, w_.slots_.is_taken(slot) ? "" : ", which is free,", text);
    }
    return {};
  }

  /// Counts an armed timer where it says it is, and asks whether it may be there.
  [[nodiscard]] std::string armed(std::uint32_t slot, const tag& t) {
    const instant deadline{t.deadline};
    const bool has_tick = w_.levels_.tick_at_or_after(deadline) <= w_.levels_.last_tick();
    if (t.bucket < w_.bucket_count()) {
      ++live_[t.bucket];
      return deadline != never ? std::string{} : broken(" never fires, and is in bucket ", t.bucket);
    }
    if (t.bucket == w_.arrivals() || t.bucket == in_batch) {
      const std::uint64_t since = t.bucket == in_batch ? due_of(deadline).ns : t.deadline;
      if (urgent_++ == 0 || since < urgent_since_) urgent_since_ = since;
      if (t.bucket == w_.arrivals() && w_.is_fresh(t)) ++fresh_;
      if (t.bucket == in_batch && (found_[slot] & in_rest_of_batch) == 0)
        return " is to fire, and in no batch";
      return deadline <= w_.now_ ? std::string{}
                                 : broken(" is to fire ", (deadline - w_.now_).ns, " ns before its deadline");
    }
    if (t.bucket == w_.at_the_end()) {
      ++ending_;
      return has_tick || deadline == never ? " is kept for the end of time, wrongly" : "";
    }
    if (t.bucket == w_.sifted()) {
      ++live_[t.bucket];
      const std::uint64_t due = (t.mark & due_bit) != 0 ? t.deadline : due_of(deadline).ns;
      return due < w_.sifted_since_ ? broken(" was sifted and is due at ", due, ", before all that was") : "";
    }
    if (t.bucket == parked) return deadline == never ? "" : " is parked, and has a deadline";
    return t.bucket == doomed ? std::string{} : broken(" is armed, and in no bucket: ", t.bucket);
  }

  /// When a timer of the batch was to be served, at the latest.
  [[nodiscard]] instant due_of(instant deadline) const {
    const std::uint64_t tick = w_.levels_.tick_at_or_after(deadline);
    return w_.levels_.gathers() || tick > w_.levels_.last_tick() ? w_.now_ : w_.levels_.begin_of(tick);
  }

  /// Whether the bucket that a slot names, armed or not, has an entry for it, in time.
  [[nodiscard]] std::string entry_of(std::uint32_t slot, const tag& t) {
    const std::uint8_t where = found_[slot];
    if (!is_chain(t.bucket)) return {};
    if (where == 0) return broken(" names bucket ", t.bucket, ", which has no entry for it");
    if (t.bucket < w_.bucket_count() && (where & in_gathered) == 0) {
      const std::uint64_t tick = (where & in_pending) != 0 ? w_.pending_since_ : ticks_[t.bucket];
      if (!invariant_detail::is_in_time(w_.levels_, tick, t.bucket, instant{t.deadline},
                                        (t.mark & exact_bit) != 0)) {
        return broken(" is due at tick ", w_.levels_.tick_at_or_after(instant{t.deadline}),
                      ", and its bucket ", t.bucket, " is served at ", tick);
      }
      if ((where & in_pending) == 0 && tick < w_.levels_.hand()) {
        return broken(" is in bucket ", t.bucket, " of tick ", tick,
                      ", which the hand has passed: ", w_.levels_.hand());
      }
    }
    // A compaction takes an entry whose slot has the bucket's bit for a second one, and drops it.
    const bool is_seen = ((t.mark ^ w_.buckets_[t.bucket].mark) & pass_bit) == 0;
    const bool is_safe =
        is_compacting(t.bucket) ? (where & (is_seen ? in_new_part : in_chain)) != 0 : is_seen;
    if (w_.slots_.is_taken(slot) && (where & (in_chain | in_new_part)) != 0 && !is_safe) {
      return broken("'s entry in bucket ", t.bucket, " would be taken for a second one and dropped");
    }
    return {};
  }

  [[nodiscard]] std::string counts() {
    for (std::size_t b = 0; b < live_.size(); ++b) {
      if (live_[b] != w_.buckets_[b].live) {
        return broken("bucket ", b, " has ", live_[b], " timers, and counts ", w_.buckets_[b].live);
      }
    }
    if (urgent_ != w_.urgent_)
      return broken(urgent_, " timers could fire at once, and the wheel counts ", w_.urgent_);
    if (urgent_ != 0 && w_.urgent_since_ > urgent_since_) {
      return broken("a timer due at ", urgent_since_, " could fire, and the wheel says none before ",
                    w_.urgent_since_);
    }
    if (w_.polling_ && fresh_ != w_.fresh_) {
      return broken(fresh_, " timers came during this poll, and the wheel counts ", w_.fresh_);
    }
    if (ending_ != w_.ending_)
      return broken(ending_, " timers are at the end, and the wheel counts ", w_.ending_);
    if (w_.levels_.hand() > w_.target_ || w_.backlog_ > w_.target_) {
      return broken("the hand is at ", w_.levels_.hand(), ", beyond ", w_.target_);
    }
    return {};
  }

  [[nodiscard]] std::string occupancies() {
    std::string text = invariant_detail::differs("live", w_.live_, w_.bucket_count(),
                                                 [&](std::size_t b) { return w_.buckets_[b].live != 0; });
    if (!text.empty()) return text;
    return invariant_detail::differs("any", w_.any_, w_.bucket_count(),
                                     [&](std::size_t b) { return !w_.buckets_[b].empty(); });
  }

  /// Whether polls may pass over everything that is there until the time the wheel says.
  [[nodiscard]] std::string quiet() {
    const std::uint64_t tick = w_.levels_.next(w_.any_).tick;
    if (tick <= w_.levels_.last_tick() && w_.levels_.begin_of(tick) < w_.quiet_until_) {
      return broken("a bucket's time comes at ", w_.levels_.begin_of(tick).ns, ", and polls are quiet until ",
                    w_.quiet_until_.ns);
    }
    const bool has_work = w_.has_pending() || !w_.buckets_[w_.arrivals()].empty() ||
                          !w_.buckets_[w_.gathered()].empty() || !w_.buckets_[w_.sifted()].empty();
    const bool has_batch = w_.batch_next_ != w_.batch_count_ && !w_.polling_;
    const bool has_end = !w_.buckets_[w_.at_the_end()].empty() && w_.quiet_until_ == never;
    return (has_work || has_batch || has_end) && w_.quiet_until_ != instant{0}
               ? broken("entries wait to be served, and polls are quiet until ", w_.quiet_until_.ns)
               : std::string{};
  }

  const slab_wheel& w_;
  std::vector<std::uint8_t> found_;
  std::vector<std::uint32_t> live_;
  std::vector<std::uint64_t> ticks_;
  std::size_t entries_ = 0;
  std::size_t urgent_ = 0;
  std::uint64_t urgent_since_ = 0;
  std::size_t fresh_ = 0;
  std::size_t ending_ = 0;
  std::uint32_t strange_ = chunk_chains::nothing;
  bool has_last_to_compact_ = false;
};

template <class Value, class Levels>
std::string slab_wheel<Value, Levels>::violated_invariant() const {
  return census{*this}.result();
}

}  // namespace pinion::timer::inline PINION_MODE
