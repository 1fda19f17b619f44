// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::waker::testing {

const std::vector<clause>& laws() {
  static const std::vector<clause> all =
      pinion::testing::joined({no_lost_wake(), one_signal_per_arm(), no_allocation_no_drop(),
                               producers_order(), lifetime(), bounded_drain(), already_there()});
  return all;
}

}  // namespace pinion::waker::testing
