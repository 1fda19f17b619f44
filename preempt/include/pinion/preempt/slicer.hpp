// SPDX-License-Identifier: Apache-2.0
//
// slicer: a source, a rule and a log, kept in step: an executor begins and ends its slices in one call each.
//
//   slicer<> slices;                                           // by default_source
//   const auto batch = slices.add({.quantum = ceil(10ms)});
//   const auto serve = slices.add({.quantum = ceil(1ms), .latency = ceil(500us)});
//   if (!batch || !serve) return;                              // batch.error() says why
//
//   slices.begin(*batch, {.now = now, .others_ready = true});  // due when it should be over
//   run(queue, slices.word());                                 // until it is empty, or the word is due
//   slices.end(clock.now());                                   // the time that the loop reads anyway
//
//   slices.rest();                                             // before it parks: nothing is armed
//
// An executor's preempt_word() and slices() are word() and log(). A queue is a number; what its slices were
// like, counts() says where PINION_STATISTICS=ON.
#pragma once

#include <cstddef>
#include <deque>
#include <pinion/base/assert.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/default_source.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <utility>

namespace pinion::preempt::inline PINION_MODE {

/// Of one executor, and of its thread.
template <preempt_source Source = default_source>
class slicer {
 public:
  /// Which queue.
  using queue = slice_rule::queue;

  /// Without queues; the source is made of the arguments. Throws what that throws.
  template <class... Arguments>
  explicit slicer(Arguments&&... arguments) : source_(std::forward<Arguments>(arguments)...) {}
  slicer(const slicer&) = delete;
  slicer& operator=(const slicer&) = delete;

  /// Another queue; or why not: invalid_argument for terms out of range. May throw std::bad_alloc.
  [[nodiscard]] expected<queue, refusal> add(const queue_terms& terms) {
    auto added = rule_.add(terms);
    if (added) {
      while (counts_.size() <= static_cast<std::size_t>(*added)) counts_.emplace_back();
      counts_[static_cast<std::size_t>(*added)] = queue_slices{};
    }
    return added;
  }
  /// It is no more; no slice of it runs. Its number may be given again.
  void remove(queue which) noexcept { rule_.remove(which); }
  /// Other terms for it; where they are refused, it keeps those it had.
  [[nodiscard]] expected<void, refusal> change(queue which, const queue_terms& terms) {
    return rule_.change(which, terms);
  }

  /// A slice of that queue begins, and no other one runs. From here on the word says when it is over.
  void begin(queue which, const slice_state& state) noexcept {
    PINION_ASSERT(!log_.is_slicing(), "a slice was begun inside another one: end that first");
    log_.began(counts_[static_cast<std::size_t>(which)], state.now);
    source_.begin(state.now, rule_.end_of(which, state));
  }
  /// The slice is over.
  void end(instant now) noexcept { log_.ended(now); }
  /// Nothing is to run now: nothing is armed any more.
  void rest() noexcept { source_.rest(); }

  /// What the tasks look at, for as long as the slicer lives.
  [[nodiscard]] const preempt::word& word() const noexcept { return source_.word(); }
  /// Where checks, yields and slices are noted: to set a stall report, or to hold a no_yield.
  [[nodiscard]] slice_log& log() noexcept { return log_; }
  /// The source and the rule, for what they alone can say.
  [[nodiscard]] Source& source() noexcept { return source_; }
  [[nodiscard]] const slice_rule& rule() const noexcept { return rule_; }
  /// What a queue's slices were like; all 0 where PINION_STATISTICS=OFF.
  [[nodiscard]] const queue_slices& counts(queue which) const noexcept {
    return counts_[static_cast<std::size_t>(which)];
  }

 private:
  Source source_;
  slice_rule rule_;
  slice_log log_;
  std::deque<queue_slices> counts_;  // its elements stay where they are
};

}  // namespace pinion::preempt::inline PINION_MODE
