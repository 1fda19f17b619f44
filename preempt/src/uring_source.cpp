// SPDX-License-Identifier: Apache-2.0
//
// uring_source: which rings it takes, and what becomes of its timeout.
#include <pinion/preempt/uring_source.hpp>

#include <cerrno>
#include <cstring>
#include <new>
#include <pinion/base/diagnostic.hpp>
#include <pinion/preempt/slice_rule.hpp>
#include <stdexcept>
#include <string>

namespace pinion::preempt::uring_detail {
namespace {

constexpr const char* remedy =
    "; set the ring up with SINGLE_ISSUER | DEFER_TASKRUN | TASKRUN_FLAG and nothing that polls (Linux 6.1), "
    "or take a ticker_source";

// What is wrong with it; empty if nothing is.
std::string refusal_of(const uring_view& ring, const uring_source_options& options) {
  const std::string asked = "a uring_source was asked for over a ring ";
  const auto has = [&](std::uint32_t flag) { return (ring.setup & flag) != 0; };
  if (ring.flags == nullptr)
    return asked + "without the address of its submission queue's flags: they are in the mapping, "
                   "at io_uring_params::sq_off.flags";
  if (has(kernel::setup::polls_submissions))
    return asked +
           "with SQPOLL: there nothing waits for the owner, and bit 0 of the flags, "
           "which is `asks` in a word, says that the kernel's thread sleeps" +
           remedy;
  if (has(kernel::setup::polls_completions))
    return asked + "with IOPOLL: the kernel takes no timeout there" + remedy;
  if (!has(kernel::setup::defer_taskrun))
    return asked +
           "without DEFER_TASKRUN: there any system call of a task may post completions "
           "and clear the flag, and the slice would be due no more" +
           remedy;
  if (!has(kernel::setup::taskrun_flag))
    return asked + "without TASKRUN_FLAG: there the kernel does not say that completions wait" + remedy;
  if (options.period < quantum_min || quantum_max < options.period)
    return "a uring_source was asked for with a period of " + std::to_string(options.period.ns) +
           " ns: it takes 10 us to 10 s; a negative std::chrono duration comes out as 0; 1 ms is usual";
  return {};
}

}  // namespace

const word& word_of(const uring_view& ring, const uring_source_options& options) {
  if (const std::string why = refusal_of(ring, options); !why.empty()) throw std::invalid_argument(why);
  // U5: a word is one atomic of 32 bits and nothing else (asserted in word.hpp), which is a plain 32-bit word of memory where it is
  // always lock-free. Nobody made one at this place: the memory is the kernel's, who writes it as such. Of ours it is only loaded.
  return *reinterpret_cast<const word*>(ring.flags);
}

ring_entry tick::entry(instant end) noexcept {
  end_ = kernel_time::of(end);
  return {.operation = kernel::codes::timeout,
          .address = reinterpret_cast<std::uintptr_t>(&end_),
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
