// SPDX-License-Identifier: Apache-2.0
//
// posix_timer_source: how it says no.
#include <pinion/preempt/posix_timer_source.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/refusal.hpp>
#include <string>
#include <system_error>

namespace pinion::preempt::posix_timer_detail {
namespace {

struct explanation {
  const char* cause;
  const char* remedy;
};

explanation explain_no_timer(int error) noexcept {
  switch (error) {
  case EAGAIN:
    return {"this user has as many timers and queued signals, in all processes, as the limit allows",
            "raise the limit (ulimit -i, LimitSIGPENDING= of a service), end some timers"};
  case ENOMEM:
    return {"the kernel had no memory for it",
            "free some, raise the limit of the control group (memory.max)"};
  case EPERM:
  case EACCES:
  case ENOSYS:
    return {
        "timer_create is forbidden or missing, most likely a filter of system calls (seccomp) hides it, or "
        "the kernel was built without POSIX timers",
        "allow it"};
  case EINVAL:
  case ENOTSUP:
    return {"no timer of the monotonic clock can signal one thread (SIGEV_THREAD_ID), most likely a sandbox "
            "stands in for Linux",
            "leave the sandbox"};
  default: return {"the cause is none that this library has met", "see timer_create(2)"};
  }
}

}  // namespace

void throw_no_timer(int error) {
  const auto [cause, remedy] = explain_no_timer(error);
  throw_refusal({.code = {error, std::generic_category()},
                 .asked = user.name,
                 .reason = std::generic_category().message(error) + ", it could not make its timer: " + cause,
                 .remedy = std::string{remedy} + ", or " + user.otherwise});
}

void complain_of_no_timer(int error) noexcept {
  const auto [cause, remedy] = explain_no_timer(error);
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(),
                "after a fork a posix_timer_source could not make its timer, and no slice of it will be due: "
                "%s; %s, or %s",
                cause, remedy, user.otherwise);
  report(severity::error, "preempt", "timer-lost-by-fork", text.data());
}

void complain_of_arming(int error) noexcept {
  const char* const why =
      error == EINVAL ? "the timer of a posix_timer_source is gone, and no slice of it will be due; most "
                        "likely the program deletes a timer twice: look for timer_delete"
                      : "the timer of a posix_timer_source could not be armed, and no slice of it will be "
                        "due; most likely a filter of system calls (seccomp) came after it: allow "
                        "timer_settime";
  report(severity::error, "preempt", "timer-lost", why);
}

}  // namespace pinion::preempt::posix_timer_detail
