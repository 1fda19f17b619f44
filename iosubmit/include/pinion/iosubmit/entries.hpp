// SPDX-License-Identifier: Apache-2.0
//
// entries: what can be asked, as entries of a submission queue.
//
// An entry is 64 bytes in the kernel's own form. A ring that isn't the kernel's reads the same bytes. Memory
// that an entry names (buffers, addresses, times) is the caller's, and stays until the answer.
//
//   operation opened{entries::accept(listener), &accepted};
//   operation stop{entries::cancel(opened), &stopped};
//
// A buffer or path that is longer than an entry can say makes an entry that every ring answers with EINVAL:
// nothing is cut short in silence. Descriptors are not looked at here: a closed or wrong one is the
// operation's own EBADF.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <span>

struct statx;  // of <sys/stat.h>, for those that ask for it

namespace pinion::iosubmit {

/// The kernel's numbers of what can be asked: codes::recv is that of entries::recv().
using codes = kernel::codes;

namespace entries_detail {
// A watch's user_data as the kernel has it, so that its completions are told from messages, and from those of
// watches that an earlier sink of the same mark has left:
//
//   bits 0 to 2     the mark
//   bits 3 to 47    the caller's
//   bits 48 to 55   which of the mark's sinks it is for
//   bits 56 to 63   watch_tag
inline constexpr std::uint64_t watch_tag = (answer_tag >> 8U) ^ 0xFF;
inline constexpr std::uint64_t tag_bits = 0xFFFF'0000'0000'0000;
[[nodiscard]] constexpr std::uint64_t as_watch(std::uint64_t user_data, std::uint8_t use = 0) noexcept {
  return (user_data & ~tag_bits) | watch_tag << 56U | std::uint64_t{use} << 48U;
}
[[nodiscard]] constexpr bool is_watch(std::uint64_t user_data) noexcept {
  return user_data >> 56U == watch_tag;
}
[[nodiscard]] constexpr std::uint8_t use_of(std::uint64_t watch) noexcept {
  return static_cast<std::uint8_t>(watch >> 48U);
}

inline ring_entry transfer(std::uint8_t code, int descriptor, const void* bytes, std::size_t count,
                           std::uint64_t offset, std::uint32_t flags) noexcept {
  if (count > std::numeric_limits<std::uint32_t>::max()) return {.operation = codes::refused};
  return {.operation = code,
          .descriptor = descriptor,
          .offset = offset,
          .address = kernel::address_of(bytes),
          .length = static_cast<std::uint32_t>(count),
          .operation_flags = flags};
}
}  // namespace entries_detail

inline namespace PINION_MODE {

/// One function for each operation. None fails, and none touches what it is given.
struct entries {
  /// The offset that stands for a file's own position, and for files that have none.
  static constexpr std::uint64_t here = std::numeric_limits<std::uint64_t>::max();

  /// Nothing; answered with 0.
  [[nodiscard]] static ring_entry nop() noexcept { return {.operation = codes::nop}; }

  /// Reads into `into` from `offset`; how many bytes.
  [[nodiscard]] static ring_entry read(int descriptor, std::span<std::byte> into,
                                       std::uint64_t offset = here) noexcept {
    return entries_detail::transfer(codes::read, descriptor, into.data(), into.size(), offset, 0);
  }
  /// Writes `from` at `offset`; how many bytes. Where nobody is left to read from a socket or pipe, the
  /// answer is -EPIPE, and the kernel also sends SIGPIPE, which ends a program that does not ignore it.
  /// send() sends none.
  [[nodiscard]] static ring_entry write(int descriptor, std::span<const std::byte> from,
                                        std::uint64_t offset = here) noexcept {
    return entries_detail::transfer(codes::write, descriptor, from.data(), from.size(), offset, 0);
  }
  /// Receives into `into`, with recv(2)'s flags; how many bytes, 0 at the end.
  [[nodiscard]] static ring_entry recv(int socket, std::span<std::byte> into,
                                       std::uint32_t flags = 0) noexcept {
    return entries_detail::transfer(codes::recv, socket, into.data(), into.size(), 0, flags);
  }
  /// Sends `from`, with send(2)'s flags; how many bytes, which may be fewer than there are: send_all() goes
  /// on. -EPIPE where nobody is left to receive, and no SIGPIPE.
  [[nodiscard]] static ring_entry send(int socket, std::span<const std::byte> from,
                                       std::uint32_t flags = 0) noexcept {
    return entries_detail::transfer(codes::send, socket, from.data(), from.size(), 0, flags);
  }

  /// Sends `from` without copying it, with send(2)'s flags; how many bytes. It is answered twice where bytes
  /// went: with ring_completion::more as soon as they are on their way, and for the last time when they may
  /// be written to again. -EOPNOTSUPP where the socket can't: send_zc() in send_zc.hpp goes on. From Linux
  /// 6.0.
  [[nodiscard]] static ring_entry send_zc(int socket, std::span<const std::byte> from,
                                          std::uint32_t flags = 0) noexcept {
    return entries_detail::transfer(codes::send_zc, socket, from.data(), from.size(), 0, flags);
  }
  /// Receives into buffers of that group, again and again, until the end, an error, or -ENOBUFS where none is
  /// left: for an operation that takes its flags, as receiver is. From Linux 6.0.
  [[nodiscard]] static ring_entry recv_multishot(int socket, std::uint16_t group) noexcept {
    ring_entry entry{.operation = codes::recv,
                     .flags = kernel::entry_flag::buffer_select,
                     .priority = kernel::recv_flag::stays,
                     .descriptor = socket};
    entry.others[0] = std::bit_cast<std::uint64_t>(std::array<std::uint16_t, 4>{group});
    return entry;
  }

  /// Which part of a file fsync() is to make last.
  enum class synced : std::uint32_t { all = 0, contents_only = 1 };
  /// Has what was written reach the device; 0.
  [[nodiscard]] static ring_entry fsync(int descriptor, synced what = synced::all) noexcept {
    return {.operation = codes::fsync,
            .descriptor = descriptor,
            .operation_flags = static_cast<std::uint32_t>(what)};
  }

  /// After that long; -ETIME.
  [[nodiscard]] static ring_entry timeout(const kernel_time& after) noexcept {
    return {.operation = codes::timeout, .address = kernel::address_of(&after), .length = 1};
  }

  /// When one of poll(2)'s `events` is there, once; which ones.
  [[nodiscard]] static ring_entry poll(int descriptor, std::uint32_t events) noexcept {
    return {.operation = codes::poll, .descriptor = descriptor, .operation_flags = events};
  }

  /// When one of poll(2)'s `events` is there, each time, until it is cancelled or fails: for
  /// submission::watch(), with a user_data below 2^48 and a sink's mark. Which ones; the last answer is the
  /// one without ring_completion::more. From Linux 5.13.
  [[nodiscard]] static ring_entry poll_multishot(int descriptor, std::uint32_t events,
                                                 std::uint64_t user_data) noexcept {
    return {.operation = codes::poll,
            .descriptor = descriptor,
            .length = kernel::poll_flag::stays,
            .operation_flags = events,
            .user_data = user_data};
  }

  /// Stops that operation, if it is still in flight: then it is answered with -ECANCELED, and this with 0;
  /// with -ENOENT where it isn't, with -EALREADY where it can't be stopped any more. Each of the two is
  /// answered.
  [[nodiscard]] static ring_entry cancel(const operation& target) noexcept {
    return {.operation = codes::cancel, .address = user_data_of(target, operation::mark)};
  }
  /// The same for what a part has queued through the ring's port.
  [[nodiscard]] static ring_entry cancel(const ring_answer& target) noexcept {
    return {.operation = codes::cancel, .address = user_data_of(target, 0)};
  }

  /// Stops the watch with that user_data. To be watched, too, and answered to the same sink: with 0, -ENOENT
  /// or -EALREADY as above. The watch is answered for the last time, with -ECANCELED, where it was stopped.
  [[nodiscard]] static ring_entry cancel_watch(std::uint64_t user_data) noexcept {
    return {
        .operation = codes::cancel, .address = entries_detail::as_watch(user_data), .user_data = user_data};
  }

  /// Puts a completion with this user_data and result into another ring; 0. The other ring's owner sees what
  /// it was sent; a submission tells the sink of its mark (mark_of), 2 or more, and drops and reports it
  /// otherwise.
  [[nodiscard]] static ring_entry msg_ring(int ring, std::uint64_t user_data,
                                           std::uint32_t result = 0) noexcept {
    return {.operation = codes::msg_ring, .descriptor = ring, .offset = user_data, .length = result};
  }

  /// Takes a connection, with accept4(2)'s flags; its descriptor. The address is written where it is asked
  /// for.
  [[nodiscard]] static ring_entry accept(int listener, void* address = nullptr,
                                         std::uint32_t* address_length = nullptr,
                                         std::uint32_t flags = 0) noexcept {
    return {.operation = codes::accept,
            .descriptor = listener,
            .offset = kernel::address_of(address_length),
            .address = kernel::address_of(address),
            .operation_flags = flags};
  }
  /// Takes one connection after the other, until it is cancelled or fails: for an operation that is answered
  /// many times, as acceptor is. From Linux 5.19.
  [[nodiscard]] static ring_entry accept_multishot(int listener, std::uint32_t flags = 0) noexcept {
    return {.operation = codes::accept,
            .priority = kernel::accept_flag::stays,
            .descriptor = listener,
            .operation_flags = flags};
  }
  /// Connects a socket; 0.
  [[nodiscard]] static ring_entry connect(int socket, const void* address,
                                          std::uint32_t address_length) noexcept {
    return {.operation = codes::connect,
            .descriptor = socket,
            .offset = address_length,
            .address = kernel::address_of(address)};
  }

  /// The directory that paths without a leading / begin at, where none is named: the process's.
  static constexpr int working_directory = -100;  // AT_FDCWD
  /// Opens a file, with open(2)'s flags and mode; its descriptor. The path stays until the answer.
  [[nodiscard]] static ring_entry openat(const char* path, int flags, std::uint32_t mode = 0,
                                         int directory = working_directory) noexcept {
    return {.operation = codes::openat,
            .descriptor = directory,
            .address = kernel::address_of(path),
            .length = mode,
            .operation_flags = static_cast<std::uint32_t>(flags)};
  }
  /// Asks what statx(2) tells of a file: those fields that `mask` names; 0. With AT_EMPTY_PATH and an empty
  /// path the file is `directory` itself.
  [[nodiscard]] static ring_entry statx(const char* path, struct ::statx& into, std::uint32_t mask,
                                        std::uint32_t flags = 0, int directory = working_directory) noexcept {
    return {.operation = codes::statx,
            .descriptor = directory,
            .offset = kernel::address_of(&into),
            .address = kernel::address_of(path),
            .length = mask,
            .operation_flags = flags};
  }
  /// Closes a descriptor; 0. What is in flight on it is not stopped by that.
  [[nodiscard]] static ring_entry close(int descriptor) noexcept {
    return {.operation = codes::close, .descriptor = descriptor};
  }
};

}  // namespace PINION_MODE
}  // namespace pinion::iosubmit
