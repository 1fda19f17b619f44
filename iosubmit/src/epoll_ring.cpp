// SPDX-License-Identifier: Apache-2.0
//
// Why there is no epoll.
#include <cerrno>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <pinion/iosubmit/ring/epoll_ring.hpp>
#include <system_error>

namespace pinion::iosubmit::epoll_detail {

ring_refusal refusal_of_open(int error, const epoll_ring_options& options) noexcept {
  ring_refusal why;
  why.error = error;
  why.call = refused_call::epoll;
  why.entries = options.entries;
  why.completion_entries = options.in_flight;
  switch (-error) {
  case EMFILE:
    why.limit = uring_calls::descriptor_limit();
    why.cause = "the process has as many descriptors open as it may (RLIMIT_NOFILE)";
    why.remedy = "raise the limit (ulimit -n, LimitNOFILE=), or close what is not needed";
    break;
  case ENFILE:
    why.cause = "the machine has as many files open as it may";
    why.remedy = "raise fs.file-max (sysctl), or close what is not needed";
    break;
  case ENOMEM:
    why.cause = "the kernel has no memory for it";
    why.remedy = "free memory, or raise the limit of the control group (memory.max)";
    break;
  default:
    why.cause = "a sandbox forbids epoll_create1";
    why.remedy = "allow epoll_create1, epoll_ctl and epoll_wait in the sandbox";
  }
  return why;
}

void refuse(int error, const epoll_ring_options& options) {
  throw std::system_error(-error, std::generic_category(), to_string(refusal_of_open(error, options)));
}

}  // namespace pinion::iosubmit::epoll_detail
