// SPDX-License-Identifier: Apache-2.0
#include "engine_over.hpp"
#include "engines.hpp"

namespace pinion::scheduler::testing {
namespace {

either ring_of(const composition& which) {
  if (which.ring == "either_ring") return either{uring{uring_options_of(which)}};
  return either{iosubmit::epoll_ring{epoll_options_of(which), seam_epoll}};
}

}  // namespace

std::unique_ptr<engine> make_either_with_eventfd(const composition& which) {
  return std::make_unique<engine_over<eventfd, either>>(which, ring_of(which));
}

std::unique_ptr<engine> make_either_with_messages(const composition& which) {
  return std::make_unique<engine_over<messages, either>>(which, ring_of(which));
}

}  // namespace pinion::scheduler::testing
