// SPDX-License-Identifier: Apache-2.0
//
// slice_rule: for how long a queue may run: its quantum, and what the others can bear.
//
// An executor has queues. Each says how long a slice of it is to be (quantum), and how long a task of it that
// becomes ready may wait for the slice of another to end (latency); `forever` for work that nobody waits for.
// The rule knows the tightest latency of all other queues, ready or not, since who sleeps now can become
// ready in the middle of a slice; and it knows when nobody else can want the thread at all, so that nothing
// need be armed (law Y4).
//
//   slice_rule rule;
//   const auto batch = rule.add({.quantum = ceil(10ms)});
//   const auto serve = rule.add({.quantum = ceil(1ms), .latency = ceil(500us)});
//   if (!batch || !serve) return;                                                   // batch.error() says why
//   source.begin(now, rule.end_of(*batch, {.now = now, .others_ready = true}));     // now + 500 us
//
// The scheduler keeps one; an executor of your own may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <vector>

namespace pinion::preempt {

/// What a queue asks for.
struct queue_terms {
  /// How long its slices are, at most: 10 us to 10 s.
  duration quantum{1'000'000};
  /// How long a ready task of it may wait for another queue's slice: 10 us or more.
  duration latency = forever;
  friend constexpr bool operator==(const queue_terms&, const queue_terms&) noexcept = default;
};

/// The least that a quantum or a latency may be, and the most that a quantum may be.
inline constexpr duration quantum_min{10'000};
inline constexpr duration quantum_max{10'000'000'000};

/// What the loop knows as a slice begins.
struct slice_state {
  instant now{0};
  bool others_ready = false;      ///< another queue has something to run
  instant next_timer = never;     ///< when the first timer is due
  bool waits_for_others = false;  ///< I/O in flight, or somebody may wake a task from another thread
};

/// The terms of all queues of one executor. Of its owner.
class PINION_EXPORT slice_rule {
 public:
  /// Which queue.
  enum class queue : std::uint32_t {};

  /// Another queue; or why not: invalid_argument for terms out of range. May throw std::bad_alloc.
  [[nodiscard]] expected<queue, refusal> add(const queue_terms& terms);
  /// It is no more. Its number may be given again.
  void remove(queue which) noexcept;
  /// Other terms for it; where they are refused, it keeps those it had.
  [[nodiscard]] expected<void, refusal> change(queue which, const queue_terms& terms);
  /// What it was given.
  [[nodiscard]] const queue_terms& terms(queue which) const noexcept { return entries_[index(which)].terms; }

  /// How long a slice of it is: its quantum, or the tightest latency of the others, whichever is less. O(1).
  [[nodiscard]] duration slice_of(queue which) const noexcept;
  /// When a slice of it that begins now is over. A queue that is alone: when a timer is due; with nothing to
  /// wait for: never. O(1).
  [[nodiscard]] instant end_of(queue which, const slice_state& state) const noexcept;

 private:
  struct entry {
    queue_terms terms;
    bool is_used = false;
  };
  static std::size_t index(queue which) noexcept { return static_cast<std::size_t>(which); }
  void find_tightest() noexcept;

  std::vector<entry> entries_;
  duration tightest_ = forever;          // of all queues
  duration tightest_but_one_ = forever;  // of all but that one: for it
  std::size_t tightest_queue_ = 0;
};

}  // namespace pinion::preempt
