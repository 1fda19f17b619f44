// SPDX-License-Identifier: Apache-2.0
//
// The system calls of epoll_watch, and what attachments say where they fail.
#include <sys/epoll.h>

#include <cerrno>
#include <cstdio>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/waker/attachment.hpp>
#include <string>
#include <system_error>

namespace pinion::waker::attach_detail {

void refuse_second() {
  throw_refusal({.code = std::make_error_code(std::errc::device_or_resource_busy),
                 .asked = "to attach a channel or its notifier to a loop",
                 .reason = "another loop has it, and each of the two would take wakes away from the other",
                 .remedy = "give each loop a channel of its own, or let the first attachment go before"});
}

bool passes(int error, bool again) noexcept {
  const bool is_passing =
      error == ENOMEM || error == ENOBUFS || error == EAGAIN || error == EBUSY || error == EINTR;
  char text[300];
  if (!is_passing) {
    std::snprintf(
        text, sizeof text,
        "a notifier's eventfd can't be watched in the ring: errno %d; most likely the kernel has no "
        "poll that stays (before 5.13), or the ring was made with IOPOLL. Wakes by it end no wait: "
        "take an epoll_ring, or a ring without IOPOLL",
        error);
    report(severity::error, "waker", "no-watch", text);
  } else if (again) {
    std::snprintf(
        text, sizeof text,
        "a notifier's eventfd can't be watched in the ring for now: errno %d; it is tried again each "
        "millisecond, and wakes by it come late. Free memory, or raise the limit of the control group "
        "(memory.max)",
        error);
    report(severity::warning, "waker", "watch-waits", text);
  }
  return is_passing;
}

void add_to_epoll(const epoll_set& set, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = set.data;
  if (::epoll_ctl(set.descriptor, EPOLL_CTL_ADD, descriptor, &event) == 0) return;
  const int error = errno;
  refusal why{.code = {error, std::generic_category()},
              .asked = "to attach a notifier to epoll " + std::to_string(set.descriptor),
              .reason = {},
              .remedy = {}};
  switch (error) {
  case EBADF:
  case EINVAL:
    why.reason = "that is no open epoll";
    why.remedy = "give epoll_create1()'s descriptor, and close it after the attachment is gone";
    break;
  case ENOSPC:
    why.reason = "the user watches as many descriptors as a user may";
    why.remedy = "raise the limit (sysctl fs.epoll.max_user_watches)";
    break;
  default:
    why.reason = why.code.message();
    why.remedy = "free memory, or raise the limit of the control group (memory.max)";
  }
  throw_refusal(why);
}

void take_from_epoll(const epoll_set& set, int descriptor) noexcept {
  epoll_event unused{};
  ::epoll_ctl(set.descriptor, EPOLL_CTL_DEL, descriptor, &unused);
}

}  // namespace pinion::waker::attach_detail
