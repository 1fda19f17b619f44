// SPDX-License-Identifier: Apache-2.0
//
// turn: timers, a channel, tasks and slices in an io_context that somebody else runs.
//
//   boost::asio::io_context context{1};
//   pinion::asio::timer_queue<> timers;
//   waker::default_channel channel;
//   pinion::asio::run_queue tasks;
//   pinion::asio::turn loop{context, timers, channel, tasks};  // scheduler::absent for what there is not
//
//   context.run();
//
// An io_context has no place for a loop of ours, so rounds of scheduler::turn are handlers of its. One comes
// when a timer is due, when something was pushed into the channel, when a task was made ready, and, behind
// the handlers that are ready, as long as there is more to do. All timers share one of the host's timers, all
// wakes one wait for a descriptor; a timer that is armed for an earlier time takes effect before the context
// waits.
//
// How long the context runs. As long as a timer is armed or a task is ready; and as long as there is an open
// channel, since another thread may push at any time: close() ends that. So a context whose last timer was
// cancelled, or whose object with the last timer was destroyed, ends at once. A context that has ended and is
// restarted goes on where it was.
//
// What a callback or a task throws comes out of run(). The others stay, and the next run() goes on with them.
//
// Bounded, as scheduler::turn is: a round drains what was there, fires at most `timers_a_turn`, and runs each
// task that is ready once. Between two rounds each handler runs that was ready, and sockets are looked at; so
// neither starves the other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <pinion/asio/detail/rounds.hpp>
#include <pinion/asio/run_queue.hpp>
#include <pinion/asio/timers.hpp>
#include <pinion/base/callback.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/scheduler/turn.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/wake_event.hpp>
#include <type_traits>

namespace pinion::asio::inline PINION_MODE {

namespace turn_detail {

/// As which scheduler::turn sees the context: something that watches a notifier's descriptor, and waits by
/// itself.
class context_watch {
 public:
  explicit context_watch(rounds& by) noexcept : rounds_(by) {}

  static expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&> /*told*/) {
    return std::uint8_t{2};
  }
  static void remove_sink(std::uint8_t /*mark*/) noexcept {}
  bool watch(const ring_entry& entry) noexcept {
    try {
      rounds_.listen(entry.descriptor);
    } catch (...) {
      failed_ = std::current_exception();
    }
    return true;
  }
  bool unwatch(std::uint64_t /*user_data*/) noexcept {
    rounds_.ignore();
    return true;
  }

  void expect_watched() const {
    try {
      if (failed_ != nullptr) std::rethrow_exception(failed_);
    } catch (const boost::system::system_error& failed) {
      throw_refusal({.code = failed.code(),
                     .asked = "a turn in an io_context, with a channel",
                     .reason = "the context can't watch the channel's descriptor: " + failed.code().message(),
                     .remedy = "most likely the user watches as many as allowed: raise the limit (sysctl "
                               "fs.epoll.max_user_watches)"});
    }
  }

 private:
  rounds& rounds_;
  std::exception_ptr failed_;
};

template <class T>
inline constexpr bool is_absent = std::same_as<std::remove_const_t<T>, scheduler::nothing>;
template <class Timers>
concept asks_for_rounds = requires(Timers& timers) {
  { timers.backend() } -> std::convertible_to<served&>;
};
template <class Channel>
concept signals_by_descriptor = requires(const typename Channel::notifier_type& bell) {
  requires waker::waiting_notifier<typename Channel::notifier_type>;
  { bell.descriptor() } noexcept -> std::same_as<int>;
};

}  // namespace turn_detail

/// Of one context, and of the one thread that runs it; all calls are made there. A checked build stops where
/// another one runs it.
template <class Timers = scheduler::nothing, class Channel = scheduler::nothing,
          class Tasks = scheduler::nothing, class Slices = scheduler::nothing>
