// SPDX-License-Identifier: Apache-2.0
//
// word: the one word that a check looks at.
//
// A task that may run for long looks at it now and then, and lets others run when it is due. It is 32 bits,
// at one place for as long as its source lives, so a promise keeps a pointer to it: a check is that pointer,
// this word, and a test (law Y1).
//
//   const preempt::word& word = executor.preempt_word();
//   while (more()) {
//     work();
//     if (word.is_due()) break;              // or, in a coroutine: co_await yield_if_needed(executor)
//   }
//
//   bit 0      asks: no other thread writes here; each check calls the source (asking_word)
//   bits 1, 2  due; the bits that a ring's flags have for "completions were kept back" and "work waits to be
//              run", so that a word may be the kernel's own (uring_source)
//   bits 3-31  the number of the slice, in a word that is a source's own
//
// Why one word, and not the pair of counters that Seastar and Glommio compare: a thread that ends slices
// from outside may be late. It read which slice runs, was held up, and writes when the next one runs already.
// Of a pair it can't know, and cuts that slice short. Into a word that has the slice's number it writes by a
// compare-and-exchange, which then fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <pinion/base/sync.hpp>
#include <type_traits>

namespace pinion::preempt {

template <sync_traits Sync>
class basic_asking_word;

/// What is looked at. Only a source changes it (slice_word, asking_word), or the kernel.
template <sync_traits Sync>
class basic_word {
 public:
  /// The bits, as above.
  static constexpr std::uint32_t asks = 1;
  static constexpr std::uint32_t due = 2 | 4;

  basic_word(const basic_word&) = delete;
  basic_word& operator=(const basic_word&) = delete;

  /// Whether others should run now. Cheap enough for any loop: no call, no write, unless the source is one
  /// that asks. On the thread that runs the slice.
  [[nodiscard]] bool is_due() const noexcept {
    // Relaxed: nothing is published by being due, and a value that is a moment old is right a moment later.
    const std::uint32_t seen = bits_.load(std::memory_order_relaxed);
    if ((seen & (asks | due)) == 0) [[likely]]
      return false;
    return (seen & asks) == 0 || asked();
  }
  /// Any thread: the bits. In a source's own word no two slices have the same.
  [[nodiscard]] std::uint32_t seen() const noexcept { return bits_.load(std::memory_order_acquire); }

 protected:
  explicit basic_word(std::uint32_t bits) noexcept : bits_(bits) {}
  ~basic_word() = default;

  typename Sync::template atomic<std::uint32_t> bits_;

 private:
  // Out of line: it keeps loops short, and compilers from looking for a question beside words that have none.
  [[gnu::noinline]] [[nodiscard]] bool asked() const noexcept;
};

/// A word whose source counts or looks at a clock itself, at each check: a call, and what that does.
template <sync_traits Sync>
class basic_asking_word : public basic_word<Sync> {
 public:
  /// Called at each check: whether it is due.
  using question = bool (*)(basic_asking_word& self) noexcept;
  /// Asks that.
  explicit basic_asking_word(question ask) noexcept : basic_word<Sync>(basic_word<Sync>::asks), ask_(ask) {}

 protected:
  ~basic_asking_word() = default;

 private:
  friend class basic_word<Sync>;
  question ask_;
};

template <sync_traits Sync>
bool basic_word<Sync>::asked() const noexcept {
  // U1: only a basic_asking_word sets `asks`, and none is const: the owner's word is reached through a const
  // reference because nobody else may change it, and this is its own check. A kernel's word never has the bit
  // (uring_source refuses such rings).
  auto& self = const_cast<basic_asking_word<Sync>&>(static_cast<const basic_asking_word<Sync>&>(*this));
  return self.ask_(self);
}

/// A word of a source's own that others set: it has the number of the slice.
///
/// Memory ordering. The owner alone begins slices, by stores; others set it due by a compare-and-exchange
/// from the value that they saw. Every write to one word is in one order, so a compare-and-exchange from
/// slice n fails once slice n + 1 has begun. begin() releases and seen() acquires: who sees slice n sees what
/// the owner wrote before it, the time at which it is over. An end that is 2^29 slices late finds its number
/// again, and cuts one slice short.
template <sync_traits Sync>
class basic_slice_word : public basic_word<Sync> {
 public:
  /// Before the first slice.
  basic_slice_word() noexcept : basic_slice_word(0) {}
  /// After that many: for tests of where their number begins anew.
  explicit basic_slice_word(std::uint32_t slices) noexcept
      : basic_word<Sync>(slices * one_slice), slice_(slices * one_slice) {
    Sync::name(this->bits_, "word");
  }
  ~basic_slice_word() = default;

  /// The owner: another slice begins, and is not due.
  void begin() noexcept { this->bits_.store(slice_ += one_slice, std::memory_order_release); }
  /// The owner, or a handler of signals on its thread: this slice is over.
  void end_now() noexcept {
    // Relaxed: read by this thread alone. No other thread writes where this is used. Not from slice_: a
    // handler may have interrupted begin(), and may touch nothing that isn't atomic.
    const std::uint32_t slice = this->bits_.load(std::memory_order_relaxed);
    this->bits_.store(slice | basic_word<Sync>::due, std::memory_order_relaxed);
  }

  /// Any thread: that slice, as seen() said, is over. False if another one has begun, or it was over already.
  bool end(std::uint32_t slice) noexcept {
    if (is_over(slice)) return false;
    // Relaxed: nothing is published with it, and the order of this word's writes is all that is relied on.
    const std::uint32_t over = slice | basic_word<Sync>::due;
    return this->bits_.compare_exchange_strong(slice, over, std::memory_order_relaxed,
                                               std::memory_order_relaxed);
  }
  /// Whether that is a slice that is over.
  [[nodiscard]] static constexpr bool is_over(std::uint32_t slice) noexcept {
    return (slice & basic_word<Sync>::due) != 0;
  }

 private:
  static constexpr std::uint32_t one_slice = 8;
  std::uint32_t slice_;  // the owner's
};

/// Those of the machine.
using word = basic_word<std_sync>;
using asking_word = basic_asking_word<std_sync>;
using slice_word = basic_slice_word<std_sync>;

static_assert(sizeof(word) == 4 && std::is_standard_layout_v<word> &&
              std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace pinion::preempt
