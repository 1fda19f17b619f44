// SPDX-License-Identifier: Apache-2.0
//
// The system calls of uring_ring, and what its explanations look at.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <limits>
#include <pinion/iosubmit/detail/uring_calls.hpp>

namespace pinion::iosubmit {
namespace {

int checked(long result) noexcept { return result < 0 ? -errno : static_cast<int>(result); }

std::uint64_t soft_limit(__rlimit_resource which) noexcept {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  return limit.rlim_cur;
}

}  // namespace

int uring_calls::setup(std::uint32_t entries, kernel::setup_parameters& parameters) noexcept {
  return checked(::syscall(SYS_io_uring_setup, entries, &parameters));
}

int uring_calls::enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                       const kernel::wait_argument* argument) noexcept {
  // Where there is no argument the kernel does not look at its size.
  return checked(::syscall(SYS_io_uring_enter, ring, submit, wait_for, flags, argument, sizeof *argument));
}

int uring_calls::enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) noexcept {
  return checked(::syscall(SYS_io_uring_register, ring, what, argument, count));
}

int uring_calls::map(int ring, std::size_t bytes, std::uint64_t region, void*& at) noexcept {
  at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
              static_cast<off_t>(region));
  if (at != MAP_FAILED) {
    // A child that inherited the queues would write into the parent's, if only by destroying its copy of the
    // ring.
    ::madvise(at, bytes, MADV_DONTFORK);
    return 0;
  }
  at = nullptr;
  return -errno;
}

void uring_calls::unmap(void* at, std::size_t bytes) noexcept { ::munmap(at, bytes); }

void uring_calls::close(int ring) noexcept { ::close(ring); }

std::uint64_t uring_calls::memory_limit() noexcept { return soft_limit(RLIMIT_MEMLOCK); }

std::uint64_t uring_calls::descriptor_limit() noexcept { return soft_limit(RLIMIT_NOFILE); }

int uring_calls::disabled_by_setting() noexcept {
  const int file = ::open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char digit = 0;
  const bool is_read = ::read(file, &digit, 1) == 1;
  ::close(file);
  return is_read && digit >= '0' && digit <= '9' ? digit - '0' : -1;
}

}  // namespace pinion::iosubmit
