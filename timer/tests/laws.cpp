// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::timer::testing {

const std::vector<clause>& laws() {
  static const std::vector<clause> all = pinion::testing::joined(
      {never_early(), never_lost(), bounded_lateness(), honest_wakeup(), safe_handles(), bounded_poll(),
       re_entrancy(), cost(), allocations(), any_epoch(), order()});
  return all;
}

violation check_clause(const clause& c, const store_factory& factory) {
  std::string broken;
  store_factory watched = factory;
  watched.make = [&](setup how) {
    how.broken = &broken;
    return factory.make(how);
  };
  violation found = c.check(watched);
  return broken.empty() ? found : violation{broken};
}

}  // namespace pinion::timer::testing
