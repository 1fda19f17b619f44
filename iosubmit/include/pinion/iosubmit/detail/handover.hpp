// SPDX-License-Identifier: Apache-2.0
//
// handover: the half of a submission that takes entries to the kernel: what is queued, who says when, what an
// enter came to.
//
// An operation is accepted into the ring, or into the list behind it; the policy says whether that is flushed
// at once. A flush enters until all is the kernel's, or the kernel refuses.
//
// It calls no answer. An error that lasts is remembered with what it met (the ring's entries, and the first
// of the list), and the list is shut: nothing is entered until the other half, submission, has answered that.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/detail/errors.hpp>
#include <pinion/iosubmit/detail/flight_count.hpp>
#include <pinion/iosubmit/detail/operation_backlog.hpp>
#include <pinion/iosubmit/detail/submission_recorder.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE::submission_detail {

/// For submission alone, which derives from it.
template <submit_policy Policy, ring Ring>
class handover {
 public:
  /// How long an owner waits, where the kernel refuses to take what is queued and there is nothing to reap,
  /// before it tries again.
  static constexpr duration retry_after{1'000'000};

  /// Queued, and not the kernel's yet.
  [[nodiscard]] std::uint32_t depth() const noexcept { return ring_.pending() + backlog_.size(); }
  /// The kernel's, and not answered yet; without watches. Too few where the kernel lost completions that were
  /// messages.
  [[nodiscard]] std::uint32_t in_flight() const noexcept {
    return in_flight_.value() > 0 ? static_cast<std::uint32_t>(in_flight_.value()) : 0;
  }

 protected:
  using parts = operation_detail::access;

  handover(Ring ring, Policy policy) noexcept : ring_(std::move(ring)), policy_(std::move(policy)) {}

  [[nodiscard]] queue_state state() const noexcept {
    return {.depth = depth(), .in_flight = in_flight(), .now = now_, .oldest = oldest_};
  }

