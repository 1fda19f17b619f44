// SPDX-License-Identifier: Apache-2.0
//
// awaiting, awaiting_urgent, sleep_for: operations that a coroutine of any type awaits.
//
// The operation stands in the awaiter, which the compiler keeps in the coroutine's frame: nothing is
// allocated. The coroutine goes on from inside turn(), park() or stop(), or is made ready there where its
// promise has an executor() (law C1).
//
//   task<> echo(auto& io, int socket) {
//     std::array<std::byte, 512> bytes;
//     while (auto count = co_await awaiting(io, entries::recv(socket, bytes))) {
//       if (*count == 0) break;                                                     // the other end closed
//       if (!co_await send_all(io, socket, std::span{bytes}.first(*count))) break;  // in send_all.hpp
//     }
//   }
//
//   const auto slept = co_await sleep_for(io, ceil(10ms));
//   if (!slept) co_return;  // such as that the submission was stopped
//
// With a cancel_slot a wait can be cancelled. Where the slot was requested before, a nop takes the
// operation's place. An operation in flight is cancelled if the kernel still can; else its result is the one
// that it has. The coroutine always suspends, also where nothing is to be waited for, so a loop that tries
// again gives way each time.
//
// What is awaited can't be moved: a promise's await_transform takes it by reference, and gives back one (for
// g++ 12: an awaiter that refers to it).
//
// Lifetime. Until the answer, the kernel may write into the buffers, and answers into the frame. So a
// coroutine that waits is not destroyed: cancel it by its slot, or stop() the submission, and let it run on;
// a checked build stops where one is destroyed earlier. What the entry names (buffers, addresses) stays until
// then; in the frame it does.
#pragma once

#include <pinion/config.hpp>

#include <cerrno>
#include <coroutine>
#include <cstdint>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <system_error>

namespace pinion::iosubmit::inline PINION_MODE {

namespace awaiting_detail {

/// One operation, to be awaited once; an urgent one is handed over at the end of the turn, whatever the
/// policy says.
template <class Wait, bool IsUrgent = false>
class awaited : Wait {
 public:
  /// Will ask `io` for that; with a slot as the third, if the wait is one under a slot.
  template <class Io, class... Slot>
  awaited(Io& io, const ring_entry& what, Slot&... slot) noexcept : Wait(io, &done, slot...) {
    this->ask(what);
  }

  /// What an awaiter has: queues, and gives the result or the error.
  [[nodiscard]] static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    if (!this->begin(awaiting)) {
      this->ask(entries::nop());
      result_ = -ECANCELED;
    }
    if constexpr (IsUrgent)
      this->io().queue_urgent(*this);
    else
      this->io().queue(*this);
  }
  [[nodiscard]] expected<std::uint32_t, std::error_code> await_resume() const noexcept {
    if (result_ >= 0) return static_cast<std::uint32_t>(result_);
    return unexpected<std::error_code>{std::error_code{-result_, std::generic_category()}};
  }

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<awaited&>(self);
    if (mine.result_ == 0) mine.result_ = result;
    mine.end();
  }

  std::int32_t result_ = 0;
};

// Before the operation, whose entry names it.
struct slept {
  kernel_time time;
};

/// A timeout, to be awaited once.
template <class Wait>
class sleeping : slept, public awaited<Wait> {
 public:
  /// Will ask `io` for a timeout of that length; with a slot as the third, if the wait is one under a slot.
  template <class Io, class... Slot>
  sleeping(Io& io, duration length, Slot&... slot) noexcept
      : slept{kernel_time::of(length)}, awaited<Wait>{io, entries::timeout(slept::time), slot...} {}

  /// Nothing, if it has slept for so long; else why not.
  [[nodiscard]] expected<void, std::error_code> await_resume() const noexcept {
    const std::error_code error = awaited<Wait>::await_resume().error();
    if (error == std::errc::stream_timeout) return {};
    return unexpected<std::error_code>{error};
  }
};

}  // namespace awaiting_detail

/// Asks for that, and suspends until it is answered: the result, or the error. With a slot it can be
/// cancelled.
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<awaiting_detail::io_wait<Io>>
awaiting(Io& io, const ring_entry& what) noexcept {
  return {io, what};
}
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<awaiting_detail::io_wait_under<Io>>
awaiting(Io& io, const ring_entry& what, cancel_slot& slot) noexcept {
  return {io, what, slot};
}
/// The same, for what is handed over at the end of this turn, whatever the policy says.
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<awaiting_detail::io_wait<Io>, true>
awaiting_urgent(Io& io, const ring_entry& what) noexcept {
  return {io, what};
}
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<awaiting_detail::io_wait_under<Io>, true>
awaiting_urgent(Io& io, const ring_entry& what, cancel_slot& slot) noexcept {
  return {io, what, slot};
}
/// Suspends for at least so long. With a slot it can be cancelled, and says ECANCELED then.
template <operation_queue Io>
[[nodiscard]] awaiting_detail::sleeping<awaiting_detail::io_wait<Io>> sleep_for(Io& io,
                                                                                duration length) noexcept {
  return {io, length};
}
template <operation_queue Io>
[[nodiscard]] awaiting_detail::sleeping<awaiting_detail::io_wait_under<Io>>
sleep_for(Io& io, duration length, cancel_slot& slot) noexcept {
  return {io, length, slot};
}

}  // namespace pinion::iosubmit::inline PINION_MODE
