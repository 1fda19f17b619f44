// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::waker::testing {

const std::vector<clause>& laws() {
  static const std::vector<clause> all = [] {
    std::vector<clause> list;
    for (const auto& law : {no_lost_wake(), one_signal_per_arm(), no_allocation_no_drop(), producers_order(),
                            lifetime(), bounded_drain(), already_there()}) {
      list.insert(list.end(), law.begin(), law.end());
    }
    return list;
  }();
  return all;
}

violation check_law(const std::string& law, const channel_factory& factory) {
  for (const clause& c : laws()) {
    if (law != c.law || (c.needs_w3 && !factory.keeps_w3)) continue;
    if (violation what = c.check(factory)) return what;
  }
  return {};
}

}  // namespace pinion::waker::testing