class turn {
  static constexpr bool has_timers = !turn_detail::is_absent<Timers>;
  static constexpr bool has_channel = !turn_detail::is_absent<Channel>;
  static constexpr bool has_tasks = !turn_detail::is_absent<Tasks>;
  static constexpr bool has_slices = !turn_detail::is_absent<Slices>;
  static_assert(!has_timers || turn_detail::asks_for_rounds<Timers>,
                "these timers don't tell an io_context when they are armed: take pinion::asio::timer_queue");
  static_assert(!has_channel || turn_detail::signals_by_descriptor<Channel>,
                "an io_context can't hear this channel's notifier: take eventfd_notifier");
  static_assert(!has_tasks || std::derived_from<Tasks, run_queue>,
                "these tasks don't tell an io_context when they are ready: take pinion::asio::run_queue, or "
                "derive from it");

 public:
  /// Of these, which outlive it, as the context does; `scheduler::absent` for what there is none of. Throws a
  /// refusal (std::system_error) where another turn has them, an option is out of range, or the context can't
  /// watch the channel.
  explicit turn(boost::asio::io_context& context, Timers& timers = scheduler::absent,
                Channel& channel = scheduler::absent, Tasks& tasks = scheduler::absent,
                Slices& slices = scheduler::absent, const scheduler::turn_options& options = {})
      : timers_(timers), channel_(channel), tasks_(tasks), slices_(slices),
        rounds_(std::make_shared<turn_detail::rounds>(
            context, [](void* self) { static_cast<turn*>(self)->round(); }, this)),
        watch_(*rounds_), turn_(timers, channel, watch_, slices, options),
        serves_timers_(served_of(timers), *rounds_), serves_tasks_(served_of(tasks), *rounds_) {
    watch_.expect_watched();
    rounds_->ask();
  }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
  /// The context is asked for nothing any more. Not from a callback or a task.
  ~turn() { rounds_->end(); }

  /// Closes the channel: hands out what was pushed last, and later pushes are told `closed`. The context does
  /// not wait for it any more. From anywhere on its thread, a task or a callback among them. Slots are
  /// requested before: a wait for a wake that is cancelled later goes on when something else brings a round.
  void close()
    requires(has_channel)
  {
    rounds_->ignore();
    rounds_->ask();  // for what a callback that throws leaves
    channel_.close(waker::call_wakes);
  }

  /// What its rounds did so far.
  [[nodiscard]] const scheduler::turn_statistics& statistics() const noexcept { return turn_.statistics(); }

 private:
  template <class What>
  static turn_detail::served* served_of([[maybe_unused]] What& what) noexcept {
    if constexpr (requires { what.backend(); })
      return &what.backend();
    else if constexpr (std::derived_from<What, turn_detail::served>)
      return &what;
    else
      return nullptr;
  }

  struct at_rest {
    Slices& slices;
    ~at_rest() {
      if constexpr (has_slices) slices.rest();
    }
  };

  void round() {
    turn_detail::rounds::lasting here{*rounds_};
    const at_rest rests{slices_};  // other handlers run until the next round, and are no slice
    turn_.woke();
    // What was there, what came meanwhile, and a look that finds nothing: most often that is all, in one
    // handler.
    instant until = prepare();
    for (int looks = 1; looks < 3 && until == instant{} && !has_ready(); ++looks) until = prepare();
    if (until != instant{}) here.settle(until, now());
  }
  [[nodiscard]] instant prepare() {
    if constexpr (has_tasks)
      return turn_.prepare(tasks_);
    else
      return turn_.prepare();
  }
  [[nodiscard]] bool has_ready() const noexcept {
    if constexpr (has_tasks)
      return tasks_.has_ready();
    else
      return false;
  }
  [[nodiscard]] instant now() const noexcept {
    if constexpr (has_timers)
      return timers_.now();
    else
      return {};
  }

  Timers& timers_;
  Channel& channel_;
  Tasks& tasks_;
  Slices& slices_;
  std::shared_ptr<turn_detail::rounds> rounds_;
  turn_detail::context_watch watch_;
  scheduler::turn<Timers, Channel, turn_detail::context_watch, Slices> turn_;
  turn_detail::serving serves_timers_, serves_tasks_;
};

}  // namespace pinion::asio::inline PINION_MODE
