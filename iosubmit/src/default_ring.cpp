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
  report(severity::warning, "iosubmit",
         "an epoll_ring serves instead of io_uring. fsync, msg_ring, and read and write of files that have "
         "content "
         "are answered with EOPNOTSUPP there: do them on another thread. Why: " +
             to_string(refusal));
}

ring_refusal refusal_of(const std::error_code& error, const epoll_ring_options& options) noexcept {
  ring_refusal why;
  why.error = -error.value();
  why.call = refused_call::epoll;
  why.entries = options.entries;
  why.completion_entries = options.in_flight;
  const bool is_full = error.value() == EMFILE || error.value() == ENFILE;
  why.cause = is_full ? "as many descriptors are open as may be (RLIMIT_NOFILE, fs.file-max)"
                      : "the machine is short of memory, or a sandbox forbids epoll_create1";
  why.remedy = is_full ? "close some, or raise the limit (ulimit -n)"
                       : "free memory, or have the sandbox allow epoll_create1, epoll_ctl and epoll_wait";
  return why;
}

}  // namespace pinion::iosubmit::fallback_detail
