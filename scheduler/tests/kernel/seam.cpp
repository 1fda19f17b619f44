// SPDX-License-Identifier: Apache-2.0
#include "seam.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <pinion/base/kernel.hpp>
#include <span>

namespace pinion::scheduler::testing {
namespace {

constexpr std::size_t calls = static_cast<std::size_t>(call::count);

thread_local std::array<std::uint64_t, calls> made_here{};
thread_local std::uint32_t one_in_here = 0;
thread_local std::uint64_t draws_here = 0;
thread_local bool has_failed_here = false;
thread_local instant waits_here = never;

// Memory ordering: relaxed. A fault is set before the calls that are to meet it, by the thread that makes
// them, or by one that has pushed to it since.
std::atomic<call> failing{call::none};
std::atomic<int> error_of_it{0}, times_left{0}, times_met{0};

// What a kernel that is short of something answers now and then; 0 for calls of which nothing passes by
// itself.
int passing(call what) noexcept {
  switch (what) {
  case call::uring_submit: return EAGAIN;
  case call::uring_wait:
  case call::epoll_wait:
  case call::eventfd_wait: return EINTR;
  case call::eventfd_write: return EAGAIN;
  case call::message: return ENOMEM;
  default: return 0;
  }
}

// Never twice: a counter that was emptied is not full.
bool now_and_then() noexcept {
  if (one_in_here == 0) return false;
  draws_here ^= draws_here << 13U, draws_here ^= draws_here >> 7U, draws_here ^= draws_here << 17U;
  has_failed_here = !has_failed_here && draws_here % one_in_here == 0;
  return has_failed_here;
}

duration timeout_in(const kernel::wait_argument* argument) noexcept {
  if (argument == nullptr || argument->timeout == 0) return forever;
  return std::bit_cast<const kernel_time*>(argument->timeout)->length();
}

}  // namespace

const char* to_string(call what) noexcept {
  switch (what) {
  case call::uring_enter: return "io_uring_enter";
  case call::uring_submit: return "io_uring_enter, handing over";
  case call::uring_wait: return "io_uring_enter, waiting";
  case call::uring_enable: return "io_uring_register, enabling";
  case call::epoll_add: return "epoll_ctl, adding";
  case call::epoll_modify: return "epoll_ctl, modifying";
  case call::epoll_wait: return "epoll_pwait2";
  case call::epoll_wait_coarsely: return "epoll_wait";
  case call::epoll_attempt: return "an operation";
  case call::eventfd_write: return "write of an eventfd";
  case call::eventfd_read: return "read of an eventfd";
  case call::eventfd_wait: return "ppoll";
  case call::message: return "io_uring_register, sending";
  case call::timer_arm: return "timer_settime";
  case call::none:
  case call::count: break;
  }
  return "none";
}

std::uint64_t seam::made(call what) noexcept { return made_here[static_cast<std::size_t>(what)]; }

std::uint64_t seam::made() noexcept {
  std::uint64_t all = 0;
  for (std::uint64_t of_one : made_here) all += of_one;
  // Which were counted by what they do as well.
  return all - made(call::uring_submit) - made(call::uring_wait);
}

void seam::fail(const fault& how) noexcept {
  error_of_it.store(how.error, std::memory_order_relaxed);
  times_left.store(how.times, std::memory_order_relaxed);
  times_met.store(0, std::memory_order_relaxed);
  failing.store(how.what, std::memory_order_relaxed);
}

int seam::met() noexcept { return times_met.load(std::memory_order_relaxed); }

void seam::mend() noexcept { failing.store(call::none, std::memory_order_relaxed); }

void seam::fail_now_and_then(std::uint32_t one_in, std::uint64_t seed) noexcept {
  one_in_here = one_in;
  draws_here = seed | 1U;
}

int seam::before(call what) noexcept {
  ++made_here[static_cast<std::size_t>(what)];
  if (passing(what) != 0 && now_and_then()) return -passing(what);
  if (failing.load(std::memory_order_relaxed) != what) return 0;
  if (times_left.load(std::memory_order_relaxed) != fault::always &&
      times_left.fetch_sub(1, std::memory_order_relaxed) <= 0)
    return 0;
  times_met.fetch_add(1, std::memory_order_relaxed);
  return -error_of_it.load(std::memory_order_relaxed);
}

int seam::before_wait(call what, duration timeout) noexcept {
  if (timeout != duration{}) waits_here = timeout == forever ? never : monotonic_clock::now() + timeout;
  return before(what);
}

instant seam::last_wait() noexcept { return waits_here; }

void seam::forget_wait() noexcept { waits_here = never; }

int seam_uring::enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                      const kernel::wait_argument* argument) noexcept {
  int error = seam::before(call::uring_enter);
  if (submit != 0 && error == 0) error = seam::before(call::uring_submit);
  if (wait_for != 0 && error == 0) error = seam::before_wait(call::uring_wait, timeout_in(argument));
  return error != 0 ? error : uring_calls::enter(ring, submit, wait_for, flags, argument);
}

int seam_uring::enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) noexcept {
  const int error = what == kernel::registration::enable ? seam::before(call::uring_enable) : 0;
  return error != 0 ? error : uring_calls::enlist(ring, what, argument, count);
}

namespace ed = iosubmit::epoll_detail;

const ed::epoll_calls seam_epoll{
    .open = []() noexcept { return ed::system_calls.open(); },
    .close = [](int epoll) noexcept { ed::system_calls.close(epoll); },
    .watch =
        [](int epoll, ed::watch_change change, int descriptor, std::uint32_t events) noexcept {
          int error = 0;
          if (change == ed::watch_change::add) error = seam::before(call::epoll_add);
          if (change == ed::watch_change::modify) error = seam::before(call::epoll_modify);
          return error != 0 ? error : ed::system_calls.watch(epoll, change, descriptor, events);
        },
    .wait =
        [](int epoll, std::span<ed::descriptor_event> into, duration timeout) noexcept {
          const int error = seam::before_wait(call::epoll_wait, timeout);
          return error != 0 ? error : ed::system_calls.wait(epoll, into, timeout);
        },
    .wait_coarsely =
        [](int epoll, std::span<ed::descriptor_event> into, duration timeout) noexcept {
          const int error = seam::before_wait(call::epoll_wait_coarsely, timeout);
          return error != 0 ? error : ed::system_calls.wait_coarsely(epoll, into, timeout);
        },
    .attempt = [](const ring_entry& entry, bool again) noexcept -> std::int32_t {
      const int error = seam::before(call::epoll_attempt);
      return error != 0 ? error : ed::system_calls.attempt(entry, again);
    }};

int seam_eventfd::add_one(int descriptor) noexcept {
  const int error = seam::before(call::eventfd_write);
  return error != 0 ? error : eventfd_calls::add_one(descriptor);
}

int seam_eventfd::take(int descriptor) noexcept {
  const int error = seam::before(call::eventfd_read);
  return error != 0 ? error : eventfd_calls::take(descriptor);
}

int seam_eventfd::wait(int descriptor, duration timeout) noexcept {
  const int error = seam::before_wait(call::eventfd_wait, timeout);
  return error != 0 ? error : eventfd_calls::wait(descriptor, timeout);
}

int seam_message::send(int ring, std::uint64_t user_data) noexcept {
  const int error = seam::before(call::message);
  return error != 0 ? error : msg_ring_calls::send(ring, user_data);
}

int seam_timer::arm(timer_id timer, instant at) noexcept {
  const int error = seam::before(call::timer_arm);
  return error != 0 ? error : posix_timer_calls::arm(timer, at);
}

}  // namespace pinion::scheduler::testing
