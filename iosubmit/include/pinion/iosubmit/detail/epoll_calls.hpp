// SPDX-License-Identifier: Apache-2.0
//
// epoll_calls: what epoll_ring asks the operating system for, as a table, so that tests can have it fail.
//
// attempt() carries out one entry without waiting, whatever the descriptor's own mode is: recv and send by
// MSG_DONTWAIT, read and write by RWF_NOWAIT. Where there is no such form, that leaves something for the
// caller to know:
//
//   accept   takes what a look has seen. Where another thread or program takes from the same listener, which
//            blocks, the look may be out of date, and the accept wait: make such a listener nonblocking.
//   connect, and read and write of what has no RWF_NOWAIT (terminals; pipes before Linux 6.4)
//            make a descriptor that blocks nonblocking during the call: its other users may see it.
//
//   epoll_calls silent = system_calls;
//   silent.wait = [](int, std::span<descriptor_event>, duration) noexcept { return -EINTR; };
//   epoll_ring ring{{}, silent};
#pragma once

#include <cstdint>
#include <limits>
#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <span>

namespace pinion::iosubmit::epoll_detail {

/// The kernel's bits of what a descriptor is ready for, and of how it is watched.
namespace epoll_events {
/// As epoll_ctl(2) has them.
inline constexpr std::uint32_t readable = 0x001;
inline constexpr std::uint32_t priority = 0x002;
inline constexpr std::uint32_t writable = 0x004;
inline constexpr std::uint32_t failed = 0x008;   ///< reported unasked
inline constexpr std::uint32_t hung_up = 0x010;  ///< reported unasked
inline constexpr std::uint32_t every = 0xffff;   ///< what poll(2) can ask for
inline constexpr std::uint32_t once = 1U << 30;  ///< watched until it was reported
inline constexpr std::uint32_t edge = 1U << 31;  ///< reported when it changes
}  // namespace epoll_events

/// A descriptor, and what it is ready for.
struct descriptor_event {
  std::int32_t descriptor = -1;
  std::uint32_t events = 0;
};

/// What becomes of a descriptor's place in an epoll.
enum class watch_change : std::uint8_t { add, modify, forget };

/// Errors are negative. All are set.
struct epoll_calls {
  /// Of attempt(): it would have waited.
  static constexpr std::int32_t not_yet = std::numeric_limits<std::int32_t>::min();

  /// A new epoll, closed on exec.
  int (*open)() noexcept;
  /// Gives it back.
  void (*close)(int epoll) noexcept;
  /// Changes what is watched there.
  int (*watch)(int epoll, watch_change change, int descriptor, std::uint32_t events) noexcept;
  /// Waits until something is ready, at most for so long; how many were written. -ENOSYS before Linux 5.11.
  int (*wait)(int epoll, std::span<descriptor_event> into, duration timeout) noexcept;
  /// As wait(), but in whole milliseconds, rounded up.
  int (*wait_coarsely)(int epoll, std::span<descriptor_event> into, duration timeout) noexcept;
  /// Carries out a poll, read, write, recv, send, accept, connect or close: its result, or not_yet. `again`:
  /// it was not_yet before.
  std::int32_t (*attempt)(const ring_entry& entry, bool again) noexcept;
};

/// The operating system's.
PINION_EXPORT extern const epoll_calls system_calls;

}  // namespace pinion::iosubmit::epoll_detail
