// SPDX-License-Identifier: Apache-2.0
#include "engine_over.hpp"
#include "engines.hpp"

namespace pinion::scheduler::testing {

std::unique_ptr<engine> make_uring_with_eventfd(const composition& which) {
  return std::make_unique<engine_over<eventfd, uring>>(which, uring{uring_options_of(which)});
}

std::unique_ptr<engine> make_uring_with_messages(const composition& which) {
  return std::make_unique<engine_over<messages, uring>>(which, uring{uring_options_of(which)});
}

}  // namespace pinion::scheduler::testing
