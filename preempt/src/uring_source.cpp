// SPDX-License-Identifier: Apache-2.0
//
// uring_source: which rings it takes, and what becomes of its timeout.
#include <pinion/preempt/uring_source.hpp>

#include <cerrno>
#include <cstring>
#include <new>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace pinion::preempt::uring_detail {
namespace {

constexpr const char* set_up_otherwise =
    "set the ring up with SINGLE_ISSUER | DEFER_TASKRUN | TASKRUN_FLAG and nothing that polls (Linux 6.1), "
    "or take a ticker_source";

[[noreturn]] void refuse(std::string what, const char* reason, const char* remedy) {
  throw_refusal({.code = std::make_error_code(std::errc::invalid_argument),
                 .asked = "a uring_source " + std::move(what),
                 .reason = reason,
                 .remedy = remedy});
}

void check(const uring_view& ring, const uring_source_options& options) {
  const auto has = [&](std::uint32_t flag) { return (ring.setup & flag) != 0; };
  if (ring.flags == nullptr)
    refuse("over a ring without the address of its submission queue's flags",
           "the word that checks look at is there", "give it: the mapping, at io_uring_params::sq_off.flags");
  if (has(kernel::setup::polls_submissions))
    refuse(
        "over a ring with SQPOLL",
        "there nothing waits for the owner, and bit 0 of the flags, which is `asks` in a word, says that the "
        "kernel's thread sleeps",
        set_up_otherwise);
  if (has(kernel::setup::polls_completions))
    refuse("over a ring with IOPOLL", "the kernel takes no timeout there", set_up_otherwise);
  if (!has(kernel::setup::defer_taskrun))
    refuse(
        "over a ring without DEFER_TASKRUN",
        "there any system call of a task may post completions and clear the flag, and the slice would be due "
        "no more",
        set_up_otherwise);
  if (!has(kernel::setup::taskrun_flag))
    refuse("over a ring without TASKRUN_FLAG", "there the kernel does not say that completions wait",
           set_up_otherwise);
  if (options.period < quantum_min || quantum_max < options.period)
    refuse("with a period of " + std::to_string(options.period.ns) + " ns",
           "it takes 10 us to 10 s; a negative std::chrono duration comes out as 0",
           "give the length of the shortest slices; 1 ms is usual");
}

}  // namespace

const word& word_of(const uring_view& ring, const uring_source_options& options) {
  check(ring, options);
  // U5: a word is one atomic of 32 bits and nothing else (asserted in word.hpp), which is a plain 32-bit word
  // of memory where it is always lock-free. Nobody made one at this place: the memory is the kernel's, who
  // writes it as such. Of ours it is only loaded.
  return *reinterpret_cast<const word*>(ring.flags);
}

ring_entry tick::entry(instant end) noexcept {
  end_ = kernel_time::of(end);
  return {.operation = kernel::codes::timeout,
          .address = kernel::address_of(&end_),
          .length = 1,
          .operation_flags = kernel::timeout_flag::absolute};
}

void tick::came(ring_answer& self, std::int32_t result) noexcept {
  auto& mine = static_cast<tick&>(self);
  mine.is_under_way_ = false;
  if (mine.is_left_) {
    delete &mine;
    return;
  }
  if (result != 0 && result != -ETIME && result != -ECANCELED) mine.failed(result);
}

void tick::failed(std::int32_t result) noexcept {
  is_refused_ = result == -EINVAL || result == -EOPNOTSUPP || result == -EACCES;
  if (is_reported_) return;
  is_reported_ = true;
  try {
    const std::string what =
        std::string{"the ring answered a slice's timeout with "} + std::strerror(-result);
    const char* const why =
        is_refused_
            ? ": slices end when operations complete, and no more in time; the ring's restrictions "
              "or a sandbox allow no IORING_OP_TIMEOUT: allow it, or take a ticker_source"
            : ": that slice had no end in time, and the next one asks again; most likely memory is short "
              "(memory.max of the container)";
    report(severity::error, "preempt", is_refused_ ? "timeout-refused" : "timeout-failed", what + why);
  } catch (const std::bad_alloc&) {
    report(severity::error, "preempt", "timeout-failed",
           "the ring refused a slice's timeout, and there is no memory to say why");
  }
}

}  // namespace pinion::preempt::uring_detail
