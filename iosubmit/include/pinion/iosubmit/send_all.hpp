// SPDX-License-Identifier: Apache-2.0
//
// send_all, recv_all: a whole buffer through a stream socket, awaited once.
//
// A send may take less than it is given, and a receive may bring less than there is room for: whenever the
// socket's buffer is smaller than the message, and over every ring. These ask again until the last byte has
// gone or come, of sockets that block and of those that don't.
//
//   std::array<std::byte, 4> length{}, reply{};
//   const auto came = co_await recv_all(io, socket, length);
//   if (!came || *came < length.size()) co_return;              // an error; or the other end has closed
//   if (!co_await send_all(io, socket, reply, slot)) co_return;  // an error, or the slot was cancelled
//
// As in awaiting.hpp nothing is allocated, the coroutine goes on from inside turn() or park() or, if its
// promise has an executor(), is made ready there, and what is awaited can't be moved, nor its frame
// destroyed. One send_all() at a time for a socket, and one recv_all(): the parts of two would mix.
//
// After an error it is not known how much has gone or come. So the stream is only good for closing, also
// where a cancel_slot ended it.
#pragma once

#include <pinion/config.hpp>

#include <algorithm>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/iosubmit/awaiting.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <span>
#include <system_error>
#include <type_traits>

namespace pinion::iosubmit::inline PINION_MODE {

namespace send_all_detail {

/// A buffer on its way, to be awaited once.
template <class Wait, bool IsSend>
class transferred : Wait {
 public:
  using byte = std::conditional_t<IsSend, const std::byte, std::byte>;
  using result = expected<std::conditional_t<IsSend, void, std::size_t>, std::error_code>;

  /// Will ask `io` for that; with a slot as the last, if the wait is one under a slot.
  template <class Io, class... Slot>
  transferred(Io& io, int socket, std::span<byte> bytes, Slot&... slot) noexcept
      : Wait(io, &done, slot...), socket_(socket), bytes_(bytes) {}

  /// What an awaiter has: nothing to wait for where the buffer is empty.
  [[nodiscard]] bool await_ready() const noexcept { return bytes_.empty(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    if (this->begin(awaiting))
      transfer();
    else
      this->io().queue(*this);
  }
  [[nodiscard]] result await_resume() const noexcept {
    if (error_ != 0) return unexpected<std::error_code>{std::error_code{error_, std::generic_category()}};
    if constexpr (IsSend)
      return {};
    else
      return moved_;
  }

 private:
  // MSG_WAITALL: the kernel goes on by itself, since 5.19.
  static constexpr std::uint32_t wait_for_all = 0x100;
  static constexpr std::size_t part_max = std::size_t{1} << 30U;  // below what one call moves at the most

  void transfer() noexcept {
    const auto rest = bytes_.subspan(moved_, std::min(bytes_.size() - moved_, part_max));
    if constexpr (IsSend)
      this->ask(entries::send(socket_, rest, wait_for_all));
    else
      this->ask(entries::recv(socket_, rest, wait_for_all));
    this->io().queue(*this);
  }
  void end_with(int error) noexcept {
    error_ = error;
    this->end();
  }

  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<transferred&>(self);
    if (result > 0) mine.moved_ += static_cast<std::size_t>(result);
    if (mine.moved_ == mine.bytes_.size()) return mine.end_with(0);
    if (mine.is_cancelled()) return mine.end_with(ECANCELED);
    if (result == 0) return mine.end_with(IsSend ? EPIPE : 0);  // the other end has closed
    if (result < 0 && result != -EINTR) return mine.end_with(-result);
    mine.transfer();
  }

  int socket_;
  std::span<byte> bytes_;
  std::size_t moved_ = 0;
  int error_ = 0;
};

template <operation_queue Io, bool IsSend>
using plain = transferred<awaiting_detail::io_wait<Io>, IsSend>;
template <operation_queue Io, bool IsSend>
using under_slot = transferred<awaiting_detail::io_wait_under<Io>, IsSend>;

}  // namespace send_all_detail

/// Suspends until all of `bytes` is sent: nothing, or the error. EPIPE where nobody is left to receive. With
/// a slot it can be cancelled, and says ECANCELED then.
template <operation_queue Io>
[[nodiscard]] send_all_detail::plain<Io, true> send_all(Io& io, int socket,
                                                        std::span<const std::byte> bytes) noexcept {
  return {io, socket, bytes};
}
template <operation_queue Io>
[[nodiscard]] send_all_detail::under_slot<Io, true>
send_all(Io& io, int socket, std::span<const std::byte> bytes, cancel_slot& slot) noexcept {
  return {io, socket, bytes, slot};
}
/// Suspends until `into` is full: how many bytes came, fewer than fit only where the other end has closed; or
/// the error. With a slot it can be cancelled, and says ECANCELED then.
template <operation_queue Io>
[[nodiscard]] send_all_detail::plain<Io, false> recv_all(Io& io, int socket,
                                                         std::span<std::byte> into) noexcept {
  return {io, socket, into};
}
template <operation_queue Io>
[[nodiscard]] send_all_detail::under_slot<Io, false> recv_all(Io& io, int socket, std::span<std::byte> into,
                                                              cancel_slot& slot) noexcept {
  return {io, socket, into, slot};
}

}  // namespace pinion::iosubmit::inline PINION_MODE
