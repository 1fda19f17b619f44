// SPDX-License-Identifier: Apache-2.0
//
// tick_board, ticked_slice: slices of several executors, and whoever ends them: without a thread or a clock
// of its own.
//
// An owner writes when its slice is over; somebody else asks the board now and then, which ends what is over
// and says when to ask again. ticker is that somebody, a thread; in simulation it is the test.
//
//   ticked_slice slice;
//   board.add(slice, watch);                                       // the owner's; registered once
//   if (slice.begin(now + quantum, quantum)) tell();               // the owner: stores, and seldom more
//   const instant next = board.tick(now);                          // the other: ends what is over
//   while (const auto told = board.take_stall()) told->tell();     // no code of a user's runs in tick()
//
// Then the other waits until `next` or until it is told, but not at all where is_quiet_until(next) is false.
//
// How it is exact without being told of each slice. A slice has a length below which none of its owner's was
// lately (`least`); so whoever looks again after that has missed the end of none that began meanwhile, and
// waits for the exact end of the one that he sees. An owner tells when a slice is shorter than that, and when
// the one before had no end. The length is learnt: over 64 slices, and lowered at once. No look comes sooner
// than `resolution` after the one before, but for an end: a slice that is to last for less may be over so
// much later.
//
// Memory ordering. The end is written before the word that releases it; who acquires the word sees that end
// or a later one. With an earlier word and a later end the slice isn't over yet, or its compare-and-exchange
// fails. To tell is a handshake like that of a waker: the owner stores its end and its least length, then a
// fence, then reads until when the other sleeps; the other says until when it sleeps, then a fence, then
// reads the ends. One of the two sees the other (both fences are seq_cst). A tick that went by an older least
// length wants to sleep for too long: the ends that are read after the fence say so, and the next tick has
// the length that is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <pinion/preempt/word.hpp>
#include <vector>

namespace pinion::preempt {

/// One owner's word, and when its slice is over. The owner's, but for what the board keeps here.
template <sync_traits Sync>
class basic_ticked_slice {
 public:
  /// As basic_slice_word's.
  basic_ticked_slice() noexcept : basic_ticked_slice(0) {}
  explicit basic_ticked_slice(std::uint32_t slices) noexcept : word_(slices) { Sync::name(end_, "end"); }

  /// What checks look at.
  [[nodiscard]] const basic_word<Sync>& word() const noexcept { return word_; }

  /// The owner: a slice begins, and is over then; `never`: it isn't, until the next call.
  void begin(instant end) noexcept {
    end_.store(end.ns, std::memory_order_relaxed);  // released by the word
    word_.begin();
  }
  /// The same, of one with an end, and how long it is to last. Whether to tell who ticks: he may be about to
  /// look too late.
  [[nodiscard]] bool begin(instant end, duration length) noexcept {
    // Relaxed: what it is lowered for is told of, and raised is only that others may look less often.
    const bool is_shorter = length.ns < least_.load(std::memory_order_relaxed);
    const bool is_told = is_shorter || !has_end();
    if (is_shorter) [[unlikely]]
      least_.store(length.ns, std::memory_order_relaxed);
    shortest_ = std::min(shortest_, length.ns);
    if (--window_left_ == 0) [[unlikely]]
      begin_window();
    begin(end);
    return is_told;
  }
  /// Whether the slice that runs has an end. Any thread.
  [[nodiscard]] bool has_end() const noexcept { return end_.load(std::memory_order_relaxed) != never.ns; }

 private:
  template <sync_traits>
  friend class basic_tick_board;

  static constexpr std::uint32_t window = 64;

  void begin_window() noexcept {
    least_.store(shortest_, std::memory_order_relaxed);
    shortest_ = never.ns;
    window_left_ = window;
  }

  basic_slice_word<Sync> word_;
  typename Sync::template atomic<std::uint64_t> end_{never.ns};
  typename Sync::template atomic<std::uint64_t> least_{0};
  // The owner's: of this window.
  std::uint64_t shortest_ = never.ns;
  std::uint32_t window_left_ = window;
  // The board's.
  stall_watch watch_{};
  std::uint32_t told_ = 0;  // the slice whose stall was seen
  duration stalled_{0};     // for how long, as the board saw it last
};

/// A stall that a board has seen, and the hook to tell of it.
template <sync_traits Sync>
struct basic_seen_stall {
  const basic_ticked_slice<Sync>* slice;  ///< named, and not looked into: it may be gone by now
  stall_watch watch;
  duration length;
  std::uint32_t number;

