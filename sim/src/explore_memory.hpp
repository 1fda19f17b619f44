// SPDX-License-Identifier: Apache-2.0
//
// The explorer's memory: every store that an atomic word ever held, and for each thread which of them it may
// still read.
//
// A word is a list of stores in modification order. A store bears a stamp, its place in that order; new
// stores may go between old ones, as long as the thread that stores knows of none after that place and no
// read-modify-write is torn from what it read. A thread knows, for each word, the stamp below which it must
// not read any more (its view); that is coherence. A release lays what its thread knows into the store as a
// message, which an acquire that reads it joins to its own; read-modify-writes pass the message of what they
// read on, and fences move messages to and from relaxed operations. So happens-before is what has come along
// in messages.
//
// seq_cst is kept apart, as C++20 has it: S is a graph over the seq_cst operations and fences. Each operation
// adds the edges that [atomics.order] asks for (strongly happens before; coherence-ordered before, directly
// or by way of fences), and a choice that would close a cycle is not offered. Choosing the last store in
// modification order never closes one.
//
// What follows from the order of execution: a load reads only what was stored before it in that order, so
// cycles of happens-before and reads-from (load buffering) do not occur.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <pinion/sim/explored_sync.hpp>
#include <vector>

namespace pinion::sim::explore_detail {

/// The thread that sets up and checks, and up to four that are explored.
inline constexpr std::size_t threads_max = 5;
/// Atomic words of one execution.
inline constexpr std::size_t words_max = 64;
/// Operations and fences of one execution that are seq_cst.
inline constexpr std::size_t ordered_max = 128;

using stamp = std::uint64_t;

/// A set of seq_cst operations, by number.
class ordered_set {
 public:
  void add(std::size_t number) { bits_[number / 64] |= std::uint64_t{1} << (number % 64); }
  [[nodiscard]] bool empty() const { return (bits_[0] | bits_[1]) == 0; }
  [[nodiscard]] bool has(std::size_t number) const { return (bits_[number / 64] >> (number % 64) & 1) != 0; }
  [[nodiscard]] bool meets(const ordered_set& o) const {
    return ((bits_[0] & o.bits_[0]) | (bits_[1] & o.bits_[1])) != 0;
  }
  ordered_set& operator|=(const ordered_set& o) {
    bits_[0] |= o.bits_[0];
    bits_[1] |= o.bits_[1];
    return *this;
  }
  friend ordered_set operator|(ordered_set a, const ordered_set& b) { return a |= b; }

 private:
  std::array<std::uint64_t, ordered_max / 64> bits_{};
};

/// What has happened before: to a thread's next operation, or to a release.
struct knowledge {
  std::array<stamp, words_max> view;  // good below `words`; 0 beyond it
  std::size_t words = 0;
  std::array<std::uint32_t, threads_max> clock{};
  ordered_set earlier;  // those that are strongly before whatever comes next here
  ordered_set fences;   // the fences among what has happened before

  void clear() {
    words = 0;
    clock = {};
    earlier = {};
    fences = {};
  }
  knowledge() {}  // NOLINT: the view is not to be cleared
  knowledge(const knowledge& o) { *this = o; }
  knowledge& operator=(const knowledge& o) {
    std::copy_n(o.view.begin(), o.words, view.begin());
    words = o.words;
    clock = o.clock;
    earlier = o.earlier;
    fences = o.fences;
    return *this;
  }
  ~knowledge() = default;

  [[nodiscard]] stamp at(std::size_t word) const { return word < words ? view[word] : 0; }
  void raise(std::size_t word, stamp to) {
    while (words <= word) view[words++] = 0;
    view[word] = std::max(view[word], to);
  }
  void join(const knowledge& o) {
    const std::size_t both = std::min(words, o.words);
    for (std::size_t word = 0; word < both; ++word) view[word] = std::max(view[word], o.view[word]);
    for (; words < o.words; ++words) view[words] = o.view[words];
    for (std::size_t thread = 0; thread < threads_max; ++thread)
      clock[thread] = std::max(clock[thread], o.clock[thread]);
    earlier |= o.earlier;
    fences |= o.fences;
  }
};

/// One value that a word held.
struct store_record {
  stamp at = 0;
  std::uint64_t value = 0;
  std::uint32_t step = 0;  // of the execution, for the schedule
  std::uint8_t thread = 0;
  bool is_taken = false;     // by the read-modify-write that follows: nothing can go between
  bool has_message = false;  // whether `message` means anything
  // For S: what points at whatever is coherence-ordered after this store, or after one that read it; and
  // which operation of S it or they are.
  ordered_set sources;
  ordered_set read_sources;
  ordered_set self;
  ordered_set read_self;
  knowledge message;
};

/// An atomic word.
struct word_record {
  std::vector<store_record*> stores;  // in modification order
  const char* name = nullptr;
  std::array<std::uint32_t, threads_max> touched{};  // when each thread used it last, for its end
  std::uint32_t made_at = 0;                         // by its thread's clock
  std::uint8_t made_by = 0;
  bool is_gone = false;
  value_kind kind = value_kind::unsigned_number;
  std::uint8_t bytes = 0;
  stamp woken = 0;  // what the thread that called futex_wake() last knew of it
};

/// The graph S, closed under transitivity.
class total_order {
 public:
  void clear() {
    count_ = 0;
    fences_ = 0;
  }
  [[nodiscard]] bool full() const { return count_ == ordered_max; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// A new operation, with no edge yet.
  std::size_t add() {
    after_[count_] = {};
    return count_++;
  }
  /// All that is at or after one of `from`.
  [[nodiscard]] ordered_set closure(const ordered_set& from) const;
  /// Each of `from` comes before each of `to`. They must not close a cycle.
  void connect(const ordered_set& from, const ordered_set& to);
  /// Keeps what fence `number` was known to follow.
  void remember_fence(std::size_t number, const knowledge& known);
  /// The fences with something before them that is later in `word` than `at`.
  [[nodiscard]] ordered_set fences_beyond(std::size_t word, stamp at) const;

 private:
  struct fence_record {
    std::size_t number = 0;
    knowledge known;
  };
  std::size_t count_ = 0;
  std::array<ordered_set, ordered_max> after_;
  std::size_t fences_ = 0;
  std::vector<fence_record> fence_records_;
};

}  // namespace pinion::sim::explore_detail
