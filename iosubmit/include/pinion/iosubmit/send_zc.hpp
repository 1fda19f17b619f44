// SPDX-License-Identifier: Apache-2.0
//
// send_zc: sends without copying, and goes on when the bytes may be written to again.
//
// The kernel sends from the buffer itself (Linux 6.0). It says twice what became of that: how many bytes are
// on their way, and that it needs the buffer no more. The coroutine goes on with the second. Where the
// kernel, the ring or the socket can't do it (a Unix socket), or may pin no more memory for it
// (RLIMIT_MEMLOCK, unless the process may exceed it), the bytes are copied as send() does.
//
//   const auto count = co_await send_zc(io, socket, bytes);  // how many; the buffer may be used again
//
// It is for large buffers, since the second answer is a cost of its own. Over TCP the kernel needs the buffer
// until the bytes are acknowledged: a peer that reads slowly keeps it for as long.
//
// With a cancel_slot it can be cancelled; what is on its way by then is answered with its number, when the
// buffer is free. Lifetime and resumption are those of awaiting().
#pragma once

#include <pinion/config.hpp>

#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <span>
#include <system_error>

namespace pinion::iosubmit::inline PINION_MODE {

namespace send_zc_detail {

/// A buffer on its way, to be awaited once.
template <class Wait>
class sent_in_place : Wait {
 public:
  /// Will ask `io` for that; with a slot as the last, if the wait is one under a slot.
  template <class Io, class... Slot>
  sent_in_place(Io& io, int socket, std::span<const std::byte> bytes, Slot&... slot) noexcept
      : Wait(io, &done, slot...), socket_(socket), bytes_(bytes) {}

  /// What an awaiter has.
  [[nodiscard]] static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    if (this->begin(awaiting))
      this->ask(entries::send_zc(socket_, bytes_));
    else
      keep(-ECANCELED);
    this->io().queue(*this);
  }
  [[nodiscard]] expected<std::uint32_t, std::error_code> await_resume() const noexcept {
    if (result_ >= 0) return static_cast<std::uint32_t>(result_);
    return unexpected<std::error_code>{std::error_code{-result_, std::generic_category()}};
  }

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<sent_in_place&>(self);
    if (!mine.has_result_) mine.keep(result);
    if (mine.is_waiting()) return;  // the other answer says that the buffer is free
    const bool is_refused = mine.result_ == -EOPNOTSUPP || mine.result_ == -EINVAL ||
                            mine.result_ == -ENOMEM || mine.result_ == -ENOBUFS;
    if (is_refused && mine.is_cancelled()) mine.result_ = -ECANCELED;
    if (!is_refused || mine.copies_ || mine.is_cancelled()) return mine.end();
    mine.copies_ = true;
    mine.has_result_ = false;
    mine.ask(entries::send(mine.socket_, mine.bytes_));
    mine.io().queue(mine);
  }

  // The first answer's; the second has none.
  void keep(std::int32_t result) noexcept {
    result_ = result;
    has_result_ = true;
  }

  int socket_;
  std::span<const std::byte> bytes_;
  std::int32_t result_ = 0;
  bool has_result_ = false;
  bool copies_ = false;
};

}  // namespace send_zc_detail

/// Suspends until `bytes` may be written to again: how many were sent, which may be fewer; or the error.
template <operation_queue Io>
[[nodiscard]] send_zc_detail::sent_in_place<awaiting_detail::io_wait<Io>>
send_zc(Io& io, int socket, std::span<const std::byte> bytes) noexcept {
  return {io, socket, bytes};
}
/// The same, which a slot can cancel.
template <operation_queue Io>
[[nodiscard]] send_zc_detail::sent_in_place<awaiting_detail::io_wait_under<Io>>
send_zc(Io& io, int socket, std::span<const std::byte> bytes, cancel_slot& slot) noexcept {
  return {io, socket, bytes, slot};
}

}  // namespace pinion::iosubmit::inline PINION_MODE
