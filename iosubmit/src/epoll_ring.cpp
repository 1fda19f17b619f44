// SPDX-License-Identifier: Apache-2.0
#include <pinion/iosubmit/epoll_ring.hpp>
#include <system_error>

namespace pinion::iosubmit::epoll_detail {

void refuse(int error) {
  throw std::system_error(
      -error, std::generic_category(),
      "a ring could not open its epoll; most likely too many descriptors are open (ulimit -n)");
}

}  // namespace pinion::iosubmit::epoll_detail
