// SPDX-License-Identifier: Apache-2.0
//
// T1: a timer fires only from poll(now) with deadline <= now.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

violation fires_only_at_or_after_the_deadline(const store_factory& factory) {
  scenario s{factory, instant{987'654'321}};
  for (int round = 0; round < 400; ++round) {
    for (int k = 0; k < 5; ++k) s.arm(s.now + s.random.any_length(42));
    s.poll(s.now + s.random.any_length(36));
  }
  for (const scenario::firing& f : s.fired) {
    if (f.deadline != s.timers[f.id].deadline) {
      return s.broken("timer ", f.id, " was armed for ", s.timers[f.id].deadline.ns, " and fired as ",
                      f.deadline.ns);
    }
    if (f.now < f.deadline) {
      return s.broken("timer ", f.id, " fired ", (f.deadline - f.now).ns, " ns before its deadline ",
                      f.deadline.ns);
    }
  }
  if (s.fired.empty()) return s.broken("nothing fired in 400 polls");
  return {};
}

violation not_one_nanosecond_before(const store_factory& factory) {
  for (unsigned bits = 0; bits < 52; ++bits) {
    for (std::uint64_t shift = 0; shift < 3; ++shift) {
      scenario s{factory, instant{(std::uint64_t{1} << 40) + 12'345}};
      const instant deadline{s.now.ns + (std::uint64_t{1} << bits) + 1 - shift};
      const std::size_t id = s.arm(deadline);
      if (s.now < deadline) s.poll(deadline - duration{1});
      if (s.now < deadline && s.has_fired(id))
        return s.broken("fired 1 ns before its deadline ", deadline.ns);
      s.poll(deadline + s.bound(id));
      if (!s.has_fired(id)) return s.broken("had not fired at its deadline ", deadline.ns, " plus its bound");
    }
  }
  return {};
}

violation nor_in_the_place_of_a_cancelled_timer(const store_factory& factory) {
  for (const std::uint64_t ahead : {5'000'000ULL, 50'000'000ULL, 5'000'000'000ULL}) {
    scenario s{factory};
    for (std::size_t id = 0; id < 100; ++id) s.arm(instant{ahead});
    for (std::size_t id = 0; id < 100; ++id) s.cancel(id);
    for (std::size_t id = 0; id < 100; ++id) s.arm(instant{1'000 * ahead});
    s.poll(instant{ahead} + s.bound(0));
    if (!s.fired.empty()) {
      return s.broken("timer ", s.fired[0].id, " for ", 1'000 * ahead, " fired at ", s.now.ns,
                      ", in the place of a timer that was cancelled");
    }
  }
  return {};
}

}  // namespace

std::vector<clause> never_early() {
  return {{"T1", "FiresOnlyAtOrAfterTheDeadline", fires_only_at_or_after_the_deadline},
          {"T1", "NotOneNanosecondBefore", not_one_nanosecond_before},
          {"T1", "NorInThePlaceOfACancelledTimer", nor_in_the_place_of_a_cancelled_timer}};
}

}  // namespace pinion::timer::testing
