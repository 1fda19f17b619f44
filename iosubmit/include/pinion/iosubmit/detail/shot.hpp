// SPDX-License-Identifier: Apache-2.0
//
// shot, next_of: an operation that is answered many times, and a coroutine that waits for the next of it.
// acceptor and receiver are made of them.
//
// The operation stands on the heap, apart from the object that a program holds: that object may go at any
// time, and the kernel may still answer. abandon() cancels what is in flight, lets go of what came and of
// what still comes, and frees the operation with its last answer.
//
//   in flight    not more than one shot at a time, so that what comes is in order
//   bounded      where too much waits to be taken the shot is cancelled, and asked again when that is taken
//   cancelled    a wait that its slot ends leaves the shot in flight: what comes is kept for the next wait
//   stop_        one cancel belongs to one shot: nothing is asked until it has been answered as well
#pragma once

#include <pinion/config.hpp>

#include <cerrno>
#include <coroutine>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <system_error>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE::shot_detail {

/// Who waits for the next of a shot.
class shot_wait {
 public:
  shot_wait(const shot_wait&) = delete;
  shot_wait& operator=(const shot_wait&) = delete;
  /// From an answer: there is something to take. The coroutine may go on, and destroy everything.
  void (*is_there)(shot_wait& self) noexcept;

 protected:
  explicit shot_wait(void (*when)(shot_wait&) noexcept) noexcept : is_there(when) {}
  ~shot_wait() = default;
};

/// What is answered many times, on the heap.
template <operation_queue Io>
class shot : protected operation {
 public:
  shot(const shot&) = delete;
  shot& operator=(const shot&) = delete;

  /// The object that holds it goes: nobody waits any more.
  void abandon() noexcept {
    PINION_ASSERT(waits_ == nullptr,
                  "an acceptor or receiver was destroyed while a coroutine waits for its next: cancel that "
                  "wait (cancel_slot), and let it run on");
    is_abandoned_ = true;
    if (is_waiting() && !stop_.is_waiting()) stop();
    wind_up();
  }

  /// Whether take() would give something, or an error, and nobody is about to.
  [[nodiscard]] bool is_ready() const noexcept { return has_next() && waits_ == nullptr; }
  /// That one is told when something is there. One at a time.
  void begin(shot_wait& by) noexcept {
    PINION_ASSERT(waits_ == nullptr, "two coroutines wait for the next of one acceptor or receiver: let one "
                                     "of them take, and hand out");
    waits_ = &by;
    go_on();
  }
  /// Nobody is told any more; the shot stays.
  void end(shot_wait& by) noexcept {
    if (waits_ != &by) return;
    waits_ = nullptr;
    nobody_waits();
  }
  [[nodiscard]] Io& io() noexcept { return io_; }

 protected:
  explicit shot(Io& io) noexcept : operation{entries::nop(), &answered}, io_(io), stop_(*this) {}
  virtual ~shot() = default;

  /// Keeps what came.
  virtual void came(std::int32_t result, std::uint32_t flags) noexcept = 0;
  /// Lets go of what was kept; false: not of all yet. Where nothing is in flight, an operation that it queues
  /// is to go on with it.
  virtual bool let_go(bool is_idle) noexcept = 0;
  /// Asks for more, by queue_next(); or sees to it that go_on() is called when it can.
  virtual void ask_next() noexcept = 0;
  /// The coroutine that waited does so no more.
  virtual void nobody_waits() noexcept {}
  [[nodiscard]] virtual bool has_some() const noexcept = 0;
  /// Whether as much waits to be taken as may.
  [[nodiscard]] virtual bool is_full() const noexcept = 0;

