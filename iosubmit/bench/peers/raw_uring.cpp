// SPDX-License-Identifier: Apache-2.0
#include "raw_uring.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <pinion/base/kernel.hpp>

namespace pinion::iosubmit::bench {
namespace {

constexpr std::uint32_t advised =
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_CLAMP;

int set_up(std::size_t entries, io_uring_params& parameters) noexcept {
  return static_cast<int>(::syscall(SYS_io_uring_setup, static_cast<unsigned>(entries), &parameters));
}

void* map(int descriptor, std::size_t bytes, off_t what) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, what);
  if (at == MAP_FAILED) give_up("mmap of a ring", errno);
  return at;
}

}  // namespace

const std::string& raw_queue::refusal() {
  static const std::string why = [] {
    io_uring_params parameters{};
    parameters.flags = advised;
    const int descriptor = set_up(1, parameters);
    if (descriptor < 0) {
      return std::string{"this machine makes no io_uring with DEFER_TASKRUN: "} + std::strerror(errno);
    }
    ::close(descriptor);
    return std::string{};
  }();
  return why;
}

raw_queue::raw_queue(std::size_t most) {
  io_uring_params parameters{};
  parameters.flags = advised;
  descriptor_ = sure("io_uring_setup", set_up(std::bit_ceil(most), parameters));
  rings_bytes_ =
      std::max<std::size_t>(parameters.sq_off.array + parameters.sq_entries * sizeof(std::uint32_t),
                            parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe));
  rings_ = map(descriptor_, rings_bytes_, IORING_OFF_SQ_RING);
  entries_ = static_cast<io_uring_sqe*>(
      map(descriptor_, parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  entries_mask_ = parameters.sq_entries - 1;
  kernel_tail_ = at<std::uint32_t>(parameters.sq_off.tail);
  kernel_flags_ = at<std::uint32_t>(parameters.sq_off.flags);
  reaped_ = at<std::uint32_t>(parameters.cq_off.head);
  completed_ = at<std::uint32_t>(parameters.cq_off.tail);
  completions_mask_ = parameters.cq_entries - 1;
  completions_ = at<io_uring_cqe>(parameters.cq_off.cqes);
  // The order of entries is that in which they stand, for good.
  const auto order = at<std::uint32_t>(parameters.sq_off.array);
  std::iota(order, order + parameters.sq_entries, 0U);

  io_uring_rsrc_update registration{};
  registration.offset = ~0U;  // any place
  registration.data = static_cast<unsigned>(descriptor_);
  sure("registering a ring's descriptor",
       ::syscall(SYS_io_uring_register, descriptor_, IORING_REGISTER_RING_FDS, &registration, 1));
  registered_ = static_cast<int>(registration.offset);
}

raw_queue::~raw_queue() {
  io_uring_rsrc_update registration{};
  registration.offset = static_cast<std::uint32_t>(registered_);
  ::syscall(SYS_io_uring_register, descriptor_, IORING_UNREGISTER_RING_FDS, &registration, 1);
  ::munmap(entries_, (entries_mask_ + 1) * sizeof(io_uring_sqe));
  ::munmap(rings_, rings_bytes_);
  ::close(descriptor_);
}

void raw_queue::enter(unsigned wait_for, instant until) noexcept {
  std::atomic_ref{*kernel_tail_}.store(tail_, std::memory_order_release);
  unsigned flags = IORING_ENTER_REGISTERED_RING | IORING_ENTER_GETEVENTS;
  __kernel_timespec limit{};
  io_uring_getevents_arg wanted{};
  if (wait_for != 0 && until != never) {
    limit = kernel_time::of(until - monotonic_clock::now()).as<__kernel_timespec>();
    wanted.ts = reinterpret_cast<std::uint64_t>(&limit);
    flags |= IORING_ENTER_EXT_ARG;
  }
  const bool is_limited = (flags & IORING_ENTER_EXT_ARG) != 0;
  const long accepted = ::syscall(SYS_io_uring_enter, registered_, tail_ - submitted_, wait_for, flags,
                                  is_limited ? &wanted : nullptr, is_limited ? sizeof wanted : 0);
  ++counted.enters;
  if (accepted >= 0) {
    submitted_ += static_cast<std::uint32_t>(accepted);
  } else if (errno == ETIME || errno == EINTR) {
    submitted_ = tail_;
  } else {
    give_up("io_uring_enter", errno);
  }
}

}  // namespace pinion::iosubmit::bench
