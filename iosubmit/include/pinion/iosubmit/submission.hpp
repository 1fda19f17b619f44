// SPDX-License-Identifier: Apache-2.0
//
// submission: a ring and a policy, joined so that nothing is stranded and nothing entered in vain.
//
// The owner queues operations at any time. At the end of each turn it calls turn(), while there is more to
// run, or park(), when there is not. Between the two calls the policy decides; at park() everything goes (law
// S1), in the same system call that waits (S2).
//
//   submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
//   io.queue(read_block);                         // an operation; answered from inside turn() or park()
//   io.queue_urgent(reply);                       // goes with the end of this turn, whatever the policy says
//   while (!is_over()) {
//     run_what_is_ready();
//     has_more() ? io.turn(monotonic_clock::now()) : io.park(next_deadline);
//   }
//
// A queue that is full is entered; what the kernel then refuses waits in a list through the operations
// themselves, so queue() accepts whatever the load. Answers are called on the owner's thread, from turn(),
// park() and stop() alone (S6), and may queue; those three are the loop's.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/callback.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/detail/completion_sinks.hpp>
#include <pinion/iosubmit/detail/errors.hpp>
#include <pinion/iosubmit/detail/handover.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <thread>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

/// Over any policy, any ring, and any clock with a now(): park() reads it, once after a wait, and once before
/// one that has an end.
template <submit_policy Policy, ring Ring, class Clock = monotonic_clock>
class submission : submission_detail::handover<Policy, Ring> {
  using base = submission_detail::handover<Policy, Ring>;

 public:
  using base::depth, base::in_flight, base::retry_after;

  /// What is queued is handed over by the first turn() that ends so long after it was queued, whatever the
  /// policy says, so that an owner that never parks starves none.
  static constexpr duration patience{10'000'000};

  /// Over that ring, which it owns from here on.
  explicit submission(Ring ring, Policy policy = Policy{}, Clock clock = Clock{}) noexcept
      : base(std::move(ring), std::move(policy)), clock_(std::move(clock)) {
    now_ = clock_.now();
  }
  submission(const submission&) = delete;
  submission& operator=(const submission&) = delete;
  /// Calls stop(), and once more if answers queued meanwhile. What is queued even then is let go: it is
  /// reported, not answered, and may be destroyed.
  ~submission() {
    stop();
    if (backlog_.size() != 0) stop();
    if (backlog_.size() != 0) let_go();
  }

