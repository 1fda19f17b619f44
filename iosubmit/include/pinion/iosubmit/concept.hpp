// SPDX-License-Identifier: Apache-2.0
//
// ring, submit_policy: what an executor may rely on for entering the kernel, and what decides when to enter.
//
// A ring holds entries until it is entered, and completions until they are reaped. A policy is a value that
// is asked when to enter: four hooks, which a loop with a ring of its own calls as well.
//
//   if (policy.queued(state)) enter();              // an entry was queued, or a turn ends and some still are
//   policy.entered({.accepted = n, .now = now});    // the kernel has taken n
//   policy.reaped({.count = m, .in_flight = k, .now = now});
//   const park_wait wait = policy.about_to_park(state);  // for how many, and how long?
//
// submission<Policy, Ring> joins the two and keeps S1 and S2 whatever a policy answers.
//
// The syntax is the concepts at the end. What syntax cannot say is the laws; tests name the law they prove.
//
// S1  Never stranded. Whatever the policy says, all that is queued has been handed to the kernel before the
//     owner waits. While the kernel refuses, an owner waits only until it may try again.
// S2  One enter per turn. Submitting and waiting are one system call, and a turn that has nothing to do makes
//     none. More only where the policy asks for it between two turns, for the urgent class, for TASKRUN, for
//     room, or to retry.
// S3  Pure policy. A policy is a value. It sees depth, age, how many were taken and reaped, and the turn's
//     cached time, and answers: no clock, no system call, no allocation, O(1). Percentiles are recomputed
//     only at a re-adjustment.
// S4  Completions are not starved. Where the kernel keeps work back until an enter (DEFER_TASKRUN, overflow)
//     it is fetched in the turn in which it is flagged, as far as the queue has room, and the rest with the
//     next turns, however busy submission is and whatever the policy says.
// S5  Errors. What the kernel answers to an enter (ENOSYS, EPERM, EINVAL, EAGAIN, EBUSY, EINTR, a short
//     submit, an overflow) is handled, or reported with the likely cause and the remedy. Nothing that was
//     queued is lost: each operation is answered once. An end answers what was there when it began; what
//     answers queue meanwhile is answered by the next turn, park or stop. A destructor ends it twice; what is
//     queued even then is let go, and reported. Where the kernel refuses to wait, its owner sleeps instead, a
//     millisecond at most, and looks again.
// S6  Questions don't answer. Queueing, watching and cancelling call no answer, whatever the ring says. An
//     error that lasts is remembered, and all that was queued is answered with it by the next turn, park or
//     stop; nothing is entered before.
// S7  Time is absolute. A park waits until the time that it is told, and no longer, whenever the turn began.
// S8  Nothing past the count. The ring is the submission's: outside it is const, and all that enters is
//     counted. An owner that needs an enter which fetches nothing has submit().
// S9  Signals are urgent. An entry that another part queues through the port leaves with the turn in which it
//     was queued, whatever the policy says: it may be what wakes another thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>

namespace pinion::iosubmit {

/// What a policy sees of a queue.
struct queue_state {
  std::uint32_t depth = 0;      ///< queued, and not the kernel's yet
  std::uint32_t in_flight = 0;  ///< the kernel's, and not answered yet
  instant now{0};               ///< the time that the owner cached for this turn
  instant oldest{0};            ///< when the oldest of what is queued was; meaningful where depth is not 0
  bool turn_ends = false;       ///< asked at the end of a turn, and not because an entry was queued

  /// How long the oldest has waited for an enter.
  [[nodiscard]] constexpr duration age() const noexcept { return now - oldest; }
};

/// The kernel has taken something.
struct entered_batch {
  std::uint32_t accepted = 0;
  instant now{0};
};

/// Completions were handed out.
struct reaped_batch {
  std::uint32_t count = 0;      ///< may be 0: an enter that came back with none
  std::uint32_t in_flight = 0;  ///< what is left
  instant now{0};
};

/// For how many completions an owner that has nothing to run waits, and how long at most for more than one.
struct park_wait {
  std::uint32_t count = 1;
  duration gather{0};
  friend constexpr bool operator==(const park_wait&, const park_wait&) noexcept = default;
};

/// Who says when to enter.
template <class Policy>
concept submit_policy =
    std::copyable<Policy> && requires(Policy& policy, const queue_state& state, const entered_batch& entered,
                                      const reaped_batch& reaped) {
      { policy.queued(state) } noexcept -> std::same_as<bool>;  // enter now?
      { policy.entered(entered) } noexcept -> std::same_as<void>;
      { policy.reaped(reaped) } noexcept -> std::same_as<void>;
      { policy.about_to_park(state) } noexcept -> std::same_as<park_wait>;
    };

/// A policy that is also told how long each operation took, from being queued to being handed out. Others
/// don't pay for it.
template <class Policy>
concept latency_policy = submit_policy<Policy> && requires(Policy& policy, duration latency) {
  { policy.completed(latency) } noexcept -> std::same_as<void>;
};

namespace concept_detail {
struct any_sink {
  void operator()(const ring_completion&) const noexcept;
  void operator()(const ring_entry&) const noexcept;
};
}  // namespace concept_detail

/// What takes entries to the kernel and completions back. All calls are the owner's.
template <class Ring>
concept ring = requires(Ring& queue, const Ring& view, std::uint8_t operation, const ring_entry& entry,
                        const ring_wait& wait, concept_detail::any_sink sink) {
  { view.supports(operation) } noexcept -> std::same_as<bool>;  // else: its answer is EOPNOTSUPP or EINVAL
  { view.room() } noexcept -> std::same_as<std::uint32_t>;      // so many may be put before an enter
  { queue.put(entry) } noexcept -> std::same_as<void>;          // as it stands, where there is room
  { view.pending() } noexcept -> std::same_as<std::uint32_t>;   // put, and not accepted
  { view.has_completions() } noexcept -> std::same_as<bool>;    // reap() would hand out some
  { view.wants_enter() } noexcept -> std::same_as<bool>;        // completions are kept back until an enter
  { queue.enter(wait) } noexcept -> std::same_as<ring_entered>;
  { queue.reap(sink) } noexcept -> std::same_as<std::size_t>;  // those that were there when it began
  {
    queue.withdraw(sink)
  } noexcept -> std::same_as<std::size_t>;  // what is pending, as entries; nothing is, afterwards
};

}  // namespace pinion::iosubmit
