// SPDX-License-Identifier: Apache-2.0
//
// turn: one round of an owner's loop, made of timers, a channel, I/O and slices, each of which may be absent.
//
//   turn loop{timers, channel, io};
//   while (!done) loop(tasks);                        // tasks: anything with has_ready() and run()
//
// What one round does, and in which order:
//
//   drain the channel -> poll the timers -> run what is ready, in a slice
//     -> hand over what is to go, and fetch what has come
//
// A round in which nothing was drained, fired or run waits: the channel is armed, and what is to go is handed
// over in the same call that waits for I/O, for wakes and until the next timer. So whatever a round did, its
// owner looks at `done` before the loop sleeps. What has come is handed out when the channel is disarmed
// again: an answer that pushes into it signals nobody. Where nothing is ready no slice begins, so an idle
// loop has no timer of slices running (law Y4).
//
// An idle round is one system call, a busy one with nothing to hand over none (over epoll: one), and a wake
// or a timer tick one (law C6). The channel is attached to the I/O when the turn is made; nothing is to be
// watched, recognised or consumed by hand.
//
// What each may be:
//
//   timers    a timer_queue that calls, or anything with run(budget) and next_wakeup()
//   channel   a wake_channel whose nodes are wake_calls
//   io        a submission; an epoll_set, for a loop that waits in epoll itself; anything with turn(now) and
//             park(until)
//   slices    a preempt::slicer: `run` is a slice of it, and its tasks' word is the slicer's
//   absent    none of it
//
// Without I/O a turn waits in the channel's notifier, without that on the clock. Over an epoll_set the loop
// waits by itself, between prepare() and woke():
//
//   const instant until = loop.prepare(tasks);
//
//   const int count = epoll_wait(epoll, events, room, poll_timeout(until));
//   loop.woke();
//
// With turn_options::spin a round that would wait looks for a while before: whether a push, or without a
// system call an answer, has come. What is queued is handed over before it looks.
//
// Bounded. A drain takes what was there when it began, a poll at most `timers_a_turn`, I/O what has been
// completed when it is fetched, run() a slice. Wakes, timers and completions are looked at in each round;
// over epoll completions not in the one behind a wait, which has just looked. When an operation that is
// queued leaves is the policy's to say, at the latest submission's `patience` after it was queued.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/preempt/slicer.hpp>
#include <pinion/waker/attachment.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/spin_budget.hpp>
#include <pinion/waker/spinner.hpp>
#include <pinion/waker/wake_event.hpp>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// In place of what a turn does without.
struct nothing {};
inline nothing absent;

/// Who makes its slices itself, one for each of its queues: run() is told what a slice needs to know, and
/// says when the last one ended; rest() comes before a wait.
template <class Tasks>
concept slicing_runner = requires(Tasks& tasks, const preempt::slice_state& state) {
  { tasks.run(state) } -> std::same_as<instant>;
  tasks.rest();
};

/// Who runs tasks: a slice of them at most in each run(), and each that was ready when it began before one
/// that became so meanwhile. What it throws, the round throws.
template <class Tasks>
concept task_runner = requires(Tasks& tasks) {
  { tasks.has_ready() } -> std::convertible_to<bool>;
} && (slicing_runner<Tasks> || requires(Tasks& tasks) { tasks.run(); });

/// Two functions as such a runner.
template <class HasReady, class Run>
struct running {
  HasReady has_ready;
  Run run;
};
template <class HasReady, class Run>
running(HasReady, Run) -> running<HasReady, Run>;

/// The knobs of a turn.
struct turn_options {
  std::size_t timers_a_turn = 256;  ///< entries of the timer store that one poll looks at, at most; 1 or more
  duration quantum{1'000'000};      ///< how long run() may take, where there are slices: 10 us to 10 s
  /// How long a round looks for wakes and answers before it waits, at most: not at all.
  waker::spin_options spin{.most = duration{0}};
};

/// What turns did; in a build with PINION_STATISTICS=ON, else all 0.
struct turn_statistics {
  std::uint64_t turns = 0;
  std::uint64_t waits = 0;    ///< so many ended in a wait
  std::uint64_t drained = 0;  ///< wakes
  std::uint64_t fired = 0;    ///< timers
  friend constexpr bool operator==(const turn_statistics&, const turn_statistics&) noexcept = default;
};

namespace turn_detail {
[[noreturn]] inline void refuse_no_timers() {
  throw_refusal({.code = std::make_error_code(std::errc::invalid_argument),
                 .asked = "a turn whose polls look at 0 timers",
                 .reason = "no timer would ever fire, and the loop would never sleep on one that is due",
                 .remedy = "give timers_a_turn 1 or more; 256 is usual"});
}

template <class Io>
concept waits_by_itself = requires(Io& io, instant at) {
  io.park(at, [] {});
  io.turn(at);
};
template <class Channel>
concept waits_in_notifier = requires { requires waker::waiting_notifier<typename Channel::notifier_type>; };
template <class T>
inline constexpr bool is_absent = std::same_as<std::remove_const_t<T>, nothing>;
template <class Channel, class Io>
concept can_be_attached = waker::attachable_notifier<typename Channel::notifier_type, Io>;
}  // namespace turn_detail

