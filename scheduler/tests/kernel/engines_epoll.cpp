// SPDX-License-Identifier: Apache-2.0
#include "engine_over.hpp"
#include "engines.hpp"

namespace pinion::scheduler::testing {
namespace {

iosubmit::epoll_ring ring_of(const composition& which) {
  return iosubmit::epoll_ring{epoll_options_of(which), seam_epoll};
}

}  // namespace

std::unique_ptr<engine> make_epoll_with_eventfd(const composition& which) {
  return std::make_unique<engine_over<eventfd, iosubmit::epoll_ring>>(which, ring_of(which));
}

std::unique_ptr<engine> make_epoll_with_messages(const composition& which) {
  return std::make_unique<engine_over<messages, iosubmit::epoll_ring>>(which, ring_of(which));
}

}  // namespace pinion::scheduler::testing