  // What will be answered, if all goes well: of what is queued, watches may never be.
  [[nodiscard]] std::uint32_t answers_to_come() const noexcept {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(1, in_flight_.value() + depth()));
  }

  void accept(operation& what) noexcept {
    const bool fits = has_room();
    if (depth() == 0) oldest_ = now_;
    if (fits)
      ring_.put(parts::entry(what));
    else
      backlog_.add(what);
  }

  // An entry that has no operation's room to wait in. False: there is no room, also after an enter.
  bool put_entry(const ring_entry& entry) noexcept {
    if (backlog_.size() != 0 && !backlog_.is_shut()) flush(enter_reason::room);
    if (!has_room()) return false;
    if (depth() == 0) oldest_ = now_;
    ring_.put(entry);
    return true;
  }

  bool says_enter(bool turn_ends = false) noexcept {
    queue_state about = state();
    about.turn_ends = turn_ends;
    return !backlog_.is_shut() && asks(about);
  }

  bool asks(const queue_state& about) noexcept {
    const bool yes = policy_.queued(about);
    if (!yes) recorder_.said_no();
    return yes;
  }

  [[gnu::always_inline]] ring_entered enter(const ring_wait& wait, enter_reason reason) noexcept {
    if constexpr (is_counted) {
      const queue_state before = state();
      const ring_entered done = ring_.enter(wait);
      recorder_.entered(reason, before, done);
      return done;
    } else {
      return ring_.enter(wait);
    }
  }

  // Whether the ring takes an entry, if need be after an enter: none where others wait for that already.
  bool has_room() noexcept {
    if (ring_.room() == 0 && backlog_.is_open()) flush(enter_reason::room);
    return ring_.room() != 0 && backlog_.is_open();
  }

  void flush(enter_reason reason) noexcept { flush_and_wait({}, reason); }

  // Enters until all that is queued is the kernel's, which is true, or it refuses. Only the enter that can
  // take the rest waits: where that was refused it is false as well.
  [[gnu::always_inline]] bool flush_and_wait(const ring_wait& wait, enter_reason reason) noexcept {
    if (backlog_.is_open()) [[likely]] {
      const ring_entered done = enter(wait, reason);
      count_taken(done.accepted);
      if (done.error == 0 && ring_.pending() == 0) [[likely]] {
        reported_ = 0;
        urgent_ = false;
        return true;
      }
      if (!goes_on(done)) return depth() == 0 && !is_refused();
    }
    flush_rest(wait, reason);
    return depth() == 0 && !is_refused();
  }

  [[gnu::cold]] void flush_rest(ring_wait wait, enter_reason reason) noexcept {
    if (backlog_.is_shut()) return fetch();
    ring_entered done;
    do {
      done = enter(backlog_.size() == 0 ? wait : ring_wait{.fetches = wait.fetches}, reason);
      count_taken(done.accepted);
    } while (goes_on(done));
  }

  // What was refused is answered by this turn, and not tried once more.
  [[gnu::cold]] void fetch() noexcept {
    if (ring_.wants_enter()) passes(enter({.keeps_pending = true}, enter_reason::kernel));
  }

  // Where something is left that the kernel has refused, but not for good: until it is to be tried again.
  [[gnu::cold, gnu::noinline]] void wait_to_retry(duration at_most) noexcept {
    if (!backlog_.is_shut() && !ring_.has_completions()) goes_on(wait_for_one(at_most));
  }
  // Whether the last enter was, with an error that lasts.
  [[nodiscard]] bool is_refused() const noexcept { return reported_ != 0; }
  ring_entered wait_for_one(duration at_most) noexcept {
    return enter({.count = 1, .timeout = std::min(retry_after, at_most), .keeps_pending = true},
                 enter_reason::retry);
  }

  [[gnu::always_inline]] void count_taken(std::uint32_t accepted) noexcept {
    in_flight_.add(accepted);
    entered_ = true;
    if (accepted == 0) return;
    policy_.entered({.accepted = accepted, .now = now_});
    recorder_.looked_at(policy_);
  }

  // Whether there is more to hand over, and the kernel takes some.
  [[gnu::cold]] bool goes_on(const ring_entered& done) noexcept {
    if (!passes(done)) {
      if (depth() != 0) refuse(done.error);
      return false;
    }
    refill();
    if (depth() == 0) {
      urgent_ = false;
      return false;
    }
    if (done.accepted != 0) oldest_ = now_;
    return done.error == 0 && done.accepted != 0;
  }

  // False for an error that lasts, which is reported once.
  bool passes(const ring_entered& done) noexcept {
    const bool lasts = done.error != 0 && !errors::is_passing(done.error);
    if (lasts && reported_ != done.error) errors::complain(done.error);
    reported_ = lasts ? done.error : 0;
    if (done.error == errors::completions_lost) forget_lost();
    return !lasts;
  }

  // All that is queued is to be answered with that, when answers may be called. It is urgent from here on:
  // the end of a turn looks.
  void refuse(std::int32_t error) noexcept {
    urgent_ = true;
    refusal_ = error;
    refused_ = backlog_.size();
    backlog_.set_shut(true);
  }

  void refill() noexcept {
    while (backlog_.size() != 0 && ring_.room() != 0) ring_.put(parts::entry(backlog_.take()));
  }

  // What the kernel had no memory to keep is never answered.
  void forget_lost() noexcept {
    errors::complain(errors::completions_lost);
    if constexpr (requires { ring_.lost(); }) in_flight_.leave_out_lost(ring_.lost());
  }

  Ring ring_;
  [[no_unique_address]] Policy policy_;
  [[no_unique_address]] submission_recorder recorder_;
  instant now_;
  instant oldest_;
  flight_count in_flight_;
  operation_backlog backlog_;
  bool urgent_ = false;
  bool entered_ = false;
  std::int32_t refusal_ = -ECANCELED;
  std::uint32_t refused_ = 0;

 private:
  std::int32_t reported_ = 0;  // the lasting error that was reported, until an enter succeeds
};

}  // namespace pinion::iosubmit::inline PINION_MODE::submission_detail