/// One owner's: all its rounds are called by one thread.
template <class Timers = nothing, class Channel = nothing, class Io = nothing, class Slices = nothing,
          class Clock = monotonic_clock>
class turn {
  static constexpr bool has_timers = !turn_detail::is_absent<Timers>;
  static constexpr bool has_channel = !turn_detail::is_absent<Channel>;
  static constexpr bool has_io = !turn_detail::is_absent<Io>;
  static constexpr bool has_slices = !turn_detail::is_absent<Slices>;
  static constexpr bool waits_in_io = turn_detail::waits_by_itself<Io>;
  static constexpr const char* nothing_ends_it =
      "a turn has nothing to wait for: no timer is armed, and no open channel or I/O can end a wait";
  static_assert(!has_channel || has_io || turn_detail::waits_in_notifier<Channel>,
                "without I/O a turn waits in the channel's notifier, and this one has no wait(): take "
                "eventfd_notifier or futex_notifier, or give the turn its I/O");
  static_assert(
      !has_channel || !has_io || turn_detail::can_be_attached<Channel, Io>,
      "the channel's notifier can't end a wait of this I/O: take eventfd_notifier or msg_ring_notifier");

 public:
  /// Of these, which outlive it; `absent` for what there is none of. Attaches the channel to the I/O, and
  /// makes the calling thread the I/O's owner. Throws a refusal (std::system_error) where the channel can't
  /// be attached, or is to another loop, or an option is out of range.
  explicit turn(Timers& timers, Channel& channel = absent, Io& io = absent, Slices& slices = absent,
                const turn_options& options = {}, Clock clock = {})
      : timers_(timers), channel_(channel), io_(io), slices_(slices), options_(options),
        clock_(std::move(clock)), spin_(channel, io, options.spin, clock_), attached_(channel, io) {
    if (options.timers_a_turn == 0) turn_detail::refuse_no_timers();
    if constexpr (has_slices) {
      const auto added = slices_.add({.quantum = options_.quantum});
      if (!added) throw_refusal(added.error());
      queue_ = *added;
    }
    if constexpr (requires { io_.own(); }) {
      io_.own();
      expect_owner();
    }
  }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
  /// The channel is attached to nothing any more.
  ~turn() {
    if constexpr (has_slices) slices_.remove(queue_);
  }

  /// One round. What a task or a callback throws passes through when the I/O has been served, and the next
  /// round goes on.
  template <task_runner Tasks>
  void operator()(Tasks&& tasks)
    requires(waits_in_io || !has_io)
  {
    instant until{};
    try {
      until = prepare(tasks);
    } catch (...) {
      wait({}, true);
      throw;
    }
    wait(until, tasks.has_ready());
  }
  /// The same where there are no tasks, only callbacks.
  void operator()()
    requires(waits_in_io || !has_io)
  {
    (*this)(no_tasks{});
  }

  /// For a loop that waits by itself: the round up to its wait. Until when it may wait: a time that has been,
  /// if it may not. Between this and woke() nothing but the wait.
  template <task_runner Tasks>
  [[nodiscard]] instant prepare(Tasks&& tasks) {
    PINION_ASSERT(!is_inside_, "a turn was begun inside a turn: return to the loop first");
    expect_owner();
    const entered inside{is_inside_};
    ran_until_ = instant{};
    if constexpr (is_counted) ++statistics_.turns;
    bool did_something = false;
    if constexpr (has_channel) {
      const std::size_t drained = channel_.drain(waker::call_wakes);
      count(statistics_.drained, drained);
      did_something = drained != 0;
    }
    bool more_timers = false;
    if constexpr (has_timers) {
      const auto polled = timers_.run(options_.timers_a_turn);
      more_timers = polled.more;
      count(statistics_.fired, polled.fired);
      did_something = did_something || more_timers || polled.fired != 0;
    }
    if (tasks.has_ready()) {
      run_slice(tasks, more_timers);
      did_something = true;
    }
    if (did_something || !attached_.renew()) return instant{};
    const instant until = next_timer();
    if constexpr (has_slices) slices_.rest();
    if constexpr (slicing_runner<std::remove_reference_t<Tasks>>) tasks.rest();
    if (options_.spin.most != duration{0} && spin_(clock_.now(), until)) return instant{};
    if constexpr (has_channel) {
      is_armed_ = channel_.try_arm();
      // Nothing is pushed into a closed channel, so the others alone end the wait.
      if (!is_armed_ && !channel_.is_closed()) return instant{};
    }
    if constexpr (is_counted) ++statistics_.waits;
    return until;
  }
  [[nodiscard]] instant prepare() { return prepare(no_tasks{}); }
  /// After the wait.
  void woke() noexcept {
    spin_.slept();
    if constexpr (has_channel) {
      if (std::exchange(is_armed_, false)) channel_.disarm();
    }
  }

