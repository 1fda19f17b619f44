// SPDX-License-Identifier: Apache-2.0
//
// submission: a ring and a policy, joined so that nothing is stranded and nothing entered in vain.
//
// The owner queues operations at any time. At the end of each turn it calls turn(), while there is more to run, or park(), when there
// is not. Between the two calls the policy decides; at park() everything goes (law S1), in the same system call that waits (S2).
//
//   submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
//   io.queue(read_block);                                   // an operation; answered from inside turn() or park()
//   io.queue_urgent(reply);                                 // goes with the end of this turn, whatever the policy says
//   for (;;) {
//     now = …; run what is ready; has_more ? io.turn(now) : io.park(now, next_deadline);
//   }
//
// A queue that is full is entered; what the kernel then refuses waits in a list through the operations themselves, so queue() accepts
// whatever the load. Answers are called on the owner's thread, and may queue; turn(), park() and stop() are the loop's alone.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/callback.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/detail/errors.hpp>
#include <pinion/iosubmit/detail/flight_count.hpp>
#include <pinion/iosubmit/detail/operation_backlog.hpp>
#include <pinion/iosubmit/detail/submission_recorder.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

/// Over any policy, any ring, and any clock with a now(): it is read once after each wait, and by a park() that is told an old time.
template <submit_policy Policy, ring Ring, class Clock = monotonic_clock>
class submission {
 public:
  /// How long an owner waits, where the kernel refuses to take what is queued and there is nothing to reap, before it tries again.
  static constexpr duration retry_after{1'000'000};

  /// Over that ring, which it owns from here on.
  explicit submission(Ring ring, Policy policy = Policy{}, Clock clock = Clock{}) noexcept
      : ring_(std::move(ring)), policy_(std::move(policy)), clock_(std::move(clock)), now_(clock_.now()) {}
  submission(const submission&) = delete;
  submission& operator=(const submission&) = delete;
  /// Calls stop().
  ~submission() { stop(); }

  /// Asks for an operation, which stays where it is until it is answered. Enters if the policy says so, or there is no room.
  void queue(operation& what) noexcept {
    begin(what);
    if (!backlog_.is_open() || ring_.room() == 0) [[unlikely]] {
      queue_held_up(what);
      return;
    }
    const std::uint32_t before = ring_.pending();
    if (before == 0) oldest_ = now_;
    ring_.put(parts::entry(what));
    if (asks({.depth = before + 1, .in_flight = in_flight(), .now = now_, .oldest = oldest_}))
      flush(enter_reason::policy);
  }
  /// The same, for an operation that is handed over at the end of this turn, whatever the policy says: also where an answer queues it,
  /// inside turn() or park(). One that the kernel refuses stays urgent.
  void queue_urgent(operation& what) noexcept {
    begin(what);
    accept(what);
    urgent_ = true;
  }
  /// As a port (ring.hpp): an entry with an answer of its own. False: there is no room, also after an enter.
  bool queue(ring_entry entry, ring_answer& answer) noexcept {
    entry.user_data = user_data_of(answer, 0);
    return queue_entry(entry);
  }
  /// An entry that is answered many times, or to messages_to()'s: its user_data has a mark of 2 or more. False as above, and in stop().
  bool watch(const ring_entry& entry) noexcept {
    PINION_ASSERT(mark_of(entry.user_data) > operation::mark,
                  "a watch's user_data needs a mark of 2 or more: the others are answers");
    if (!backlog_.may_enter() || !queue_entry(entry)) return false;
    in_flight_.leave_out_watch();
    return true;
  }
  /// Who is told of completions that are no operation's and no port's answer: what other rings sent, and what
  /// watch() queued. Their user_data has a mark of 2 or more. Without a callback they are dropped.
  void messages_to(callback<const ring_completion&> told) noexcept { told_ = told; }