  /// Calls the hook.
  void tell() const noexcept {
    watch.hook({.length = length, .lasts = true, .who = watch.who, .slice = number});
  }
};

/// The slices of all, and how to end them. One thread at a time, but for what `ticked_slice` says.
template <sync_traits Sync>
class basic_tick_board {
 public:
  /// For slices of at least that length; one that is to be shorter may be over as late as if it were not. No
  /// look but for an end comes sooner after another.
  explicit basic_tick_board(duration resolution) noexcept : resolution_(resolution) {}

  /// Looks after that one from the next tick on. May throw std::bad_alloc, and then does not.
  void add(basic_ticked_slice<Sync>& slice, stall_watch watch) {
    stalled_.reserve(slices_.size() + 1);
    slices_.push_back(&slice);
    slice.watch_ = watch;
  }
  /// Watches it so from here on. A stall of it that was seen and not taken is dropped.
  void watch(basic_ticked_slice<Sync>& slice, stall_watch watch) noexcept {
    slice.watch_ = watch;
    std::erase(stalled_, &slice);
  }
  /// No more. A stall of it that was seen and not taken is dropped.
  void remove(const basic_ticked_slice<Sync>& slice) noexcept {
    std::erase(slices_, &slice);
    std::erase(stalled_, &slice);
  }

  /// Ends each slice whose end has been, and notes each stall. Calls no hook. When to tick again: at the
  /// first end, or when a slice that begins from here on could be over; never, if no slice has an end.
  [[nodiscard]] instant tick(instant now) noexcept {
    instant next = never;
    for (basic_ticked_slice<Sync>* slice : slices_) next = std::min(next, look_at(*slice, now));
    return next;
  }
  /// Whether no slice that is not over yet has an end before that; with `never`: any. Then there is nothing
  /// to tick for until then, but for what begins.
  [[nodiscard]] bool is_quiet_until(instant until) const noexcept {
    return std::none_of(slices_.begin(), slices_.end(), [until](const auto* slice) {
      const bool is_over = basic_slice_word<Sync>::is_over(slice->word_.seen());
      return !is_over && instant{slice->end_.load(std::memory_order_relaxed)} < until;
    });
  }
  /// The stall that was seen first of those not taken yet; nothing if there is none. A slice has room for
  /// one: a later stall of the same owner replaces one that was not taken.
  [[nodiscard]] std::optional<basic_seen_stall<Sync>> take_stall() noexcept {
    if (stalled_.empty()) return std::nullopt;
    const basic_ticked_slice<Sync>* const first = stalled_.front();
    stalled_.erase(stalled_.begin());
    return basic_seen_stall<Sync>{.slice = first,
                                  .watch = first->watch_,
                                  .length = first->stalled_,
                                  .number = first->told_ | basic_word<Sync>::due};
  }
  /// Whether there is one to take.
  [[nodiscard]] bool has_stall() const noexcept { return !stalled_.empty(); }
  /// Drops all of them.
  void drop_stalls() noexcept { stalled_.clear(); }
  /// The number of slices that it looks after.
  [[nodiscard]] std::size_t size() const noexcept { return slices_.size(); }

 private:
  instant look_at(basic_ticked_slice<Sync>& slice, instant now) noexcept {
    const std::uint32_t seen = slice.word_.seen();
    const instant end{slice.end_.load(std::memory_order_relaxed)};
    if (end == never) return never;
    const instant look = now + std::max(resolution_, duration{slice.least_.load(std::memory_order_relaxed)});
    if (now < end) return std::min(end, look);
    slice.word_.end(seen);
    return std::min(look, look_for_stall(slice, seen, end, now));
  }

  // Notes slices alone that were over when this began: of one that has just been ended the owner may know
  // already, and begin the next.
  instant look_for_stall(basic_ticked_slice<Sync>& slice, std::uint32_t seen, instant end,
                         instant now) noexcept {
    const std::uint32_t number = seen & ~basic_word<Sync>::due;
    const bool is_watched = slice.watch_.hook && slice.told_ != number;
    if (!is_watched) return never;
    const instant late = end + slice.watch_.after;
    if (now < late) return late;
    if (!basic_slice_word<Sync>::is_over(seen)) return now + resolution_;
    slice.told_ = number;
    slice.stalled_ = now - end;
    // add() has reserved room for all.
    if (std::find(stalled_.begin(), stalled_.end(), &slice) == stalled_.end()) stalled_.push_back(&slice);
    return never;
  }

  duration resolution_;
  std::vector<basic_ticked_slice<Sync>*> slices_;
  std::vector<const basic_ticked_slice<Sync>*> stalled_;  // seen and not taken, the first seen first
};

/// Those of the machine.
using ticked_slice = basic_ticked_slice<std_sync>;
using tick_board = basic_tick_board<std_sync>;

}  // namespace pinion::preempt
