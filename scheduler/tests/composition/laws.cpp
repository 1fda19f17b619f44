// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

#include <cstdlib>
#include <pinion/base/time.hpp>

namespace pinion::scheduler::testing {

bool is_for(const clause& c, const composition_factory& factory) {
  if (has(c.needs, needed::refused) != factory.must_be_refused()) return false;
  return !(has(c.needs, needed::timers) && factory.timers == nullptr) &&
         !(has(c.needs, needed::channel) && factory.channel == nullptr) &&
         !(has(c.needs, needed::io) && !factory.has_io()) &&
         !(has(c.needs, needed::slices) && factory.source == nullptr) &&
         !(has(c.needs, needed::no_spin) && factory.turn->spin != duration{}) &&
         !(has(c.needs, needed::calm) && factory.ring != nullptr && factory.ring->is_faulty);
}

const std::vector<clause>& laws() {
  static const std::vector<clause> all = pinion::testing::joined<clause>(
      {one_way_to_go_on(), one_way_to_stop(), an_end(), deadlines_are_points(), messages_leave(),
       what_is_made_works(), idle_is_one_call(), nobody_starves()});
  return all;
}

violation check_clause(const clause& c, const family& of) {
  static const char* const only = std::getenv("PINION_TEST_COMPOSITION");
  const instant began = monotonic_clock::now();
  violation found;
  std::uint64_t number = 0;
  for (composition_factory one : of.members) {
    one.seed = of.seed + number++;
    one.is_one_of_many = only == nullptr;
    if (!is_for(c, one) || (only != nullptr && one.described().find(only) == std::string::npos)) continue;
    ++done_so_far().compositions;
    if (violation what = c.check(one)) {
      found = in_words(one.described(), ": ", what.what());
      break;
    }
  }
  done_so_far().ns += (monotonic_clock::now() - began).ns;
  return found;
}

tally& done_so_far() noexcept {
  static tally all;
  return all;
}

}  // namespace pinion::scheduler::testing
