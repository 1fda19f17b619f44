// SPDX-License-Identifier: Apache-2.0
//
// io_wait, io_wait_under: an operation that a coroutine waits for, without and with a cancel_slot. The
// awaitables of this part are made of them.
//
// The operation stands in the coroutine's frame: nothing is allocated. The wait is over when the operation
// has been answered for good, and, where it was cancelled, the request to cancel has been answered as well:
// then neither the kernel nor the submission knows anything of the frame any more.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>

namespace pinion::iosubmit::inline PINION_MODE {

/// What a submission takes operations by.
template <class Io>
concept operation_queue = requires(Io& io, operation& what) {
  { io.queue(what) } noexcept;
  { io.queue_urgent(what) } noexcept;
};

namespace awaiting_detail {

/// Nothing can cancel it.
template <operation_queue Io>
class io_wait : protected operation {
 protected:
  using answer = void (*)(ring_answer& self, std::int32_t result) noexcept;

  io_wait(Io& io, answer when) noexcept : operation{entries::nop(), when}, io_(io) {}
  ~io_wait() { expect_wait_is_over(!is_waiting()); }

  /// Before something is queued: whether that may be what was meant. Where a slot was requested before it is
  /// a NOP instead, so that the coroutine goes on like after any other wait.
  template <class Promise>
  bool begin(std::coroutine_handle<Promise> waiting) noexcept {
    who_ = resumption{waiting};
    return true;
  }
  /// From an answer: nothing more will be asked. Goes on where it was the last one, and may destroy *this
  /// then.
  void end() noexcept {
    if (!is_waiting()) who_.go_on();
  }
  [[nodiscard]] static constexpr bool is_cancelled() noexcept { return false; }
  [[nodiscard]] Io& io() noexcept { return io_; }

 private:
  template <operation_queue>
  friend class io_wait_under;

  Io& io_;
  resumption who_;
};

/// A slot can.
template <operation_queue Io>
class io_wait_under : protected io_wait<Io>, cancel_slot::wait {
 protected:
  io_wait_under(Io& io, typename io_wait<Io>::answer when, cancel_slot& slot) noexcept
      : io_wait<Io>(io, when), wait(&cancel), slot_(slot), stop_(*this) {}
  ~io_wait_under() { expect_wait_is_over(!stop_.is_waiting()); }

  template <class Promise>
  bool begin(std::coroutine_handle<Promise> waiting) noexcept {
    io_wait<Io>::begin(waiting);
    is_cancelled_ = slot_.is_requested();
    if (!is_cancelled_) wait_under(slot_);
    return !is_cancelled_;
  }
  void end() noexcept {
    if (!stop_.is_waiting()) io_wait<Io>::end();
  }
  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }

 private:
  struct stop : operation {
    explicit stop(io_wait_under& wait) noexcept : operation{entries::nop(), &answered}, of(wait) {}
    static void answered(ring_answer& self, std::int32_t /*result*/) noexcept {
      static_cast<stop&>(self).of.end();
    }
    io_wait_under& of;
  };

  static void cancel(wait& self) noexcept {
    auto& mine = static_cast<io_wait_under&>(self);
    mine.is_cancelled_ = true;
    if (!mine.is_waiting()) return;  // it has ended already, and is only to go on
    mine.stop_.ask(entries::cancel(mine));
    mine.io().queue_urgent(mine.stop_);
  }

  cancel_slot& slot_;
  stop stop_;
  bool is_cancelled_ = false;
};

}  // namespace awaiting_detail

}  // namespace pinion::iosubmit::inline PINION_MODE
