// SPDX-License-Identifier: Apache-2.0
//
// tick_board, ticked_slice: slices of several executors, and whoever ends them: without a thread or a clock of its own.
//
// An owner writes when its slice is over; somebody else asks the board now and then, which ends what is over and says when to
// ask again. ticker is that somebody, a thread; in simulation it is the test.
//
//   ticked_slice slice;                       board.add(slice, {});                  // the owner's; registered once
//   slice.begin(now + quantum);               // the owner: stores, and no more
//   const instant next = board.tick(now);     // the other: ends what is over
//   … wait until `next` … ; never: until somebody begins (is_quiet)
//
// How it is exact without being told. Slices last `resolution` or more; so whoever asks again after `resolution` at the latest has missed
// the end of none, whatever began meanwhile, and waits for the exact end of those that he sees. One that is to last for less may be
// over so much later.
//
// Memory ordering. The end is written before the word that releases it; who acquires the word sees that end or a later one. With an
// earlier word and a later end the slice isn't over yet, or its compare-and-exchange fails. Going quiet is a handshake like that of
// a waker: the owner stores its end, then a fence, then reads whether the other sleeps; the other says that it sleeps, then a fence,
// then reads the ends. One of the two sees the other (both fences are seq_cst).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/word.hpp>
#include <vector>

namespace pinion::preempt {

/// When to report a slice that goes on after its end, and to whom: on the thread that asks the board.
struct stall_watch {
  duration after = forever;  ///< the end
  stall_hook hook{};
  const void* who = nullptr;  ///< named in what is told; a source names itself
};

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
  /// Whether the slice that runs has an end. Any thread.
  [[nodiscard]] bool has_end() const noexcept { return end_.load(std::memory_order_relaxed) != never.ns; }

 private:
  template <sync_traits>
  friend class basic_tick_board;

  basic_slice_word<Sync> word_;
  typename Sync::template atomic<std::uint64_t> end_{never.ns};
  // The board's.
  stall_watch watch_{};
  std::uint32_t told_ = 0;  // the slice that was reported
};

/// The slices of all, and how to end them. One thread at a time, but for what `ticked_slice` says.
template <sync_traits Sync>
class basic_tick_board {
 public:
  /// For slices of at least that length; one that is to be shorter may be over as late as if it were not.
  explicit basic_tick_board(duration resolution) noexcept : resolution_(resolution) {}

  /// Looks after that one from the next tick on. May throw std::bad_alloc, and then does not.
  void add(basic_ticked_slice<Sync>& slice, stall_watch watch) {
    slices_.push_back(&slice);
    slice.watch_ = watch;
  }
  /// No more.
  void remove(const basic_ticked_slice<Sync>& slice) noexcept { std::erase(slices_, &slice); }

  /// Ends each slice whose end has been. When to tick again: at the first end, or after `resolution`; never, if no slice has an end.
  [[nodiscard]] instant tick(instant now) noexcept {
    instant next = never;
    for (basic_ticked_slice<Sync>* slice : slices_) next = std::min(next, look_at(*slice, now));
    return next;
  }
  /// Whether no slice has an end: then there is nothing to tick for until one begins.
  [[nodiscard]] bool is_quiet() const noexcept {
    return std::none_of(slices_.begin(), slices_.end(), [](const auto* slice) { return slice->has_end(); });
  }
  /// Of those, the number.
  [[nodiscard]] std::size_t size() const noexcept { return slices_.size(); }

 private:
  instant look_at(basic_ticked_slice<Sync>& slice, instant now) noexcept {
    const std::uint32_t seen = slice.word_.seen();
    const instant end{slice.end_.load(std::memory_order_relaxed)};
    if (end == never) return never;
    if (now < end) return std::min(end, now + resolution_);
    slice.word_.end(seen);
    return std::min(now + resolution_, look_for_stall(slice, seen, end, now));
  }

  // Told of slices alone that were over when this began: of one that has just been ended the owner may know already, and begin the next.
  instant look_for_stall(basic_ticked_slice<Sync>& slice, std::uint32_t seen, instant end,
                         instant now) noexcept {
    const std::uint32_t number = seen & ~basic_word<Sync>::due;
    const bool is_watched = slice.watch_.hook.stalled != nullptr && slice.told_ != number;
    if (!is_watched || !basic_slice_word<Sync>::is_over(seen)) return never;
    const instant late = end + slice.watch_.after;
    if (now < late) return late;
    slice.told_ = number;
    slice.watch_.hook.stalled(slice.watch_.hook.context,
                              {.length = now - end, .lasts = true, .who = slice.watch_.who});
    return never;
  }

  duration resolution_;
  std::vector<basic_ticked_slice<Sync>*> slices_;
};

/// Those of the machine.
using ticked_slice = basic_ticked_slice<std_sync>;
using tick_board = basic_tick_board<std_sync>;

}  // namespace pinion::preempt
