// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <cerrno>
#include <string_view>

namespace pinion::scheduler::testing {
namespace {

using enum call;
using enum outcome;

constexpr int storm = 500;

bool makes(const composition& of, call what) {
  const bool has_uring = of.ring == "uring_ring" || of.ring == "either_ring";
  const bool has_eventfd = of.notifier == "eventfd_notifier";
  switch (what) {
  case uring_enter:
  case uring_submit:
  case uring_wait:
  case uring_enable: return has_uring;
  case epoll_add:
  case epoll_modify:
  case epoll_wait:
  case epoll_wait_coarsely:
  case epoll_attempt: return of.policy != "none" && !has_uring;
  case eventfd_read:
  case eventfd_wait: return has_eventfd && of.ring == "none";
  // A sender without a ring sends a message; where the owner has none either, it writes.
  case eventfd_write: return has_eventfd || (of.notifier == "msg_ring_notifier" && !has_uring);
  case message: return of.notifier == "msg_ring_notifier" && has_uring;
  case timer_arm: return of.source == "posix_timer_source";
  case none:
  case count: break;
  }
  return false;
}

}  // namespace

const std::vector<faulty>& faults() {
  static const std::vector<faulty> all{
      {uring_wait, EINTR, "EINTR", passes, storm},
      {uring_wait, ETIME, "ETIME", passes, storm},
      {uring_submit, EAGAIN, "EAGAIN", passes},
      {uring_submit, EBUSY, "EBUSY", passes},
      {uring_enter, ENOSYS, "ENOSYS", is_reported},
      {uring_enter, EPERM, "EPERM", is_reported},
      {uring_enter, EACCES, "EACCES", is_reported},
      {uring_enter, EINVAL, "EINVAL", is_reported},
      {uring_enter, EBADF, "EBADF", is_reported},
      {uring_enter, EBADFD, "EBADFD", is_reported},
      {uring_enter, EEXIST, "EEXIST", is_reported},
      {uring_enter, EFAULT, "EFAULT", is_reported},
      {uring_enter, ENXIO, "ENXIO", is_reported},
      {uring_enter, ENOMEM, "ENOMEM", is_reported},
      {uring_enter, EOPNOTSUPP, "EOPNOTSUPP", is_reported},
      {uring_enter, EOWNERDEAD, "EOWNERDEAD", is_reported},
      {uring_enable, EPERM, "EPERM", ends_watches, fault::always, true},
      {uring_enable, EBADFD, "EBADFD", ends_watches, fault::always, true},
      {uring_enter, ENOMEM, "ENOMEM", is_reported, fault::always, true},
      {epoll_wait, EINTR, "EINTR", passes, storm},
      {epoll_wait, ENOSYS, "ENOSYS", passes},
      {epoll_wait, EPERM, "EPERM", passes},
      {epoll_wait, EBADF, "EBADF", ends_watches},
      {epoll_wait, EINVAL, "EINVAL", ends_watches},
      {epoll_wait, EFAULT, "EFAULT", ends_watches},
      {epoll_add, ENOMEM, "ENOMEM", is_answer},
      {epoll_add, ENOSPC, "ENOSPC", is_answer},
      {epoll_add, EPERM, "EPERM", is_answer},
      {epoll_add, ENOMEM, "ENOMEM", passes_once, storm, true},
      {epoll_add, ENOSPC, "ENOSPC", is_deaf, fault::always, true},
      {epoll_modify, ENOMEM, "ENOMEM", is_answer},
      {epoll_modify, EBADF, "EBADF", is_answer},
      {eventfd_write, EAGAIN, "EAGAIN", passes, 1},
      {eventfd_write, EBADF, "EBADF", is_deaf},
      {eventfd_write, EINVAL, "EINVAL", is_deaf},
      {eventfd_read, EAGAIN, "EAGAIN", passes, storm},
      {eventfd_wait, EINTR, "EINTR", passes, storm},
      {eventfd_wait, ENOMEM, "ENOMEM", is_reported},
      {eventfd_wait, EINVAL, "EINVAL", is_reported},
      {eventfd_wait, EBADF, "EBADF", is_reported},
      {eventfd_wait, EFAULT, "EFAULT", is_reported},
      {message, EINVAL, "EINVAL", passes},
      {message, ENOSYS, "ENOSYS", passes},
      {message, EPERM, "EPERM", passes},
      {message, EBADF, "EBADF", passes},
      {message, EBADFD, "EBADFD", passes},
      {message, ENOMEM, "ENOMEM", passes},
      {message, EAGAIN, "EAGAIN", passes},
      {message, EBUSY, "EBUSY", passes},
      {timer_arm, EINVAL, "EINVAL", is_reported},
  };
  return all;
}

std::vector<composition> compositions_that_make(call what) {
  std::vector<composition> all;
  for (const composition& each : all_compositions()) {
    const bool is_usual = each.store == "deferred_wheel" && each.inbox == "tagged_inbox" &&
                          each.source == (what == timer_arm ? "posix_timer_source" : "never_due");
    // The two extremes.
    const std::string_view policy = each.notifier == "eventfd_notifier" ? "immediate" : "batch_or_idle";
    if (is_usual && (each.policy == policy || each.policy == "none") && makes(each, what))
      all.push_back(each);
  }
  return all;
}

}  // namespace pinion::scheduler::testing
