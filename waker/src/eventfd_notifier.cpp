// SPDX-License-Identifier: Apache-2.0
//
// The system calls of eventfd_notifier, and what it says when one fails.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/waker/eventfd_notifier.hpp>
#include <system_error>

namespace pinion::waker {

int eventfd_calls::open() noexcept {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

int eventfd_calls::add_one(int descriptor) noexcept {
  const std::uint64_t one = 1;
  for (;;) {
    if (::write(descriptor, &one, sizeof one) >= 0) return 0;
    if (errno != EINTR) return -errno;
  }
}

int eventfd_calls::take(int descriptor) noexcept {
  std::uint64_t count = 0;
  for (;;) {
    if (::read(descriptor, &count, sizeof count) >= 0) return 0;
    if (errno != EINTR) return -errno;
  }
}

int eventfd_calls::wait(int descriptor, duration timeout) noexcept {
  pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
  const auto limit = kernel_time::of(timeout).as<timespec>();
  const int ready = ::ppoll(&watched, 1, timeout == forever ? nullptr : &limit, nullptr);
  if (ready < 0) return -errno;
  return ready > 0 && (watched.revents & POLLNVAL) != 0 ? -EBADF : ready;
}

void eventfd_calls::close(int descriptor) noexcept { ::close(descriptor); }

void eventfd_detail::refuse(int error) {
  refusal why{.code = {error, std::generic_category()},
              .asked = "the eventfd of a notifier",
              .reason = {},
              .remedy = {}};
  switch (error) {
  case EMFILE:
    why.reason = "the process has as many descriptors as it may have";
    why.remedy = "raise the limit (ulimit -n), or close some";
    break;
  case ENFILE:
    why.reason = "the machine has as many descriptors as it may have";
    why.remedy = "raise the limit (sysctl fs.file-max), or close some";
    break;
  case ENOMEM:
    why.reason = "the kernel has no memory for it";
    why.remedy = "free memory, or raise the limit of the control group (memory.max)";
    break;
  default:
    why.reason = why.code.message() + ", most likely a sandbox (seccomp) forbids it";
    why.remedy = "allow eventfd2, or take a futex_notifier where the owner waits for nothing but wakes";
  }
  throw_refusal(why);
}

void eventfd_detail::complain(const char* what, int error) noexcept {
  char text[200];
  std::snprintf(
      text, sizeof text,
      "could not %s: errno %d; most likely the notifier's eventfd was closed by somebody else. What was "
      "pushed stays queued until its owner looks",
      what, error);
  report(severity::error, "waker", "eventfd-lost", text);
}

void eventfd_detail::sleep(duration at_most) noexcept {
  constexpr duration longest{1'000'000};
  const auto length = kernel_time::of(std::min(at_most, longest)).as<timespec>();
  ::nanosleep(&length, nullptr);
}

}  // namespace pinion::waker
