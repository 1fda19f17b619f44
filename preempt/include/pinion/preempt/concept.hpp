// SPDX-License-Identifier: Apache-2.0
//
// preempt_source: what an executor may rely on for knowing when others should run.
//
// A source has a word. An executor tells the source when a slice begins and when the slice should be over;
// from then on the word is due.
//
//   source.begin(now, now + quantum);     // others are ready, or a timer or I/O is waited for: due then
//   run(queue, source.word());            // until the queue is empty, or the word is due
//   source.rest();                        // nothing else wants this thread, or it parks: nothing is armed
//
// The syntax is the concept at the end. What syntax cannot say is the laws; tests name the law they prove.
//
// Y1  A check is two loads: the pointer that a promise holds, and the word. A check writes nothing. Where a
//     source must be asked (traits.asks: a budget writes, a clock must be read), the check is a call; what
//     the call costs stands in the source's header.
// Y2  No false promise. Nothing is suspended between two checks: a source only sets a word, from another
//     thread, from a signal or from the kernel. After begin() the word is not due until its time, unless
//     traits.may_be_early; it is due, once that time has been and the machine has let the source run, and
//     stays due until the next begin() or rest().
// Y3  Seen. A slice that goes on after its end is reported, where the source can see it while it does
//     (traits.sees_stalls): to a hook, once for each slice. Elsewhere slice_log sees it when the slice is
//     over. No hook holds up the end of another owner's slice, however long it takes; of the stalls that its
//     source has meanwhile, the latest is told of.
// Y4  Quiet when idle. After rest() no timer is armed, and no thread of the source wakes, but once for what
//     it had begun to wait for. The word isn't due, unless it is somebody else's, too (traits.may_be_early
//     without traits.counts). begin(now, never) is rest().
#pragma once

#include <concepts>
#include <pinion/base/time.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt {

/// What a source declares; the suite tests what is declared.
struct source_traits {
  /// A check calls the source (a budget, a clock), and isn't two loads.
  bool asks = false;
  /// It knows no time: it is due by what is done, and begin()'s time only says whether it counts at all.
  bool counts = false;
  /// It may be due before its time: something else than time ends slices, too.
  bool may_be_early = false;
  /// Y3 while the slice lasts.
  bool sees_stalls = false;
};

/// What knows when a slice should be over. All calls are the owner's, on one thread.
template <class Source>
concept preempt_source = requires(Source& source, const Source& seen, instant now, instant until) {
  { Source::traits } -> std::convertible_to<source_traits>;
  // The same one for as long as the source lives.
  { seen.word() } noexcept -> std::same_as<const word&>;
  // A slice begins; due at `until`.
  { source.begin(now, until) } noexcept -> std::same_as<void>;
  // No slice has an end.
  { source.rest() } noexcept -> std::same_as<void>;
};

/// One that calls the hook of its stalls on a thread of its own, and takes another watch while it is there.
template <class Source>
concept watchable_source = preempt_source<Source> && requires(Source& source, stall_watch watch) {
  requires source_traits { Source::traits }
  .sees_stalls;
  // From here on; returns when the hook that it had does not run any more. May throw a refusal.
  source.watch(watch);
};

}  // namespace pinion::preempt
