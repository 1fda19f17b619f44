// SPDX-License-Identifier: Apache-2.0
//
// When an epoll_ring stands in for io_uring, and what is said then.
#include <cerrno>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/default_ring.hpp>
#include <string>

namespace pinion::iosubmit::fallback_detail {

// Once a ring was made, what mmap refuses is a limit: it says EPERM where locked memory is used up.
bool is_out_of_reach(const ring_refusal& refusal) noexcept {
  if (refusal.call == refused_call::features || refusal.call == refused_call::enlist) return true;
  return refusal.call == refused_call::setup && (refusal.error == -ENOSYS || refusal.error == -EPERM ||
                                                 refusal.error == -EACCES || refusal.error == -EINVAL);
}

void tell_of_fallback(const ring_refusal& refusal) {
  report(severity::warning, "iosubmit", "ring-fallback",
         "an epoll_ring serves instead of io_uring. fsync, msg_ring, and read and write of files that have "
         "content are answered with EOPNOTSUPP there: do them on another thread. Why: " +
             to_string(refusal));
}

}  // namespace pinion::iosubmit::fallback_detail
