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

violation check_law(const std::string& law, const store_factory& factory) {
  for (const clause& c : laws()) {
    if (law != c.law || (c.needs_checked && !is_checked)) continue;
    if (violation broken = check_clause(c, factory)) return broken;
  }
  return {};
}

}  // namespace pinion::timer::testing