  /// The end of a turn that leaves something to run: enters if the policy, an urgent operation or the kernel wants it, and hands out
  /// what is there. Never waits. How many were handed out.
  std::size_t turn(instant now) noexcept {
    expect_no_answer();
    now_ = now;
    if (ring_.wants_enter())
      flush(enter_reason::kernel);
    else if (depth() != 0 && urgent_)
      flush(enter_reason::urgent);
    else if (depth() != 0 && says_enter())
      flush(enter_reason::policy);
    return finish();
  }

  /// The end of a turn that leaves nothing to run: hands over all that is queued, waits for as many as the policy says, at most until
  /// then, and hands out what is there. It may return early, with nothing. Afterwards now() is fresh. Told a time that is no later than
  /// now(), such as now() itself, it reads the clock where time matters: it may have passed since.
  std::size_t park(instant now, instant until) noexcept {
    expect_no_answer();
    if (now <= now_ && (until != never || ring_.has_completions())) now = clock_.now();
    now_ = now;
    ring_wait wait{};
    if (now < until && !ring_.has_completions()) {
      const park_wait asked = policy_.about_to_park(state());
      const duration timeout = until == never ? forever : until - now;
      wait = {.count = asked.count < 2 ? 1 : std::min(asked.count, expected()),
              .gather = std::min(asked.gather, timeout),
              .timeout = timeout};
    }
    if (wait.count != 0) {
      if (!flush_and_wait(wait, enter_reason::park) && !ring_.has_completions()) wait_to_retry(wait.timeout);
      now_ = clock_.now();
    } else if (depth() != 0 || ring_.wants_enter()) {
      flush(enter_reason::park);
    }
    return finish();
  }

  /// Answers everything: what is queued with -ECANCELED, what is in flight when the kernel lets go of it, as it is asked to (before
  /// Linux 5.19 it can't be, and this waits for as long as they take: cancel each before); also what answers queue meanwhile, so an
  /// answer looks at its result before it queues again. Watches end, too, and messages_to() is told. What is in flight in a ring that refuses
  /// this enter for good stays unanswered.
  [[gnu::cold]] void stop() noexcept {
    expect_no_answer();
    backlog_.set_stopping(true);
    in_flight_.begin_to_stop();
    for (bool ring_works = true;;) {
      refuse_queued(-ECANCELED);
      if (depth() != 0) continue;
      if (in_flight_.is_over() || !ring_works) break;
      ring_.put(in_flight_.cancel_of_all());
      // Until another one is there beside the answer to this, or it would go round and round over what can't be cancelled.
      const ring_entered done =
          enter({.count = 2, .gather = retry_after, .timeout = retry_after}, enter_reason::stop);
      ring_works = done.error == 0 || errors::is_passing(done.error);
      count(done.accepted);
      goes_on(done);
      if (depth() != 0 && ring_works && !ring_.has_completions()) wait_to_retry(retry_after);
      reap();
    }
    backlog_.set_stopping(false);
  }

  /// Queued, and not the kernel's yet.
  [[nodiscard]] std::uint32_t depth() const noexcept { return ring_.pending() + backlog_.size(); }
  /// The kernel's, and not answered yet; without watches. Too few where the kernel lost completions that were messages.
  [[nodiscard]] std::uint32_t in_flight() const noexcept {
    return in_flight_.value() > 0 ? static_cast<std::uint32_t>(in_flight_.value()) : 0;
  }
  /// The time as of the last turn(), or of the end of the last wait.
  [[nodiscard]] instant now() const noexcept { return now_; }
  /// The policy and the ring, to be looked at, or tuned.
  [[nodiscard]] Policy& policy() noexcept { return policy_; }
  [[nodiscard]] Ring& ring() noexcept { return ring_; }
#if PINION_COUNTED
  /// In a counted build: what this has done, and the last enters.
  [[nodiscard]] submission_statistics statistics() const noexcept { return recorder_.statistics(); }
  [[nodiscard]] const decision_trace& trace() const noexcept { return recorder_.trace(); }
#endif