  /// Asks for an operation, which stays where it is until it is answered. Enters if the policy says so, or
  /// there is no room. Where the kernel refuses for good, all that is queued is answered with the error by
  /// the next turn(), park() or stop(), and nothing is entered before.
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
  /// The same, for an operation that is handed over at the end of this turn, whatever the policy says: also
  /// where an answer queues it, inside turn() or park(). One that the kernel refuses stays urgent.
  void queue_urgent(operation& what) noexcept {
    begin(what);
    accept(what);
    urgent_ = true;
  }
  /// As a port (ring.hpp): an entry with an answer of its own, which is urgent (S9). False: there is no room,
  /// also after an enter; or the kernel has refused what was queued before, and that is not answered yet; or
  /// the owner stops.
  bool queue(ring_entry entry, ring_answer& answer) noexcept {
    entry.user_data = user_data_of(answer, 0);
    if (!put_entry(entry)) return false;
    urgent_ = true;
    return true;
  }
  /// An entry that is answered to a sink, once or many times: its user_data is below 2^48 and has the sink's
  /// mark. False as above.
  bool watch(ring_entry entry) noexcept {
    const std::uint8_t mark = mark_of(entry.user_data);
    PINION_ASSERT(
        mark > operation::mark && (entry.user_data & entries_detail::tag_bits) == 0,
        "a watch's user_data needs a mark of 2 or more, and its upper 16 bits clear: others are answers");
    if (mark <= operation::mark || !put_entry(sinks_.named(entry))) return false;
    sinks_.began(mark);
    in_flight_.leave_out_watch();
    if (says_enter()) flush(enter_reason::policy);
    return true;
  }
  /// Stops the watch with that user_data: it is answered for the last time, with -ECANCELED, and this to the
  /// same sink with 0; with -ENOENT where there is none, with -EALREADY where it ends by itself. False as
  /// above.
  bool unwatch(std::uint64_t user_data) noexcept { return watch(entries::cancel_watch(user_data)); }
  /// Has `told` called for completions with a mark of 2 to 7, which it gives: those of entries that watch()
  /// queued, and of messages from other rings (entries::msg_ring). Or says why no mark is left. A completion
  /// whose mark has no sink is dropped.
  [[nodiscard]] expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&> told) {
    return sinks_.add(told);
  }
  /// That one is told no more, also by watches that have not ended: unwatch() them before, since the mark may
  /// be given again from here on. A message may still be on its way, and would be told to the next one: where
  /// it matters, tell one by the rest of its user_data.
  void remove_sink(std::uint8_t mark) noexcept { sinks_.remove(mark); }

  /// Registers something with the kernel's ring, or takes it back (kernel::registration): what the kernel
  /// answers, or -EOPNOTSUPP over a ring that registers nothing. It hands over nothing and fetches nothing.
  std::int32_t enlist(std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    if constexpr (requires { ring_.enlist(what, argument, count); })
      return ring_.enlist(what, argument, count);
    else
      return -EOPNOTSUPP;
  }

  /// Hands over what is queued, now, and fetches nothing: what the ring keeps back stays there, and no answer
  /// is called. For what needs its entry to be the kernel's before the turn goes on, such as preempt's
  /// uring_source. A ring that has refused for good is tried again by turn() and park() alone.
  void submit() noexcept {
    if (depth() != 0 && !backlog_.is_shut() && !is_refused())
      flush_rest({.fetches = false}, enter_reason::submit);
  }

  /// Whether the next turn() would hand something out, as far as the ring can tell without a system call: for
  /// an owner that looks for a while before it parks. Over epoll, which tells nothing unasked, that is what
  /// the last enter has left.
  [[nodiscard]] bool has_answers() const noexcept {
    if (ring_.has_completions() || backlog_.is_shut()) return true;
    if constexpr (requires(const Ring& of) { of.descriptor(); })
      return ring_.descriptor() >= 0 && ring_.wants_enter();
    else
      return false;
  }

  /// The end of a turn that leaves something to run: enters if the policy, an urgent operation or the kernel
  /// wants it, and hands out what is there. Never waits. How many were handed out.
  std::size_t turn(instant now) noexcept {
    expect_no_answer();
    now_ = now;
    if (ring_.wants_enter())
      flush(enter_reason::kernel);
    else if (depth() != 0 && urgent_)
      flush(enter_reason::urgent);
    else if (depth() != 0 && (now_ - oldest_ >= patience || says_enter(true)))
      flush(enter_reason::policy);
    return finish();
  }

  /// The end of a turn that leaves nothing to run: hands over all that is queued, waits for as many as the
  /// policy says, at most until then, whenever the turn began (S7), and hands out what is there. It may
  /// return early, with nothing. Afterwards now() is fresh. With a time that has been, such as now(), it does
  /// not wait. `woke` is called, once, when the wait is over and no answer has been.
  std::size_t park(instant until) noexcept {
    return park(until, []() noexcept {});
  }
  template <class Woke>
  std::size_t park(instant until, Woke&& woke) noexcept {
    expect_no_answer();
    if (ring_.has_completions()) [[unlikely]]
      until = instant{};
    if (until != never) now_ = clock_.now();
    ring_wait wait{};
    if (now_ < until) {
      const park_wait asked = policy_.about_to_park(state());
      const duration timeout = until == never ? forever : until - now_;
      wait = {.count = asked.count < 2 ? 1 : std::min(asked.count, answers_to_come()),
              .gather = std::min(asked.gather, timeout),
              .timeout = timeout};
    }
    if (wait.count != 0) {
      if (!flush_and_wait(wait, enter_reason::park)) [[unlikely]]
        is_refused() ? sleep(wait.timeout) : wait_to_retry(wait.timeout);
      now_ = clock_.now();
    } else if (depth() != 0 || ring_.wants_enter()) {
      flush(enter_reason::park);
    }
    woke();
    return finish();
  }

  /// Answers all that was queued or in flight when it was called, once: what is queued with -ECANCELED, what
  /// is in flight when the kernel lets go of it, as it is asked to (before Linux 5.19 it can't be, and this
  /// waits for as long as they take: cancel each before). Watches end, too, and their sinks are told. What
  /// answers queue meanwhile is kept, and answered with -ECANCELED by the next turn(), park() or stop(); so
  /// an answer that asks again whatever its result can't keep this from ending. What is queued afterwards
  /// goes its usual way. What is in flight in a ring that refuses this enter for good stays unanswered.
  [[gnu::cold]] void stop() noexcept {
    expect_no_answer();
    backlog_.set_shut(true);
    const std::uint32_t cancelled = backlog_.size() - refused_;
    answer_queued(std::exchange(refusal_, -ECANCELED), std::exchange(refused_, 0));
    answer_queued(-ECANCELED, cancelled);
    in_flight_.begin_to_stop();
    for (bool ring_works = true; ring_works && !in_flight_.is_over();) {
      ring_.put(in_flight_.cancel_of_all());
      // Until another one is there beside the answer to this, or it would go round and round over what can't
      // be cancelled.
      const ring_entered done =
          enter({.count = 2, .gather = retry_after, .timeout = retry_after}, enter_reason::stop);
      count_taken(done.accepted);
      ring_works = passes(done);
      if (ring_works && ring_.pending() != 0 && !ring_.has_completions()) passes(wait_for_one(retry_after));
      answer_queued(-ECANCELED, 0);
      // What overflowed a completion queue of one comes one by one: each before the next cancel, which is
      // answered behind it.
      while (reap() != 0 && !in_flight_.is_over() && ring_.wants_enter()) fetch();
    }
    urgent_ = false;
    if (depth() == 0)
      backlog_.set_shut(false);
    else
      refuse(-ECANCELED);
  }

  /// The time as of the last turn(), or of the end of the last wait.
  [[nodiscard]] instant now() const noexcept { return now_; }
  /// The policy, to be looked at, or tuned; and the ring, to be looked at: what enters it goes through here,
  /// and is counted (S8).
  [[nodiscard]] Policy& policy() noexcept { return policy_; }
  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }
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
  /// Makes the calling thread the ring's owner before the first enter does: is_owner() is true from here on,
  /// and a port serves from the first turn. Again, or over a ring that nobody owns, it does nothing. False:
  /// the kernel refuses, which is reported, and the first enter will meet it.
  bool own() noexcept {
    if constexpr (requires { ring_.own(); }) return passes({.error = ring_.own()});
    return true;
  }
  [[nodiscard]] bool is_owner() const noexcept
    requires requires(const Ring& of) { of.is_owner(); }
  {
    return ring_.is_owner();
  }

 private:
  using base::accept, base::asks, base::count_taken, base::enter, base::answers_to_come, base::fetch,
      base::refuse, base::flush, base::flush_and_wait, base::flush_rest, base::is_refused, base::passes,
      base::put_entry, base::refill, base::says_enter, base::state, base::wait_for_one, base::wait_to_retry;
  using base::backlog_, base::entered_, base::in_flight_, base::now_, base::oldest_, base::policy_,
      base::recorder_, base::refusal_, base::refused_, base::ring_, base::urgent_;
  using typename base::parts;

  void begin(operation& what) noexcept {
    PINION_ASSERT(!parts::waiting(what),
                  "an operation was queued that is queued or in flight already: wait for its answer");
    parts::waiting(what) = true;
    parts::queued(what) = now_;
  }

  // In place of a ring that refuses to wait: an owner with nothing to run, and one whose answers ask again,
  // would spin. Other clocks than the machine's go on by themselves.
  [[gnu::cold, gnu::noinline]] static void sleep(duration at_most) noexcept {
    if constexpr (std::same_as<Clock, monotonic_clock>)
      std::this_thread::sleep_for(std::chrono::nanoseconds{std::min(retry_after, at_most).ns});
  }

  [[gnu::cold]] void queue_held_up(operation& what) noexcept {
    accept(what);
    if (says_enter()) flush(enter_reason::policy);
  }

  [[gnu::cold]] std::size_t answer_refused() noexcept {
    const std::size_t count = answer_queued(std::exchange(refusal_, -ECANCELED), std::exchange(refused_, 0));
    backlog_.set_shut(false);
    oldest_ = now_;
    refill();
    return count;
  }

  // Answers what the ring holds, and so many of the list, oldest first; how many. The list is shut: what the
  // answers queue is not among them.
  std::size_t answer_queued(std::int32_t error, std::uint32_t listed) noexcept {
    if constexpr (is_checked) answering_ = true;
    const std::size_t count =
        listed + ring_.withdraw([&](const ring_entry& entry) noexcept { settle(entry.user_data, error); });
    for (; listed != 0; --listed) settle(parts::entry(backlog_.take()).user_data, error);
    if constexpr (is_checked) answering_ = false;
    if (depth() == 0) urgent_ = false;
    return count;
  }

  [[gnu::cold]] void let_go() noexcept {
    errors::complain_of_let_go(backlog_.size());
    while (backlog_.size() != 0) parts::waiting(backlog_.take()) = false;
  }

  void settle(std::uint64_t user_data, std::int32_t result) noexcept {
    in_flight_.add(1);
    hand_out({.user_data = user_data, .result = result, .flags = 0});
  }

  // Hands out, and hands over what answers have queued as urgent: not what was refused just before.
  [[gnu::always_inline]] std::size_t finish() noexcept {
    if (urgent_) [[unlikely]]
      return finish_refused();
    const std::size_t count = reap();
    if (urgent_) [[unlikely]]
      flush(enter_reason::urgent);
    return count;
  }

  [[gnu::cold, gnu::noinline]] std::size_t finish_refused() noexcept {
    const std::size_t refused = backlog_.is_shut() ? answer_refused() : 0;
    return refused + reap();
  }

  [[gnu::always_inline]] std::size_t reap() noexcept {
    if constexpr (is_checked) answering_ = true;
    const std::size_t count = ring_.reap([this](const ring_completion& c) noexcept { hand_out_new(c); });
    if constexpr (is_checked) answering_ = false;
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
    if (!names_answer(completion.user_data, operation::mark)) [[unlikely]] {
      hand_out_apart(completion);
      return;
    }
    auto& done = static_cast<operation&>(answer_of(completion.user_data));
    bool is_last = completion.flags == 0;
    if (!is_last) [[unlikely]] {
      parts::flags(done) = completion.flags;
      is_last = (completion.flags & ring_completion::more) == 0;
    }
    if (is_last) [[likely]] {
      in_flight_.remove_one();
      parts::waiting(done) = false;
      if constexpr (latency_policy<Policy>) policy_.completed(now_ - parts::queued(done));
    }
    done.answered(done, completion.result);
  }

  // What is no operation's: a port's, a sink's, or nobody's.
  [[gnu::noinline]] void hand_out_apart(ring_completion completion) noexcept {
    if (mark_of(completion.user_data) > operation::mark) {
      if (!sinks_.tell(completion)) recorder_.dropped();
      return;
    }
    if (!names_answer(completion.user_data, 0)) {
      recorder_.dropped();
      return errors::complain_of_stranger(completion.user_data);
    }
    if ((completion.flags & ring_completion::more) == 0) in_flight_.remove_one();
    answer_of(completion.user_data).answered(answer_of(completion.user_data), completion.result);
  }

  [[no_unique_address]] Clock clock_;
  bool answering_ = false;  // kept in checked builds
  submission_detail::completion_sinks sinks_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