  void queue_next(const ring_entry& what) noexcept {
    ask(what);
    io_.queue(*this);
  }
  /// The error is given once, after what came before it.
  void fail(std::int32_t result) noexcept { error_ = -result; }
  [[nodiscard]] unexpected<std::error_code> take_error() noexcept {
    return unexpected<std::error_code>{std::error_code{std::exchange(error_, 0), std::generic_category()}};
  }
  [[nodiscard]] bool has_next() const noexcept { return has_some() || error_ != 0; }
  /// Asks where a coroutine waits, nothing is there for it, and nothing is in flight.
  void go_on() noexcept {
    if (waits_ != nullptr && !has_next() && !is_waiting() && !stop_.is_waiting()) ask_next();
  }

 private:
  struct stopping : operation {
    explicit stopping(shot& what) noexcept : operation{entries::nop(), &stopped}, of(what) {}
    static void stopped(ring_answer& self, std::int32_t /*result*/) noexcept {
      static_cast<stopping&>(self).of.settle();
    }
    shot& of;
  };

  static void answered(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<shot&>(static_cast<operation&>(self));
    const std::uint32_t flags = mine.take_flags();
    const bool was_stopped = !mine.is_waiting() && std::exchange(mine.is_stopped_, false);
    if (!was_stopped || result != -ECANCELED) mine.came(result, flags);
    mine.settle();
  }

  void settle() noexcept {
    if (is_abandoned_) return wind_up();
    if (is_waiting() && is_full() && !is_stopped_) stop();
    if (waits_ == nullptr) return;
    if (has_next()) return waits_->is_there(*waits_);
    go_on();
  }
  void stop() noexcept {
    is_stopped_ = true;
    stop_.ask(entries::cancel(*this));
    io_.queue_urgent(stop_);
  }
  void wind_up() noexcept {
    const bool is_idle = !is_waiting() && !stop_.is_waiting();
    if (let_go(is_idle) && is_idle) delete this;
  }

  Io& io_;
  shot_wait* waits_ = nullptr;
  int error_ = 0;
  bool is_abandoned_ = false;
  bool is_stopped_ = false;  // this shot, by us
  stopping stop_;
};

/// The next of a shot, to be awaited once; under a slot, or under none. Shot has `result take()`.
template <class Shot>
class next_of : shot_wait, cancel_slot::wait {
 public:
  next_of(Shot& from, cancel_slot* slot) noexcept
      : shot_wait(&arrived), wait(&cancel), from_(from), slot_(slot), nothing_(*this) {}
  ~next_of() { expect_wait_is_over(!nothing_.is_waiting() && !who_); }

  /// What an awaiter has: nothing to wait for where something came before.
  [[nodiscard]] bool await_ready() const noexcept {
    return (slot_ == nullptr || !slot_->is_requested()) && from_.is_ready();
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    who_ = resumption{awaiting};
    if (slot_ != nullptr && slot_->is_requested()) return give_up();
    if (slot_ != nullptr) wait_under(*slot_);
    from_.begin(*this);
  }
  auto await_resume() noexcept -> decltype(std::declval<Shot&>().take()) {
    if (is_cancelled_) return unexpected<std::error_code>{wait_cancelled()};  // from_ may be gone
    from_.end(*this);
    return from_.take();
  }

 private:
  // Law C1: a coroutine goes on inside a turn, so a wait that ends has an answer of its own.
  struct nothing : operation {
    explicit nothing(next_of& wait) noexcept : operation{entries::nop(), &answered}, of(wait) {}
    static void answered(ring_answer& self, std::int32_t /*result*/) noexcept {
      static_cast<nothing&>(self).of.who_.go_on();
    }
    next_of& of;
  };

  void give_up() noexcept {
    is_cancelled_ = true;
    from_.io().queue_urgent(nothing_);
  }
  static void cancel(wait& self) noexcept {
    auto& mine = static_cast<next_of&>(self);
    mine.from_.end(mine);
    mine.give_up();
  }
  static void arrived(shot_wait& self) noexcept {
    auto& mine = static_cast<next_of&>(self);
    if (!mine.who_) return;  // it is ready already
    mine.leave();
    mine.who_.go_on();
  }

  Shot& from_;
  cancel_slot* slot_;
  resumption who_;
  bool is_cancelled_ = false;
  nothing nothing_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE::shot_detail
