// SPDX-License-Identifier: Apache-2.0
//
// When an epoll_ring stands in for io_uring, and what is said then.
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/default_ring.hpp>
#include <string>
#include <system_error>

namespace pinion::iosubmit::fallback_detail {

bool is_out_of_reach(const refusal& why) noexcept {
  return why.code == std::errc::function_not_supported || why.code == std::errc::operation_not_permitted ||
         why.code == std::errc::permission_denied || why.code == std::errc::operation_not_supported;
}

void tell_of_fallback(const refusal& why) {
  report(severity::warning, "iosubmit", "ring-fallback",
         "an epoll_ring serves instead of io_uring. fsync, msg_ring, and read and write of files that have "
         "content are answered with EOPNOTSUPP there: do them on another thread. Why: " +
             to_string(why));
}

}  // namespace pinion::iosubmit::fallback_detail
