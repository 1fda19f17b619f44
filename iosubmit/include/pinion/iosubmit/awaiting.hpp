// SPDX-License-Identifier: Apache-2.0
//
// awaiting, awaiting_urgent, sleep_for: operations that a coroutine of any type awaits.
//
// The operation stands in the awaiter, which the compiler keeps in the coroutine's frame: nothing is
// allocated. The coroutine goes on on the owner's thread, from inside turn() or park() (or inside queue(),
// where the ring takes nothing more), and may queue there.
//
//   task<> echo(auto& io, int socket) {
//     std::array<std::byte, 512> bytes;
//     while (auto count = co_await awaiting(io, entries::recv(socket, bytes))) {
//       if (*count == 0) break;                                                     // the other end closed
//       if (!co_await send_all(io, socket, std::span{bytes}.first(*count))) break;  // in send_all.hpp
//     }
//   }
//   co_await sleep_for(io, ceil(10ms));
//
// What is awaited can't be moved: a promise's await_transform takes it by reference, and gives back one (for
// g++ 12: an awaiter that refers to it).
//
// Lifetime. Until the answer, the kernel may write into the buffers, and answers into the frame. A coroutine
// that is suspended here must not be destroyed: checked builds stop there. Cancel by a cancel_slot, or stop()
// the submission, and let it run on. What the entry names (buffers, addresses) stays until then; in the frame
// it does.
#pragma once

#include <cerrno>
#include <coroutine>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/cancel_slot.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <system_error>

namespace pinion::iosubmit::inline PINION_MODE {

/// What a submission takes operations by.
template <class Io>
concept operation_queue = requires(Io& io, operation& what) {
  { io.queue(what) } noexcept;
  { io.queue_urgent(what) } noexcept;
};

namespace awaiting_detail {

/// One operation, to be awaited once; an urgent one is handed over at the end of the turn, whatever the
/// policy says.
template <operation_queue Io, bool IsUrgent = false>
class awaited : private operation {
 public:
  /// Will ask `io` for that.
  awaited(Io& io, const ring_entry& what, cancel_slot* slot) noexcept
      : operation{what, &done}, io_(io), slot_(slot) {}

  /// What an awaiter has: nothing to wait for where the slot is cancelled already; else queues, and resumes
  /// with the result or the error.
  [[nodiscard]] bool await_ready() noexcept {
    if (slot_ == nullptr || !slot_->is_requested()) return false;
    result_ = -ECANCELED;
    return true;
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    awaiting_ = awaiting;
    if (slot_ != nullptr) slot_->begin(*this, &io_, &queue_urgent);
    if constexpr (IsUrgent)
      io_.queue_urgent(*this);
    else
      io_.queue(*this);  // either may resume, and destroy this
  }
  [[nodiscard]] expected<std::uint32_t, std::error_code> await_resume() const noexcept {
    if (result_ >= 0) return static_cast<std::uint32_t>(result_);
    return unexpected<std::error_code>{std::error_code{-result_, std::generic_category()}};
  }

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<awaited&>(self);
    mine.result_ = result;
    if (mine.slot_ != nullptr)
      mine.slot_->end(mine.awaiting_);
    else
      mine.awaiting_.resume();
  }
  static void queue_urgent(void* io, operation& what) noexcept { static_cast<Io*>(io)->queue_urgent(what); }

  Io& io_;
  cancel_slot* slot_;
  std::coroutine_handle<> awaiting_;
  std::int32_t result_ = 0;
};

// Before the operation, whose entry names it.
struct slept {
  kernel_time time;
};

/// A timeout, to be awaited once.
template <operation_queue Io>
class sleeping : private slept, public awaited<Io> {
 public:
  /// Will ask `io` for a timeout of that length.
  sleeping(Io& io, duration length, cancel_slot* slot) noexcept
      : slept{kernel_time::of(length)}, awaited<Io>{io, entries::timeout(slept::time), slot} {}

  /// Nothing, if it has slept for so long; else why not.
  [[nodiscard]] expected<void, std::error_code> await_resume() const noexcept {
    const std::error_code error = awaited<Io>::await_resume().error();
    if (error == std::errc::stream_timeout) return {};
    return unexpected<std::error_code>{error};
  }
};

}  // namespace awaiting_detail

/// Asks for that, and suspends until it is answered: the result, or the error. With a slot it can be
/// cancelled.
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<Io> awaiting(Io& io, const ring_entry& what) noexcept {
  return {io, what, nullptr};
}
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<Io> awaiting(Io& io, const ring_entry& what,
                                                    cancel_slot& slot) noexcept {
  return {io, what, &slot};
}
/// The same, for what is handed over at the end of this turn, whatever the policy says.
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<Io, true> awaiting_urgent(Io& io, const ring_entry& what) noexcept {
  return {io, what, nullptr};
}
template <operation_queue Io>
[[nodiscard]] awaiting_detail::awaited<Io, true> awaiting_urgent(Io& io, const ring_entry& what,
                                                                 cancel_slot& slot) noexcept {
  return {io, what, &slot};
}
/// Suspends for at least so long. With a slot it can be cancelled, and says ECANCELED then.
template <operation_queue Io>
[[nodiscard]] awaiting_detail::sleeping<Io> sleep_for(Io& io, duration length) noexcept {
  return {io, length, nullptr};
}
template <operation_queue Io>
[[nodiscard]] awaiting_detail::sleeping<Io> sleep_for(Io& io, duration length, cancel_slot& slot) noexcept {
  return {io, length, &slot};
}

}  // namespace pinion::iosubmit::inline PINION_MODE