  /// Ends, in the one order that loses nothing: requests the slot that the tasks wait under; turns until
  /// nothing is left to run and is_over(); stops the I/O, so that what was asked without a slot is answered;
  /// closes the channel, which hands out what was pushed last; and runs who was made ready by that. Pushes
  /// are told `closed` from then on.
  template <task_runner Tasks, class IsOver>
  void end(cancel_slot& all, Tasks&& tasks, IsOver&& is_over)
    requires(waits_in_io || !has_io)
  {
    all.request();
    while (tasks.has_ready() || !is_over()) (*this)(tasks);
    if constexpr (requires { io_.stop(); }) io_.stop();
    if constexpr (has_channel) channel_.close(waker::call_wakes);
    while (tasks.has_ready()) (*this)(tasks);
  }

  /// What it did so far.
  [[nodiscard]] const turn_statistics& statistics() const noexcept { return statistics_; }
#if PINION_COUNTED
  /// How well spinning does. In a build with PINION_STATISTICS=ON.
  [[nodiscard]] const waker::spin_statistics& spins() const noexcept { return spin_.statistics(); }
#endif

 private:
  struct entered {
    bool& flag;
    explicit entered(bool& is_inside) noexcept : flag(is_inside) { flag = true; }
    entered(const entered&) = delete;
    entered& operator=(const entered&) = delete;
    ~entered() { flag = false; }
  };

  // The thread that made it owns the I/O, and without I/O that of the first round owns the rest.
  void expect_owner() noexcept {
    if constexpr (is_checked) {
      const std::thread::id here = std::this_thread::get_id();
      if (owner_ == std::thread::id{}) owner_ = here;
      PINION_ASSERT(owner_ == here,
                    "a turn was called from a foreign thread: let that one push into the channel instead");
    }
  }

  struct no_tasks {
    static constexpr bool has_ready() noexcept { return false; }
    static constexpr void run() noexcept {}
  };

  static void count(std::uint64_t& into, std::size_t number) noexcept {
    if constexpr (is_counted) into += number;
  }

  [[nodiscard]] instant next_timer() const noexcept {
    if constexpr (has_timers)
      return timers_.next_wakeup();
    else
      return never;
  }

  template <class Tasks>
  void run_slice(Tasks& tasks, bool has_timers_due) {
    const auto state = [&] {
      return preempt::slice_state{.now = clock_.now(),
                                  .others_ready = has_timers_due,
                                  .next_timer = next_timer(),
                                  .waits_for_others = has_channel || has_io};
    };
    if constexpr (slicing_runner<Tasks>) {
      ran_until_ = tasks.run(state());
    } else if constexpr (has_slices) {
      struct slice {
        turn& of;
        ~slice() {
          of.ran_until_ = of.clock_.now();
          of.slices_.end(of.ran_until_);
        }
      };
      slices_.begin(queue_, state());
      const slice ends{*this};
      tasks.run();
    } else {
      tasks.run();
    }
  }

  void wait(instant until, bool has_ready) {
    // A time that has been: nothing is armed, and there is more to do.
    const bool may_wait = until != instant{};
    if constexpr (waits_in_io) {
      if (may_wait)
        io_.park(until, [this]() noexcept { woke(); });
      else if (has_ready || !has_just_waited_ || asks_for_free() || has_queued())
        io_.turn(round_end());
      has_just_waited_ = may_wait;
    } else if constexpr (has_channel) {
      if (may_wait) {
        PINION_ASSERT(is_armed_ || until != never, nothing_ends_it);
        channel_.notifier().wait(until);
        woke();
      }
    } else {
      if (may_wait) sleep(until);
    }
  }
  // The time, which has just been read where a slice has ended.
  [[nodiscard]] instant round_end() noexcept { return ran_until_ == instant{} ? clock_.now() : ran_until_; }
  // What came has been fetched at the end of a wait. So over epoll, which tells nothing without being asked,
  // the round behind the wait asks only where tasks are still ready, or it has something to say: a call less
  // for each wake. An io_uring's flags are free.
  [[nodiscard]] bool asks_for_free() const noexcept {
    if constexpr (requires { io_.descriptor(); })
      return io_.descriptor() >= 0;
    else
      return false;
  }
  [[nodiscard]] bool has_queued() const noexcept {
    if constexpr (requires { io_.depth(); })
      return io_.depth() != 0;
    else
      return true;
  }
  void sleep(instant until) {
    PINION_ASSERT(until != never, nothing_ends_it);
    const instant now = clock_.now();
    if (now < until) std::this_thread::sleep_for(ceil_to<std::chrono::nanoseconds>(until - now));
  }

  Timers& timers_;
  Channel& channel_;
  Io& io_;
  Slices& slices_;
  turn_options options_;
  [[no_unique_address]] Clock clock_;
  waker::spinner<Channel, Io, Clock> spin_;
  waker::attachment_of<Channel, Io> attached_;
  preempt::slice_rule::queue queue_{};
  instant ran_until_;  // when this round's slice ended
  turn_statistics statistics_;
  std::thread::id owner_;  // kept in checked builds
  bool is_inside_ = false;
  bool is_armed_ = false;
  bool has_just_waited_ = false;
};

}  // namespace pinion::scheduler::inline PINION_MODE
