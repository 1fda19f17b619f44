// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace pinion::preempt::testing {

bool is_for(const clause& c, const source_factory& factory) {
  const source_traits& is = factory.traits;
  switch (c.of) {
  case kinds::all: return true;
  case kinds::not_asking: return !is.asks;
  case kinds::counting: return is.counts && factory.checks_max != 0;
  case kinds::timed: return !is.counts;
  case kinds::never_early: return !is.counts && !is.may_be_early;
  case kinds::seeing: return is.sees_stalls;
  }
  return false;
}

const std::vector<clause>& laws() {
  static const std::vector<clause> all =
      pinion::testing::joined({cheap_check(), no_false_promise(), seen(), quiet()});
  return all;
}

}  // namespace pinion::preempt::testing
