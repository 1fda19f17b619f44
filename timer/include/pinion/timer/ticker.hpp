// SPDX-License-Identifier: Apache-2.0
//
// ticker: an interval that a coroutine awaits.
//
//   ticker beat{timers, 100ms, missed_ticks::skip};
//   while (const auto t = co_await beat.next(shutdown)) send_beat(t->due);  // until the slot is requested
//
// Without a slot, next() gives the tick itself, and its wait can't be cancelled.
//
// Ticks are those of phase, late and missed by the time of the poll that ends the wait. The coroutine goes on
// there or, if its promise has an executor(), is made ready there (law C1). A tick that became due while the
// coroutine was busy elsewhere is handed out in the first poll after next() was awaited. One next() at a
// time.
#pragma once

#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/detail/timed_wait.hpp>
#include <pinion/timer/phase.hpp>
#include <pinion/timer/when.hpp>
#include <system_error>

namespace pinion::timer::inline PINION_MODE {

template <calling_queue Queue>
class ticker {
 public:
  /// What next() gives: to be awaited at once. co_await gives the tick.
  class awaiter : public timed_wait<Queue> {
   public:
    /// The tick that is due; the ticker goes on to the next.
    tick await_resume() const noexcept { return ticker_->phase_.advance(this->queue().latest()); }

   private:
    friend class ticker;
    explicit awaiter(ticker& t) noexcept : timed_wait<Queue>(*t.queue_, t.phase_.due()), ticker_(&t) {}
    ticker* ticker_;
  };

  /// What next(slot) gives: to be awaited at once. co_await gives expected<tick, std::error_code>.
  class cancellable_awaiter : public cancellable_timed_wait<Queue> {
   public:
    /// The tick that is due; or operation_canceled, and the same tick is still to come.
    [[nodiscard]] expected<tick, std::error_code> await_resume() const noexcept {
      if (this->was_cancelled()) return unexpected<std::error_code>{wait_cancelled()};
      return ticker_->phase_.advance(this->queue().latest());
    }

   private:
    friend class ticker;
    cancellable_awaiter(ticker& t, cancel_slot& slot) noexcept
        : cancellable_timed_wait<Queue>(*t.queue_, t.phase_.due(), slot), ticker_(&t) {}
    ticker* ticker_;
  };

  /// The first tick is due one period from the clock's now.
  template <delay Delay>
  ticker(Queue& queue, Delay period, missed_ticks missed) noexcept
      : ticker(queue, queue.now() + as_duration(period), period, missed) {}

  /// The first tick is due at `first`, a point or a delay from now.
  template <delay_or_point When, delay Delay>
  ticker(Queue& queue, When first, Delay period, missed_ticks missed) noexcept
      : queue_(&queue), phase_(queue.deadline(first), as_duration(period), missed) {}

  ticker(const ticker&) = delete;
  ticker& operator=(const ticker&) = delete;
  ~ticker() = default;

  /// Waits for the next tick. The ticker must outlive the wait.
  [[nodiscard]] awaiter next() noexcept { return awaiter(*this); }
  /// As next(), until `slot` is requested, if that comes first.
  [[nodiscard]] cancellable_awaiter next(cancel_slot& slot) noexcept {
    return cancellable_awaiter(*this, slot);
  }

  /// When the next tick is due, and how far ticks are apart.
  [[nodiscard]] instant due() const noexcept { return phase_.due(); }
  [[nodiscard]] duration period() const noexcept { return phase_.period(); }

 private:
  Queue* queue_;
  phase phase_;
};

}  // namespace pinion::timer::inline PINION_MODE
