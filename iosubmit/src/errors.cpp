// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/detail/errors.hpp>

namespace pinion::iosubmit::errors {
bool is_passing(std::int32_t error) noexcept {
  static_assert(completions_lost == -EBADR);
  return error == -EINTR || error == -EAGAIN || error == -EBUSY || error == -ETIME ||
         error == completions_lost;
}

std::string_view explain_enter(std::int32_t error) noexcept {
  switch (-error) {
  case EINTR: return "a signal ended a wait in io_uring_enter: go round, and wait again";
  case EAGAIN:
    return "io_uring_enter had no memory for requests just now: what is queued is kept and tried again; free "
           "memory, or raise the "
           "limit of the control group (memory.max)";
  case EBUSY:
    return "io_uring_enter takes nothing while completions overflow: reap first; a larger completion queue "
           "makes it rarer";
  case ETIME: return "a wait in io_uring_enter reached its end";
  case ENOMEM:
    return "io_uring_enter had no memory for what it keeps of this thread: free memory, or raise the limit "
           "of the control group (memory.max)";
  case EBADR:
    return "the kernel has dropped completions for want of memory: operations are lost, and their owners "
           "will not be told; free "
           "memory, or create a larger completion queue";
  case EEXIST:
    return "io_uring_enter was called by another thread than the ring's owner: a ring belongs to the thread "
           "that enters it first; "
           "queue from that thread, or wake it (pinion::waker)";
  case EBADFD: return "the ring is not enabled yet: its owner enables it with its first enter";
  case EBADF:
    return "the descriptor of the ring is closed: look for a double close in the program; or another thread "
           "than the ring's owner entered it, where its descriptor is registered: queue from the owner, or "
           "wake it (pinion::waker)";
  case EOPNOTSUPP:
    return "the descriptor of the ring names something else by now: look for a double close in the program";
  case EPERM:
  case EACCES:
    return "io_uring_enter is forbidden here: most likely a seccomp profile was set after the ring was made; "
           "allow "
           "io_uring_enter, or take an epoll_ring";
  case ENOSYS: return "there is no io_uring_enter here: most likely a sandbox hides it; take an epoll_ring";
  case EINVAL:
    return "io_uring_enter knows none of what it was asked: the kernel is older than Linux 5.11; or another "
           "thread than the ring's owner entered it, where its descriptor is registered: queue from the "
           "owner, or wake it (pinion::waker)";
  case EFAULT:
    return "the memory of the ring is not mapped: most likely the process forked; make a ring of the child's "
           "own";
  case EOWNERDEAD: return "the kernel's thread of the ring is dead: make another ring";
  default:
    return "io_uring_enter was refused for a reason that this library has not met: see errno in "
           "io_uring_enter(2)";
  }
}

// The first error of a process must not hide the others: each has a key of its own.
void complain(std::int32_t error) noexcept {
  char key[32];
  std::snprintf(key, sizeof key, "enter-errno-%d", -error);
  report(severity::error, "iosubmit", key, explain_enter(error));
}

void complain_of_stranger(std::uint64_t user_data) noexcept {
  char text[256];
  std::snprintf(
      text, sizeof text,
      "a completion with user_data %#llx is dropped: it names no answer; most likely another ring sent it "
      "as a message, whose user_data needs a mark of 2 or more in its lowest three bits",
      static_cast<unsigned long long>(user_data));
  report(severity::error, "iosubmit", "stranger", text);
}

void complain_of_let_go(std::uint32_t count) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "%u operations are let go without an answer: answers queued them while their submission was "
                "destroyed; look at the result before you queue again, and let -ECANCELED end it",
                count);
  report(severity::warning, "iosubmit", "let-go", text);
}

}  // namespace pinion::iosubmit::errors
