// SPDX-License-Identifier: Apache-2.0
//
// seam: the system calls that the parts of a turn make, counted, and failing when a test says so. Each part
// is the shipped one over these calls, and what does not fail goes to the kernel.
//
//   const std::uint64_t before = seam::made(call::uring_enter);        // by this thread
//   seam::fail({.what = call::uring_enter, .error = EINTR, .times = 1});
//   seam::mend();
//
// Faults are for all threads of the program. A fault comes before the call, so the kernel has done nothing of
// it.
#pragma once

#include <cstdint>
#include <limits>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <pinion/preempt/detail/posix_timer_calls.hpp>
#include <pinion/waker/msg_ring_notifier.hpp>

namespace pinion::scheduler::testing {

/// What is counted and can fail. An enter is one that hands something over, one that waits, or both.
enum class call : std::uint8_t {
  none,
  uring_enter,
  uring_submit,
  uring_wait,
  uring_enable,
  epoll_add,
  epoll_modify,
  epoll_wait,
  epoll_wait_coarsely,
  epoll_attempt,
  eventfd_write,
  eventfd_read,
  eventfd_wait,
  message,
  timer_arm,
  count
};

/// "io_uring_enter", …
[[nodiscard]] const char* to_string(call what) noexcept;

/// What is to fail: the next so many of these calls, with that errno.
struct fault {
  static constexpr int always = std::numeric_limits<int>::max();
  call what = call::none;
  int error = 0;
  int times = always;
};

struct seam {
  /// How many of these calls the calling thread has made, those that failed included.
  [[nodiscard]] static std::uint64_t made(call what) noexcept;
  /// All that a turn makes: what enters, waits, writes, reads, sends or arms.
  [[nodiscard]] static std::uint64_t made() noexcept;

  /// Until when the calling thread's last wait was to last, as the kernel was told; `never` where it was told
  /// no end, or there was no such wait since forget_wait().
  [[nodiscard]] static instant last_wait() noexcept;
  static void forget_wait() noexcept;

  /// From here on; one fault at a time. How often it was met so far.
  static void fail(const fault& how) noexcept;
  static int met() noexcept;
  /// Nothing fails any more.
  static void mend() noexcept;
  /// Of the calling thread one call in so many fails with what passes by itself; 0: none does.
  static void fail_now_and_then(std::uint32_t one_in, std::uint64_t seed) noexcept;

  /// For the calls below: counts, and says with which negative errno it fails, or 0.
  static int before(call what) noexcept;
  static int before_wait(call what, duration timeout) noexcept;
};

/// The calls of a uring_ring.
struct seam_uring : iosubmit::uring_calls {
  static int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                   const kernel::wait_argument* argument) noexcept;
  static int enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) noexcept;
};
/// Those of an epoll_ring.
extern const iosubmit::epoll_detail::epoll_calls seam_epoll;

/// Those of the notifiers.
struct seam_eventfd : waker::eventfd_calls {
  static int add_one(int descriptor) noexcept;
  static int take(int descriptor) noexcept;
  static int wait(int descriptor, duration timeout) noexcept;
};
struct seam_message : waker::msg_ring_calls {
  static int add_one(int descriptor) noexcept { return seam_eventfd::add_one(descriptor); }
  static int take(int descriptor) noexcept { return seam_eventfd::take(descriptor); }
  static int wait(int descriptor, duration timeout) noexcept {
    return seam_eventfd::wait(descriptor, timeout);
  }
  static int send(int ring, std::uint64_t user_data) noexcept;
};

/// Those of a posix_timer_source.
struct seam_timer : preempt::posix_timer_calls {
  static int arm(timer_id timer, instant at) noexcept;
};

}  // namespace pinion::scheduler::testing
