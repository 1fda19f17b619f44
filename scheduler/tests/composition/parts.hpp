// SPDX-License-Identifier: Apache-2.0
//
// any_timers, any_io, any_channel, any_slices, any_turn: the parts of a loop behind virtual calls, so that
// laws are compiled once and run on every composition of them and on every mutant.
//
// scheduler::turn is made of these types as it is of the parts themselves; so are wake_event, the awaitables
// of iosubmit and the attachments of notifiers. A part joins by a line in compositions.cpp; a mutant
// overrides a member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <utility>

#include "waits.hpp"
#include "world.hpp"

namespace pinion::scheduler::testing {

/// A timer_queue.
class any_timers {
 public:
  any_timers() = default;
  any_timers(const any_timers&) = delete;
  any_timers& operator=(const any_timers&) = delete;
  virtual ~any_timers() = default;

  virtual timer::poll_result run(std::size_t budget) = 0;
  [[nodiscard]] virtual instant next_wakeup() const noexcept = 0;
  [[nodiscard]] virtual duration lateness_bound(duration ahead) const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// timer::sleep_until(); without a slot where that is null.
  [[nodiscard]] virtual std::unique_ptr<any_wait> sleep_until(instant deadline, cancel_slot* slot) = 0;

  /// Polls so far that fired nothing, and moved or discarded entries: a wake-up that the store needed for
  /// itself.
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }

 protected:
  void count(const timer::poll_result& polled) noexcept {
    moves_ += polled.fired == 0 && polled.moved != 0 ? 1U : 0U;
  }

 private:
  std::uint64_t moves_ = 0;
};

/// A submission.
class any_io {
 public:
  any_io() = default;
  any_io(const any_io&) = delete;
  any_io& operator=(const any_io&) = delete;
  virtual ~any_io() = default;

  // As a turn's I/O.
  virtual std::size_t turn(instant now) noexcept = 0;
  virtual std::size_t park_until(instant until, const std::function<void()>& woke) noexcept = 0;
  template <class Woke>
  std::size_t park(instant until, Woke&& woke) noexcept {
    return park_until(until, std::ref(woke));
  }
  virtual bool own() noexcept = 0;
  virtual void stop() noexcept = 0;
  // As a queue of operations.
  virtual void queue(iosubmit::operation& what) noexcept = 0;
  virtual void queue_urgent(iosubmit::operation& what) noexcept = 0;
  virtual void submit() noexcept = 0;
  [[nodiscard]] virtual bool has_answers() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t depth() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t in_flight() const noexcept = 0;
  // As a port, and with whom others watch something.
  virtual bool queue(const ring_entry& entry, ring_answer& answer) noexcept = 0;
  [[nodiscard]] virtual expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&> told) = 0;
  virtual void remove_sink(std::uint8_t mark) noexcept = 0;
  virtual bool watch(const ring_entry& entry) noexcept = 0;
  virtual bool unwatch(std::uint64_t user_data) noexcept = 0;
  [[nodiscard]] virtual const world_ring& ring() const noexcept = 0;
  [[nodiscard]] int descriptor() const noexcept { return ring().descriptor(); }
  [[nodiscard]] bool is_owner() const noexcept { return ring().is_owner(); }

  /// iosubmit::awaiting() and awaiting_urgent(); without a slot where that is null.
  [[nodiscard]] virtual std::unique_ptr<any_wait> ask(const ring_entry& what, cancel_slot* slot,
                                                      bool is_urgent);
  /// iosubmit::sleep_for().
  [[nodiscard]] std::unique_ptr<any_wait> sleep_for(duration length, cancel_slot* slot);
};

static_assert(ring_port<any_io> && ring_watcher<any_io> && iosubmit::operation_queue<any_io> &&
              preempt::port_with_view<any_io>);

/// What attaching a notifier gives.
class any_attachment {
 public:
  struct held {
    held() = default;
    held(const held&) = delete;
    held& operator=(const held&) = delete;
    virtual ~held() = default;
    virtual bool renew() noexcept = 0;
  };
  explicit any_attachment(std::unique_ptr<held> what) noexcept : held_(std::move(what)) {}
  bool renew() noexcept { return held_->renew(); }

 private:
  std::unique_ptr<held> held_;
};

class any_notifier {
 public:
  any_notifier() = default;
  any_notifier(const any_notifier&) = delete;
  any_notifier& operator=(const any_notifier&) = delete;
  virtual ~any_notifier() = default;

  virtual bool signal() noexcept = 0;
  virtual bool consume() noexcept = 0;
  virtual bool wait(instant until) noexcept = 0;
  [[nodiscard]] virtual any_attachment attach(any_io& io) = 0;
};

static_assert(waker::attachable_notifier<any_notifier, any_io> && waker::waiting_notifier<any_notifier>);

