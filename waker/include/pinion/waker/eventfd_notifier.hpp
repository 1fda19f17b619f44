// SPDX-License-Identifier: Apache-2.0
//
// eventfd_notifier: a signal that makes a descriptor readable: for epoll, poll, and io_uring's multishot
// poll.
//
// The owner's loop watches descriptor() beside its sockets. With EPOLLET (and with multishot poll) each
// signal is an event of its own, and nothing has to be read; watched for its level, it stays ready until
// consume().
//
//   eventfd_notifier bell;
//   epoll_ctl(epoll, EPOLL_CTL_ADD, bell.descriptor(), &event);
//   bell.signal();                                                    // any thread
//   bell.wait(until);                                                 // an owner that waits for nothing else
//
// What goes wrong. A counter that is full (EAGAIN, after 2^64 - 2 signals that nobody read) is emptied and
// written again: it was readable, but who watches for edges hears nothing of a write that fails. A descriptor
// that somebody closed (EBADF): signal() answers false, and what was pushed stays in the inbox until the
// owner looks. Each failure is reported. The number may by then name another file, which is why nobody but
// the notifier may close it. In a child of fork() the descriptor is the parent's as well, and a signal there
// wakes the parent: build another one.
//
// Memory ordering. There is no word here; a signal and the wait that it ends are ordered by the kernel.
// Nothing relies on it: what was pushed is published by the inbox.
#pragma once

#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/waker/attachment.hpp>
#include <system_error>

namespace pinion::waker {

/// What eventfd_notifier asks the operating system for, apart, so that tests can have it fail. Errors are
/// negative.
struct PINION_EXPORT eventfd_calls {
  /// A new counter at 0, closed on exec, that blocks nobody.
  static int open() noexcept;
  /// Adds one.
  static int add_one(int descriptor) noexcept;
  /// Takes all; -EAGAIN if there is nothing.
  static int take(int descriptor) noexcept;
  /// Waits until it is readable, at most for so long: 1; 0 if not.
  static int wait(int descriptor, duration timeout) noexcept;
  /// Gives it back.
  static void close(int descriptor) noexcept;
};

namespace eventfd_detail {
PINION_EXPORT [[noreturn]] void refuse(int error);

/// The descriptor that an open() answered, or its error as a refusal.
inline int opened(int result) {
  if (result < 0) refuse(-result);
  return result;
}

PINION_EXPORT void complain(const char* what, int error) noexcept;
/// In place of a wait that can't be: a millisecond at most, so that an owner does not spin.
PINION_EXPORT void sleep(duration at_most) noexcept;

/// Adds one, so that the descriptor becomes readable once more. An error other than a full counter, which is
/// readable; else 0.
template <class Calls>
int ring(int descriptor) noexcept {
  constexpr int again = static_cast<int>(std::errc::resource_unavailable_try_again);
  int result = Calls::add_one(descriptor);
  if (result == -again) {
    Calls::take(descriptor);
    result = Calls::add_one(descriptor);
  }
  return result == -again || result > 0 ? 0 : result;
}
}  // namespace eventfd_detail

/// Over any such calls.
template <class Calls>
class basic_eventfd_notifier {
 public:
  /// A descriptor of its own. Throws a refusal, see throw_refusal(), when the process or the machine has no
  /// more of them.
  basic_eventfd_notifier() : descriptor_(eventfd_detail::opened(Calls::open())) {}
  /// The same, for an owner with that ring, as a msg_ring_notifier is made: attach() is what joins them.
  template <ring_watcher Io>
  explicit basic_eventfd_notifier(Io& /*owner*/) : basic_eventfd_notifier() {}
  basic_eventfd_notifier(const basic_eventfd_notifier&) = delete;
  basic_eventfd_notifier& operator=(const basic_eventfd_notifier&) = delete;
  /// Closes the descriptor: no signal may be on its way. wake_channel sees to that.
  ~basic_eventfd_notifier() { Calls::close(descriptor_); }

  /// From here on, and as long as the attachment lives, signals end the waits of that ring's owner, or of
  /// that epoll.
  template <ring_watcher Io>
  [[nodiscard]] ring_watch<Io> attach(Io& io) {
    return {io, descriptor_, is_attached_};
  }
  [[nodiscard]] epoll_watch attach(const epoll_set& set) { return {set, descriptor_, is_attached_}; }

  /// What becomes readable.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// Makes the descriptor readable: one system call. Any thread. False, and a report, if it can't.
  bool signal() noexcept {  // NOLINT(readability-make-member-function-const): it changes the counter
    const int result = eventfd_detail::ring<Calls>(descriptor_);
    if (result == 0) return true;
    eventfd_detail::complain("signal an owner", -result);
    return false;
  }

  /// The owner: makes the descriptor unreadable, and says whether it was readable.
  bool consume() noexcept {  // NOLINT(readability-make-member-function-const): it changes the counter
    const int result = Calls::take(descriptor_);
    if (result < 0 && result != -again) eventfd_detail::complain("read an owner's signals", -result);
    return result >= 0;
  }

  /// The owner: waits for a signal until then, and consumes it. True if there was one. May end early, with
  /// false: where it fails, after a millisecond.
  bool wait(instant until) noexcept {
    const duration timeout = until == never ? forever : until - monotonic_clock::now();
    const int result = Calls::wait(descriptor_, timeout);
    if (result < 0 && result != -interrupted) {
      eventfd_detail::complain("wait for a signal", -result);
      eventfd_detail::sleep(timeout);
    }
    return result > 0 && consume();
  }

 private:
  static constexpr int again = static_cast<int>(std::errc::resource_unavailable_try_again);
  static constexpr int interrupted = static_cast<int>(std::errc::interrupted);

  int descriptor_;
  bool is_attached_ = false;  // the owner's
};

/// The notifier that is shipped.
using eventfd_notifier = basic_eventfd_notifier<eventfd_calls>;

}  // namespace pinion::waker
