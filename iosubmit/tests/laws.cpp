// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::iosubmit::testing {

const std::vector<clause>& laws() {
  static const std::vector<clause> all =
      pinion::testing::joined({never_stranded(), one_enter(), pure_policy(), not_starved(), nothing_lost(),
                               no_answers(), absolute_time(), all_counted(), urgent_ports()});
  return all;
}

}  // namespace pinion::iosubmit::testing