/// A wake_channel whose nodes are wake_calls.
class any_channel {
 public:
  using notifier_type = any_notifier;
  /// As a sender: to be copied at will.
  class sender_type {
   public:
    explicit sender_type(any_channel& of) noexcept : of_(of) {}
    waker::push_result push(waker::wake_node& node) const noexcept { return of_.send(node); }
    waker::push_result push(waker::wake_node& node, any_io& port) const noexcept {
      return of_.send(node, port);
    }

   private:
    any_channel& of_;
  };

  any_channel() = default;
  any_channel(const any_channel&) = delete;
  any_channel& operator=(const any_channel&) = delete;
  virtual ~any_channel() = default;

  [[nodiscard]] sender_type sender() noexcept { return sender_type{*this}; }
  /// The owner itself, also where it is closed.
  virtual void push(waker::wake_node& node) noexcept = 0;
  template <class Sink>
  std::size_t drain(Sink&& /*call_wakes*/) {
    return drain_calls();
  }
  template <class Sink>
  std::size_t close(Sink&& /*call_wakes*/) {
    return close_calls();
  }
  [[nodiscard]] virtual bool try_arm() noexcept = 0;
  virtual bool disarm() noexcept = 0;
  [[nodiscard]] virtual bool has_wakes() const noexcept = 0;
  [[nodiscard]] virtual bool is_closed() const noexcept = 0;
  [[nodiscard]] virtual any_notifier& notifier() noexcept = 0;

 protected:
  virtual waker::push_result send(waker::wake_node& node) noexcept = 0;
  virtual waker::push_result send(waker::wake_node& node, any_io& port) noexcept = 0;
  virtual std::size_t drain_calls() = 0;
  virtual std::size_t close_calls() = 0;
};

/// What tasks are woken by.
using any_event = waker::wake_event<any_channel>;

/// A slicer.
class any_slices {
 public:
  using queue = preempt::slice_rule::queue;

  any_slices() = default;
  any_slices(const any_slices&) = delete;
  any_slices& operator=(const any_slices&) = delete;
  virtual ~any_slices() = default;

  [[nodiscard]] virtual expected<queue, refusal> add(const preempt::queue_terms& terms) = 0;
  virtual void remove(queue which) noexcept = 0;
  virtual void begin(queue which, const preempt::slice_state& state) noexcept = 0;
  virtual void end(instant now) noexcept = 0;
  virtual void rest() noexcept = 0;
  [[nodiscard]] virtual const preempt::word& word() const noexcept = 0;
  [[nodiscard]] virtual preempt::slice_log& log() noexcept = 0;
  /// Whether a slice that has begun is to end by itself: not any more, when all rests.
  [[nodiscard]] virtual bool is_armed() const noexcept = 0;
};

/// The tasks of one owner: small_executor's, a slice of them in each run().
class loop_executor : public small_executor {
 public:
  /// Their word and log are those of the slices; without any they are never told to stop.
  explicit loop_executor(any_slices* slices)
      : word_(slices != nullptr ? &slices->word() : &never_.word()),
        log_(slices != nullptr ? &slices->log() : &own_log_) {}

  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return *word_; }
  [[nodiscard]] preempt::slice_log& slices() noexcept { return *log_; }

  /// Each that was ready when it began, until the slice is over.
  void run() {
    is_in_run_ = true;
    resumed_ += has_ready() ? 1U : 0U;
    went_on_ = 0;
    run_queue::run([this] {
      if (word_->is_due()) return true;
      ++resumed_;
      went_on_ = 0;
      return false;
    });
    is_in_run_ = false;
  }
  [[nodiscard]] bool is_in_run() const noexcept { return is_in_run_; }
  /// Somebody goes on; false: in the same resume() as another one.
  [[nodiscard]] bool goes_on() noexcept { return ++went_on_ == 1; }
  /// How often it has resumed somebody.
  [[nodiscard]] std::size_t resumed() const noexcept { return resumed_; }

 private:
  preempt::never_due never_;
  preempt::slice_log own_log_;
  const preempt::word* word_;
  preempt::slice_log* log_;
  bool is_in_run_ = false;
  std::size_t resumed_ = 0;
  std::uint32_t went_on_ = 0;
};

static_assert(preempt::yielding_executor<loop_executor>);

/// A turn.
class any_turn {
 public:
  any_turn() = default;
  any_turn(const any_turn&) = delete;
  any_turn& operator=(const any_turn&) = delete;
  virtual ~any_turn() = default;

  virtual void operator()(loop_executor& tasks) = 0;
  virtual void end(cancel_slot& all, loop_executor& tasks, const std::function<bool()>& is_over) = 0;
};

}  // namespace pinion::scheduler::testing
