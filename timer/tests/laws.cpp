// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::timer::testing {

const std::vector<clause>& laws() {
  static const std::vector<clause> all = [] {
    std::vector<clause> list;
    for (const auto& law : {never_early(), never_lost(), bounded_lateness(), honest_wakeup(), safe_handles(),
                            bounded_poll(), re_entrancy(), cost(), allocations(), any_epoch(), order()}) {
      list.insert(list.end(), law.begin(), law.end());
    }
    return list;
  }();
  return all;
}

violation check_law(const std::string& law, const store_factory& factory) {
  for (const clause& c : laws()) {
    if (law != c.law || (c.needs_checked && !is_checked)) continue;
    if (violation broken = c.check(factory)) return broken;
  }
  return {};
}

}  // namespace pinion::timer::testing
