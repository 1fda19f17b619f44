// SPDX-License-Identifier: Apache-2.0
//
// epoll_ring: a ring that is made of readiness, for machines where io_uring is forbidden.
//
// It reads the same entries. Each is tried at once, without waiting. What would have to wait is kept in a
// slot, and tried again when epoll says that its descriptor is ready. Served are nop, poll (also one that
// stays), read and write (of pipes, sockets, eventfds and terminals), recv, send, accept, connect, close,
// timeout and cancel. The rest is answered with -EOPNOTSUPP: fsync, msg_ring, read and write of files that
// have content, linked entries, registered files and buffers, receiving and accepting many times, sending
// in place. A number that no operation has is answered with -EINVAL.
//
//   auto ring = epoll_ring::open({.entries = 256});
//   if (!ring) return to_string(ring.error());         // too many descriptors, most likely
//   submission<batch_or_idle, epoll_ring> io{std::move(*ring)};
//
// Several operations may wait on one descriptor. Those that take from it are served in the order in which
// they were queued, and so are those that put into it. An error or a hang-up has all of them tried.
//
// Where it differs from the kernel's ring:
//
//   close            answers what waits on the descriptor with -ECANCELED: a closed number can't be watched
//   a descriptor that is closed behind the ring's back
//                    what waits there is answered when it is cancelled; or with -EBADF when the number is
//                    another file's by then and is waited for again. Cancel first
//   MSG_WAITALL      may be answered with fewer
//   accept, connect, read and write of terminals
//                    see detail/epoll_calls.hpp, for descriptors that block and are shared
//   has_completions  is false until an enter has looked, so wants_enter() is true as long as something waits
//
// A slot is held from the enter that takes the entry until the completion is reaped. There are
// options.in_flight of them. Where more are needed, they double: nothing else is allocated after open().
// Where there is no memory for that, an enter takes fewer entries and says -EAGAIN; they stay pending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>
#include <utility>

namespace pinion::iosubmit {

namespace epoll_detail {
// What the ring asks the system for, as a table: tests put another one in its place (detail/epoll_calls.hpp).
struct epoll_calls;
PINION_EXPORT extern const epoll_calls system_calls;
}  // namespace epoll_detail

inline namespace PINION_MODE {

/// How large an epoll_ring is.
struct epoll_ring_options {
  std::uint32_t entries = 256;     ///< that may be put before an enter
  std::uint32_t in_flight = 1024;  ///< taken and not reaped, before anything is allocated
};

/// All members are the owner's.
class PINION_EXPORT epoll_ring {
 public:
  /// A ring, or why there is none: EMFILE and ENFILE (too many descriptors are open), ENOMEM, or what a
  /// sandbox says. Throws std::bad_alloc.
  [[nodiscard]] static expected<epoll_ring, refusal>
  open(const epoll_ring_options& options,
       const epoll_detail::epoll_calls& calls = epoll_detail::system_calls);
  /// As open(); throws the refusal (throw_refusal).
  explicit epoll_ring(const epoll_ring_options& options,
                      const epoll_detail::epoll_calls& calls = epoll_detail::system_calls);
  /// Moves all of it. What is left may be destroyed.
  epoll_ring(epoll_ring&& from) noexcept;
  epoll_ring& operator=(epoll_ring&&) = delete;
  /// What is in flight is not answered any more: submission::stop() comes before.
  ~epoll_ring();

  /// Whether it serves that operation; for read and write: of descriptors that can be waited for.
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept;
  /// So many may be put before an enter.
  [[nodiscard]] std::uint32_t room() const noexcept;
  /// Takes an entry, where there is room.
  void put(const ring_entry& entry) noexcept;
  /// Put, and not accepted.
  [[nodiscard]] std::uint32_t pending() const noexcept;
  /// Whether reap() would hand out some.
  [[nodiscard]] bool has_completions() const noexcept { return answered() != 0; }
  /// Whether something waits: only an enter looks whether it is there.
  [[nodiscard]] bool wants_enter() const noexcept;

  /// Carries out what is pending, and waits. -EINTR for a signal, -EAGAIN where there was no memory for all
  /// of it. Any other error means that the epoll is no longer there, and has been the answer to all that
  /// waited.
  ring_entered enter(const ring_wait& wait) noexcept;

  /// Hands out what is there when it begins. The sink may put and enter.
  template <class Sink>
  std::size_t reap(Sink&& sink) noexcept {
    const std::uint32_t count = answered();
    for (std::uint32_t k = 0; k != count; ++k) sink(take_completion());
    return count;
  }

  /// Hands out what is pending, as entries.
  template <class Sink>
  std::size_t withdraw(Sink&& sink) noexcept {
    const std::uint32_t count = pending();
    for (std::uint32_t k = 0; k != count; ++k) sink(take_entry());
    return count;
  }

 private:
  class state;
  // Of two arguments, for `{{}}`, which means options.
  struct opened {};
  epoll_ring(opened tag, std::unique_ptr<state> made) noexcept;

  [[nodiscard]] std::uint32_t answered() const noexcept;
  ring_completion take_completion() noexcept;
  ring_entry take_entry() noexcept;

  std::unique_ptr<state> state_;
};

}  // namespace PINION_MODE
}  // namespace pinion::iosubmit
