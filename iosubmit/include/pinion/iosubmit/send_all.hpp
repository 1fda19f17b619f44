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
// As in awaiting.hpp nothing is allocated, the coroutine goes on from inside turn() or park(), and what is
// awaited can't be moved, nor its frame destroyed. One send_all() at a time for a socket, and one recv_all():
// the parts of two would mix.
//
// After an error it is not known how much has gone or come. So the stream is only good for closing, also
// where a cancel_slot ended it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/awaiting.hpp>
#include <pinion/iosubmit/cancel_slot.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <span>
#include <system_error>
#include <type_traits>

namespace pinion::iosubmit::inline PINION_MODE {

namespace send_all_detail {

/// A buffer on its way, to be awaited once.
template <operation_queue Io, bool IsSend>
class transferred : private operation {
 public:
  using byte = std::conditional_t<IsSend, const std::byte, std::byte>;
  using result = expected<std::conditional_t<IsSend, void, std::size_t>, std::error_code>;

  /// Will ask `io` for that.
  transferred(Io& io, int socket, std::span<byte> bytes, cancel_slot* slot) noexcept
      : operation{entries::nop(), &done}, io_(io), slot_(slot), socket_(socket), bytes_(bytes) {}

  /// What an awaiter has: nothing to wait for where the slot is cancelled already, or the buffer empty.
  [[nodiscard]] bool await_ready() noexcept {
    if (is_cancelled()) error_ = ECANCELED;
    return error_ != 0 || bytes_.empty();
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    awaiting_ = awaiting;
    if (slot_ != nullptr) slot_->begin(*this, &io_, &queue_urgent);
    transfer();  // may resume, and destroy this
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

  [[nodiscard]] bool is_cancelled() const noexcept { return slot_ != nullptr && slot_->is_requested(); }

  void transfer() noexcept {
    const auto rest = bytes_.subspan(moved_, std::min(bytes_.size() - moved_, part_max));
    if constexpr (IsSend)
      ask(entries::send(socket_, rest, wait_for_all));
    else
      ask(entries::recv(socket_, rest, wait_for_all));
    io_.queue(*this);
  }
  void end(int error) noexcept {
    error_ = error;
    if (slot_ != nullptr)
      slot_->end(awaiting_);
    else
      awaiting_.resume();
  }

  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<transferred&>(self);
    if (result > 0) mine.moved_ += static_cast<std::size_t>(result);
    if (mine.moved_ == mine.bytes_.size()) return mine.end(0);
    if (mine.is_cancelled()) return mine.end(ECANCELED);
    if (result == 0) return mine.end(IsSend ? EPIPE : 0);  // the other end has closed
    if (result < 0 && result != -EINTR) return mine.end(-result);
    mine.transfer();
  }
  static void queue_urgent(void* io, operation& what) noexcept { static_cast<Io*>(io)->queue_urgent(what); }

  Io& io_;
  cancel_slot* slot_;
  int socket_;
  std::span<byte> bytes_;
  std::size_t moved_ = 0;
  std::coroutine_handle<> awaiting_;
  int error_ = 0;
};

}  // namespace send_all_detail

/// Suspends until all of `bytes` is sent: nothing, or the error. EPIPE where nobody is left to receive. With
/// a slot it can be cancelled, and says ECANCELED then.
template <operation_queue Io>
[[nodiscard]] send_all_detail::transferred<Io, true> send_all(Io& io, int socket,
                                                              std::span<const std::byte> bytes) noexcept {
  return {io, socket, bytes, nullptr};
}
template <operation_queue Io>
[[nodiscard]] send_all_detail::transferred<Io, true>
send_all(Io& io, int socket, std::span<const std::byte> bytes, cancel_slot& slot) noexcept {
  return {io, socket, bytes, &slot};
}
/// Suspends until `into` is full: how many bytes came, fewer than fit only where the other end has closed; or
/// the error. With a slot it can be cancelled, and says ECANCELED then.
template <operation_queue Io>
[[nodiscard]] send_all_detail::transferred<Io, false> recv_all(Io& io, int socket,
                                                               std::span<std::byte> into) noexcept {
  return {io, socket, into, nullptr};
}
template <operation_queue Io>
[[nodiscard]] send_all_detail::transferred<Io, false> recv_all(Io& io, int socket, std::span<std::byte> into,
                                                               cancel_slot& slot) noexcept {
  return {io, socket, into, &slot};
}

}  // namespace pinion::iosubmit::inline PINION_MODE
