// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::iosubmit::testing {

const std::vector<clause>& laws() {
  static const std::vector<clause> all = [] {
    std::vector<clause> list;
    for (const auto& law : {never_stranded(), one_enter(), pure_policy(), not_starved(), nothing_lost()})
      list.insert(list.end(), law.begin(), law.end());
    return list;
  }();
  return all;
}

violation check_law(const std::string& law, const submission_factory& factory) {
  for (const clause& c : laws()) {
    if (law != c.law || (c.needs_calm && factory.is_faulty)) continue;
    if (violation what = c.check(factory)) return what;
  }
  return {};
}

}  // namespace pinion::iosubmit::testing
