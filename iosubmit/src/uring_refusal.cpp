// SPDX-License-Identifier: Apache-2.0
//
// What a uring_ring has, and why there is none, as text.
#include "uring_refusal.hpp"

#include <cerrno>
#include <pinion/base/kernel.hpp>
#include <string>
#include <utility>

#include "causes.hpp"

namespace pinion::iosubmit {
namespace {

struct named_flag {
  std::uint32_t flag;
  const char* name;
};
constexpr named_flag names[] = {
    {kernel::setup::completion_entries, "completion_entries"},
    {kernel::setup::clamp, "clamp"},
    {kernel::setup::disabled, "disabled"},
    {kernel::setup::submit_all, "submit_all"},
    {kernel::setup::coop_taskrun, "coop_taskrun"},
    {kernel::setup::taskrun_flag, "taskrun_flag"},
    {kernel::setup::single_issuer, "single_issuer"},
    {kernel::setup::defer_taskrun, "defer_taskrun"},
    {kernel::setup::no_sq_array, "no_sq_array"},
};

std::string listed(std::uint32_t flags) {
  std::string text;
  for (const named_flag& one : names) {
    if ((flags & one.flag) == 0) continue;
    if (!text.empty()) text += ' ';
    text += one.name;
  }
  return text;
}

}  // namespace

std::string to_string(const uring_features& features) {
  std::string text = std::to_string(features.entries) + " entries, " +
                     std::to_string(features.completion_entries) + " completions; " +
                     listed(features.setup_flags);
  if (features.registered_descriptor) text += " registered_descriptor";
  if (features.min_wait) text += " min_wait";
  if (features.no_iowait) text += " no_iowait";
  if (features.missing_flags != 0) text += "; this kernel lacks: " + listed(features.missing_flags);
  return text;
}

namespace uring_detail {
namespace {

std::string words_of(const uring_options& options, std::uint32_t setup_flags) {
  const std::string flags = listed(setup_flags);
  return "an io_uring of " + std::to_string(options.entries) + " entries and " +
         std::to_string(options.completion_entries) + " completions" +
         (flags.empty() ? flags : " (" + flags + ")");
}
std::string words_of(const asked_ring& asked) { return words_of(asked.options, asked.setup_flags); }

cause cause_of_prohibition(const call_table& calls) {
  switch (calls.disabled_by_setting()) {
  case 2:
    return {.why = "kernel.io_uring_disabled is 2: io_uring is forbidden to everybody on this machine",
            .remedy = "sysctl kernel.io_uring_disabled=0, or take an epoll_ring"};
  case 1:
    return {.why = "kernel.io_uring_disabled is 1: io_uring is forbidden to those outside of a group",
            .remedy =
                "join the group that kernel.io_uring_group names, sysctl kernel.io_uring_disabled=0, or "
                "take an epoll_ring"};
  default:
    return {.why = "a seccomp profile or a security module forbids io_uring, as containers' defaults do",
            .remedy = "allow io_uring_setup, io_uring_enter and io_uring_register in the profile, or take an "
                      "epoll_ring"};
  }
}

cause cause_of_setup(const call_table& calls, int error) {
  if (auto known = cause_of_no_descriptor(error, calls.descriptor_limit())) return *std::move(known);
  switch (-error) {
  case ENOSYS:
    return {.why =
                "there is no io_uring here: the kernel is older than 5.1 or built without it, or a sandbox "
                "hides it",
            .remedy = "run Linux 5.11 or newer, allow io_uring_setup in the sandbox, or take an epoll_ring"};
  case EPERM:
  case EACCES: return cause_of_prohibition(calls);
  case ENOMEM:
    return {
        .why = "the queues count as locked memory (RLIMIT_MEMLOCK), unless the process has CAP_IPC_LOCK, and "
               "no more is to be had; or the memory of the control group is used up" +
               limit_in_force(calls.memory_limit(), "bytes"),
        .remedy =
            "raise the limit (ulimit -l, LimitMEMLOCK=, docker --ulimit memlock=) or memory.max, or ask "
            "for fewer entries"};
  case EINVAL:
    return {
        .why =
            "the kernel knows not even the flags that Linux 5.10 has: it is older, or no more is there than "
            "a part of io_uring",
        .remedy = "run Linux 5.11 or newer, or take an epoll_ring"};
  default:
    return {.why = "of a reason that this library has not met: see errno in io_uring_setup(2)",
            .remedy = "take an epoll_ring"};
  }
}

}  // namespace

std::optional<refusal> refusal_of_options(const uring_options& options, std::uint32_t setup_flags) {
  refusal why{.code = std::make_error_code(std::errc::invalid_argument),
              .asked = words_of(options, setup_flags),
              .reason = {},
              .remedy = {}};
  if (options.entries == 0) {
    why.reason = "a ring of 0 entries takes nothing";
    why.remedy = "ask for 1 to 32768 entries";
    return why;
  }
  if (options.completion_entries != 0 && options.completion_entries < options.entries) {
    why.reason = "fewer completions than entries would overflow at once";
    why.remedy = "ask for as many completion_entries as entries, or for 0";
    return why;
  }
  return std::nullopt;
}

refusal refusal_of_setup(const asked_ring& asked, int error) {
  return refused_by("io_uring_setup", error, words_of(asked), cause_of_setup(asked.calls, error),
                    error == -EINVAL ? -EOPNOTSUPP : error);
}

refusal refusal_of_map(const asked_ring& asked, int error) {
  if (error == -EPERM || error == -EAGAIN || error == -ENOMEM) {
    return refused_by("mmap", error, words_of(asked),
                      {.why = "locked memory (RLIMIT_MEMLOCK), or the address space, is used up" +
                              limit_in_force(asked.calls.memory_limit(), "bytes"),
                       .remedy =
                           "raise the limit (ulimit -l, LimitMEMLOCK=, docker --ulimit memlock=; ulimit -v), "
                           "or ask for fewer entries"},
                      -ENOMEM);
  }
  return refused_by("mmap", error, words_of(asked),
                    {.why = "a sandbox forbids mmap of a ring",
                     .remedy = "allow mmap of io_uring's descriptors, or take an epoll_ring"},
                    -EIO);
}

refusal refusal_of_register(const asked_ring& asked, int error) {
  return refused_by("io_uring_register", error, words_of(asked), cause_of_prohibition(asked.calls));
}

std::optional<refusal> refusal_of_features(const asked_ring& asked, std::uint32_t features) {
  constexpr std::uint32_t needed =
      kernel::feature::single_map | kernel::feature::no_drop | kernel::feature::wait_argument;
  if ((features & needed) == needed) return std::nullopt;
  const bool drops = (features & kernel::feature::no_drop) == 0;
  return refusal{.code = std::make_error_code(std::errc::operation_not_supported),
                 .asked = words_of(asked),
                 .reason = drops ? "the kernel drops completions when their queue is full (before Linux 5.5)"
                                 : "the kernel can't wait until a time (before Linux 5.11)",
                 .remedy = "run Linux 5.11 or newer, or take an epoll_ring"};
}

}  // namespace uring_detail
}  // namespace pinion::iosubmit