  /// As a port: the ring's.
  [[nodiscard]] int descriptor() const noexcept
    requires requires(const Ring& of) { of.descriptor(); }
  {
    return ring_.descriptor();
  }
  [[nodiscard]] bool is_owner() const noexcept
    requires requires(const Ring& of) { of.is_owner(); }
  {
    return ring_.is_owner();
  }

 private:
  using parts = operation_detail::access;

  [[nodiscard]] queue_state state() const noexcept {
    return {.depth = depth(), .in_flight = in_flight(), .now = now_, .oldest = oldest_};
  }

  // What will be answered, if all goes well: of what is queued, watches may never be.
  [[nodiscard]] std::uint32_t expected() const noexcept {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(1, in_flight_.value() + depth()));
  }

  void begin(operation& what) noexcept {
    PINION_ASSERT(!parts::waiting(what),
                  "an operation was queued that is queued or in flight already: wait for its answer");
    parts::waiting(what) = true;
    parts::queued(what) = now_;
  }

  [[gnu::cold]] void queue_held_up(operation& what) noexcept {
    accept(what);
    if (says_enter()) flush(enter_reason::policy);
  }

  void accept(operation& what) noexcept {
    const bool fits = backlog_.is_passed_by() && has_room();
    if (depth() == 0) oldest_ = now_;
    if (fits)
      ring_.put(parts::entry(what));
    else
      backlog_.add(what);
  }

  bool queue_entry(const ring_entry& entry) noexcept {
    if (backlog_.size() != 0 && backlog_.may_enter()) flush(enter_reason::room);
    if (!backlog_.is_passed_by() || !has_room()) return false;
    if (depth() == 0) oldest_ = now_;
    ring_.put(entry);
    if (says_enter()) flush(enter_reason::policy);
    return true;
  }

  bool says_enter() noexcept { return backlog_.may_enter() && asks(state()); }

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

  bool has_room() noexcept {
    if (ring_.room() == 0 && backlog_.may_enter()) flush(enter_reason::room);
    return ring_.room() != 0;
  }

  void flush(enter_reason reason) noexcept { flush_and_wait({}, reason); }

  // Enters until all that is queued is the kernel's, which is true, or it refuses. Only the enter that can take the rest waits.
  [[gnu::always_inline]] bool flush_and_wait(const ring_wait& wait, enter_reason reason) noexcept {
    if (backlog_.size() == 0) [[likely]] {
      const ring_entered done = enter(wait, reason);
      count(done.accepted);
      if (done.error == 0 && ring_.pending() == 0) [[likely]] {
        reported_ = 0;
        urgent_ = false;
        return true;
      }
      if (!goes_on(done)) return depth() == 0;
    }
    flush_rest(wait, reason);
    return depth() == 0;
  }

  [[gnu::cold]] void flush_rest(ring_wait wait, enter_reason reason) noexcept {
    ring_entered done;
    do {
      done = enter(backlog_.size() == 0 ? wait : ring_wait{}, reason);
      count(done.accepted);
    } while (goes_on(done));
  }

  void wait_to_retry(duration at_most) noexcept {
    goes_on(enter({.count = 1, .timeout = std::min(retry_after, at_most), .keeps_pending = true},
                  enter_reason::retry));
  }

  [[gnu::always_inline]] void count(std::uint32_t accepted) noexcept {
    in_flight_.add(accepted);
    entered_ = true;
    if (accepted == 0) return;
    policy_.entered({.accepted = accepted, .now = now_});
    recorder_.looked_at(policy_);
  }

  // Whether there is more to hand over, and the kernel takes some.
  [[gnu::cold]] bool goes_on(ring_entered done) noexcept {
    const bool lasts = done.error != 0 && !errors::is_passing(done.error);
    if (lasts) {
      if (reported_ != done.error) errors::complain(done.error);
      refuse_queued(done.error);
    }
    reported_ = lasts ? done.error : 0;
    if (done.error == errors::completions_lost) forget_lost();
    while (backlog_.size() != 0 && ring_.room() != 0) ring_.put(parts::entry(backlog_.take()));
    if (depth() == 0) {
      urgent_ = false;
      return false;
    }
    if (lasts || done.accepted != 0) oldest_ = now_;
    return done.error == 0 && done.accepted != 0;
  }

  // What the kernel had no memory to keep is never answered.
  void forget_lost() noexcept {
    errors::complain(errors::completions_lost);
    if constexpr (requires { ring_.lost(); }) in_flight_.leave_out_lost(ring_.lost());
  }

  // Answers all that the kernel has not taken, oldest first. What the answers queue waits in the list for the next call.
  void refuse_queued(std::int32_t error) noexcept {
    const bool was_answering = std::exchange(answering_, true);
    const bool was_refusing = backlog_.set_refusing(true);
    std::uint32_t left = backlog_.size();
    ring_.withdraw([&](const ring_entry& entry) noexcept { settle(entry.user_data, error); });
    for (; left != 0 && backlog_.size() != 0; --left) settle(parts::entry(backlog_.take()).user_data, error);
    backlog_.set_refusing(was_refusing);
    answering_ = was_answering;
    if (depth() == 0) urgent_ = false;
  }

  void settle(std::uint64_t user_data, std::int32_t result) noexcept {
    in_flight_.add(1);
    hand_out({.user_data = user_data, .result = result, .flags = 0});
  }

  // Hands out, and hands over what answers have queued as urgent: not what was refused just before.
  [[gnu::always_inline]] std::size_t finish() noexcept {
    const bool was_refused = urgent_;
    const std::size_t count = reap();
    if (urgent_ && !was_refused) flush(enter_reason::urgent);
    return count;
  }

  [[gnu::always_inline]] std::size_t reap() noexcept {
    answering_ = true;
    const std::size_t count = ring_.reap([this](const ring_completion& c) noexcept { hand_out_new(c); });
    answering_ = false;
    if (std::exchange(entered_, false) || count != 0) {
      policy_.reaped({.count = static_cast<std::uint32_t>(count), .in_flight = in_flight(), .now = now_});
      recorder_.looked_at(policy_);
    }
    return count;
  }

  [[gnu::always_inline]] void hand_out_new(const ring_completion& completion) noexcept {
    recorder_.answered();
    hand_out(completion);
  }

  // The ring is in the middle of handing out: a reap inside it would hand out the same once more.
  void expect_no_answer() const noexcept {
    PINION_ASSERT(!answering_, "turn(), park() or stop() was called from an answer: call it from the loop");
  }

  [[gnu::always_inline]] void hand_out(const ring_completion& completion) noexcept {
    if (mark_of(completion.user_data) != operation::mark) [[unlikely]] {
      hand_out_apart(completion);
      return;
    }
    auto& done = static_cast<operation&>(answer_of(completion.user_data));
    if ((completion.flags & ring_completion::more) == 0) [[likely]] {
      in_flight_.remove_one();
      parts::waiting(done) = false;
    }
    if constexpr (latency_policy<Policy>) policy_.completed(now_ - parts::queued(done));
    done.answered(done, completion.result);
  }

  // What is no operation's: a port's, or a message.
  [[gnu::noinline]] void hand_out_apart(ring_completion completion) noexcept {
    if (mark_of(completion.user_data) > operation::mark) {
      if (told_) told_(completion);
      return;
    }
    if ((completion.flags & ring_completion::more) == 0) in_flight_.remove_one();
    answer_of(completion.user_data).answered(answer_of(completion.user_data), completion.result);
  }

  Ring ring_;
  [[no_unique_address]] Policy policy_;
  [[no_unique_address]] Clock clock_;
  [[no_unique_address]] submission_detail::submission_recorder recorder_;
  instant now_;
  instant oldest_;
  submission_detail::flight_count in_flight_;
  submission_detail::operation_backlog backlog_;
  bool urgent_ = false;
  bool entered_ = false;
  bool answering_ = false;
  std::int32_t reported_ = 0;  // the lasting error that was reported, until an enter succeeds
  callback<const ring_completion&> told_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
