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
#include <utility>

namespace pinion::preempt::posix_timer_detail {
namespace {

constexpr const char* take_another = "take a ticker_source, which needs none";

[[noreturn]] void refuse(int error, const std::string& what, std::string reason, std::string remedy) {
  throw_refusal({.code = {error, std::generic_category()},
                 .asked = "a posix_timer_source" + what,
                 .reason = std::move(reason),
                 .remedy = std::move(remedy)});
}

std::string by_signal(int number) { return " by signal " + std::to_string(number); }

std::string in_words(signal_range real_time) {
  return "SIGRTMIN to SIGRTMAX (here " + std::to_string(real_time.first) + " to " +
         std::to_string(real_time.last) + ")";
}

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

void throw_no_such_signal(int named, signal_range real_time) {
  refuse(EINVAL, by_signal(named), "that is no real-time one, and so means something already",
         "name one of " + in_words(real_time) + ", or 0 to have one found");
}

void throw_signal_taken(int named) {
  refuse(EBUSY, by_signal(named), "this program handles or ignores it already, most likely a library took it",
         "name another one, or 0 to have one found");
}

void throw_all_signals_taken(signal_range real_time) {
  refuse(EBUSY, "",
         "there is no free signal, this program handles or ignores all of " + in_words(real_time) +
             ", most likely a library took them",
         std::string{"have it leave one, or "} + take_another);
}

void throw_not_handled(int error, int signal) {
  refuse(
      error, by_signal(signal),
      std::generic_category().message(error) +
          ", the signal could not be handled, most likely a sandbox forbids sigaction, or keeps this one for "
          "itself",
      std::string{"name another one, or "} + take_another);
}

void throw_no_slot() {
  refuse(EAGAIN, "",
         "there are " + std::to_string(sources_max) +
             " in the process, which is all that there can be, most likely some are made and never ended",
         "keep one for each thread that runs slices, or take a ticker_source");
}

void throw_no_timer(int error) {
  const auto [cause, remedy] = explain_no_timer(error);
  refuse(error, "", std::generic_category().message(error) + ", it could not make its timer: " + cause,
         std::string{remedy} + ", or " + take_another);
}

void complain_of_no_timer(int error) noexcept {
  const auto [cause, remedy] = explain_no_timer(error);
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(),
                "after a fork a posix_timer_source could not make its timer, and no slice of it will be due: "
                "%s; %s, or %s",
                cause, remedy, take_another);
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
