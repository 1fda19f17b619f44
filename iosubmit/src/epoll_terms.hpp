// SPDX-License-Identifier: Apache-2.0
//
// What epoll_ring makes of an entry: whether it serves it, what it waits for, and for how long.
//
//   if (const std::int32_t refusal = refusal_of(entry); refusal != 0) answer(entry, refusal);
#pragma once

#include <bit>
#include <cerrno>
#include <cstdint>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/entries.hpp>

namespace pinion::iosubmit::epoll_detail {

inline constexpr std::uint32_t receives_out_of_band = 1;  // MSG_OOB

/// Whether the operation is served at all.
constexpr bool serves(std::uint8_t operation) noexcept {
  switch (operation) {
  case codes::nop:
  case codes::poll:
  case codes::timeout:
  case codes::accept:
  case codes::cancel:
  case codes::connect:
  case codes::close:
  case codes::read:
  case codes::write:
  case codes::send:
  case codes::recv: return true;
  default: return false;
  }
}

/// Whether it is a poll that is answered again and again.
constexpr bool stays(const ring_entry& entry) noexcept {
  return entry.operation == codes::poll && entry.length == kernel::poll_flag::stays;
}

/// Whether it puts into its descriptor, and doesn't take from it.
constexpr bool puts(const ring_entry& entry) noexcept {
  return entry.operation == codes::send || entry.operation == codes::write ||
         entry.operation == codes::connect;
}

/// The events that it waits for.
constexpr std::uint32_t waits_for(const ring_entry& entry) noexcept {
  if (entry.operation == codes::poll) return entry.operation_flags & epoll_events::every;
  if (puts(entry)) return epoll_events::writable;
  const bool is_urgent =
      entry.operation == codes::recv && (entry.operation_flags & receives_out_of_band) != 0;
  return is_urgent ? epoll_events::readable | epoll_events::priority : epoll_events::readable;
}

inline const kernel_time& time_of(const ring_entry& timeout) noexcept {
  return *std::bit_cast<const kernel_time*>(static_cast<std::uintptr_t>(timeout.address));
}

/// When that timeout is over.
inline instant deadline_of(const ring_entry& timeout, instant now) noexcept {
  const bool is_absolute = (timeout.operation_flags & kernel::timeout_flag::absolute) != 0;
  return (is_absolute ? instant{} : now) + time_of(timeout).length();
}

inline std::int32_t refusal_of_timeout(const ring_entry& entry) noexcept {
  if (entry.length != 1) return -EINVAL;
  if (entry.address == 0) return -EFAULT;
  if (entry.offset != 0 || (entry.operation_flags & ~kernel::timeout_flag::absolute) != 0) return -EOPNOTSUPP;
  const kernel_time& time = time_of(entry);
  const bool is_time = time.seconds >= 0 && time.nanoseconds >= 0 && time.nanoseconds < 1'000'000'000;
  return is_time ? 0 : -EINVAL;
}

/// What it is answered with, if it isn't served; else 0.
inline std::int32_t refusal_of(const ring_entry& entry) noexcept {
  if (!serves(entry.operation)) {
    const bool is_known = entry.operation == codes::fsync || entry.operation == codes::openat ||
                          entry.operation == codes::statx || entry.operation == codes::msg_ring ||
                          entry.operation == codes::send_zc;
    return is_known ? -EOPNOTSUPP : -EINVAL;
  }
  // Links and registered files; receiving and accepting many times; buffers, personalities and places that
  // are registered.
  const bool is_file_transfer = entry.operation == codes::read || entry.operation == codes::write;
  if ((entry.flags & ~kernel::entry_flag::runs_elsewhere) != 0 ||
      (entry.priority != 0 && !is_file_transfer) || entry.others[0] != 0) {
    return -EOPNOTSUPP;
  }
  switch (entry.operation) {
  case codes::timeout: return refusal_of_timeout(entry);
  case codes::poll: return entry.length <= kernel::poll_flag::stays ? 0 : -EOPNOTSUPP;
  case codes::cancel: {
    using namespace kernel::cancel_flag;
    return (entry.operation_flags & ~(all | by_descriptor | any | by_name)) == 0 ? 0 : -EOPNOTSUPP;
  }
  default: return 0;
  }
}

}  // namespace pinion::iosubmit::epoll_detail
