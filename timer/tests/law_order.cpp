// SPDX-License-Identifier: Apache-2.0
//
// T11: within one poll timers fire in the order that traits.order declares.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

/// Whether `a` may fire before `b` in the same poll.
bool may_precede(const scenario& s, const std::vector<std::size_t>& armed_as, std::size_t a, std::size_t b) {
  const instant da = s.timers[a].deadline;
  const instant db = s.timers[b].deadline;
  switch (s.store->traits().order) {
  case firing_order::none: return true;
  case firing_order::by_tick: return da == db || da < db + s.bound(b);
  case firing_order::by_deadline: return da != db ? da < db : armed_as[a] < armed_as[b];
  }
  return false;
}

violation fires_in_the_declared_order(const store_factory& factory) {
  scenario s{factory};
  std::vector<std::size_t> armed_as;  // by id: the how many-th arming its latest was
  std::size_t armings = 0;
  for (int round = 0; round < 60; ++round) {
    for (int k = 0; k < 20; ++k) {
      // Few distinct deadlines, so that many are equal.
      s.arm(s.now + duration{1'000'000} * (1 + s.random.below(8)));
      armed_as.push_back(armings++);
    }
    for (int k = 0; k < 5; ++k) {
      const std::size_t id = s.random.below(s.timers.size());
      if (s.reschedule(id, s.now + duration{1'000'000} * (1 + s.random.below(8)))) armed_as[id] = armings++;
    }
    const std::size_t before = s.fired.size();
    s.poll(s.now + duration{1'000'000} * s.random.below(12));
    for (std::size_t b = before; b < s.fired.size(); ++b) {
      for (std::size_t a = before; a < b; ++a) {
        if (!may_precede(s, armed_as, s.fired[a].id, s.fired[b].id)) {
          return s.broken("timer ", s.fired[a].id, " for ", s.fired[a].deadline.ns, " fired before timer ",
                          s.fired[b].id, " for ", s.fired[b].deadline.ns, ", which was to come first");
        }
      }
    }
  }
  if (s.fired.size() < 1'000) return s.broken("only ", s.fired.size(), " timers fired");
  return {};
}

}  // namespace

std::vector<clause> order() { return {{"T11", "FiresInTheDeclaredOrder", fires_in_the_declared_order}}; }

}  // namespace pinion::timer::testing
