// SPDX-License-Identifier: Apache-2.0
//
// The system calls of msg_ring_notifier, and why one can't be made. Those of its eventfd are
// eventfd_notifier's.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <pinion/base/refusal.hpp>
#include <pinion/waker/msg_ring_notifier.hpp>
#include <string>
#include <system_error>

namespace pinion::waker {
namespace {

constexpr int no_ring = -1;

int send_synchronously(const ring_entry* entry) noexcept {
  return ::syscall(SYS_io_uring_register, no_ring, kernel::registration::send_message, entry, 1) < 0 ? -errno
                                                                                                     : 0;
}

}  // namespace

void msg_ring_detail::refuse(int ring, int error) {
  refusal why{.code = {error, std::generic_category()},
              .asked = "a notifier over the io_uring with descriptor " + std::to_string(ring),
              .reason = std::generic_category().message(error),
              .remedy = "close some descriptors, or raise the limit (ulimit -n)"};
  if (error == EBADF) {
    why.reason = ring < 0 ? "its port has no io_uring" : "the descriptor is closed";
    why.remedy =
        "make the notifier while the ring is open; an owner without an io_uring takes an eventfd_notifier";
  }
  throw_refusal(why);
}

int msg_ring_calls::duplicate(int ring) noexcept {
  const int copy = ::fcntl(ring, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? -errno : copy;
}

// A kernel that knows the call reads its argument first: EFAULT, for an address that nothing is mapped at. An
// older one looks at the descriptor first and says EBADF, or refuses the operation.
bool msg_ring_calls::can_send() noexcept {
  constexpr std::uintptr_t unmapped = 8;
  return send_synchronously(std::bit_cast<const ring_entry*>(unmapped)) == -EFAULT;
}

int msg_ring_calls::send(int ring, std::uint64_t user_data) noexcept {
  const ring_entry entry = msg_ring_detail::message_to(ring, user_data);
  return send_synchronously(&entry);
}

}  // namespace pinion::waker
