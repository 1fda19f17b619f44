// SPDX-License-Identifier: Apache-2.0
//
// thread_signal: how it says no.
#include <pinion/preempt/detail/thread_signal.hpp>

#include <cerrno>
#include <pinion/base/refusal.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace pinion::preempt::signal_detail {
namespace {

[[noreturn]] void refuse(int error, std::string asked, std::string reason, std::string remedy) {
  throw_refusal({.code = {error, std::generic_category()},
                 .asked = std::move(asked),
                 .reason = std::move(reason),
                 .remedy = std::move(remedy)});
}

std::string by_signal(const signal_user& by, int number) {
  return std::string{by.name} + " by signal " + std::to_string(number);
}

std::string in_words(signal_range real_time) {
  return "SIGRTMIN to SIGRTMAX (here " + std::to_string(real_time.first) + " to " +
         std::to_string(real_time.last) + ")";
}

}  // namespace

void throw_no_such_signal(const signal_user& by, int named, signal_range real_time) {
  refuse(EINVAL, by_signal(by, named), "that is no real-time one, and so means something already",
         "name one of " + in_words(real_time) + ", or 0 to have one found");
}

void throw_signal_taken(const signal_user& by, int named) {
  refuse(EBUSY, by_signal(by, named),
         "this program handles or ignores it already, most likely a library took it",
         "name another one, or 0 to have one found");
}

void throw_all_signals_taken(const signal_user& by, signal_range real_time) {
  refuse(EBUSY, by.name,
         "there is no free signal, this program handles or ignores all of " + in_words(real_time) +
             ", most likely a library took them",
         std::string{"have it leave one, or "} + by.otherwise);
}

void throw_not_handled(const signal_user& by, int error, int signal) {
  refuse(
      error, by_signal(by, signal),
      std::generic_category().message(error) +
          ", the signal could not be handled, most likely a sandbox forbids sigaction, or keeps this one for "
          "itself",
      std::string{"name another one, or "} + by.otherwise);
}

void throw_no_slot(const signal_user& by) {
  refuse(EAGAIN, by.name,
         "there are " + std::to_string(sources_max) +
             " in the process, which is all that there can be, most likely some are made and never ended",
         std::string{"keep one for each thread that runs slices, or "} + by.otherwise);
}

}  // namespace pinion::preempt::signal_detail
