// SPDX-License-Identifier: Apache-2.0
//
// T10: time may start anywhere, stand still or go back, and nothing wraps at its end.
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

violation works_from_any_epoch(const store_factory& factory) {
  for (const std::uint64_t start :
       {std::uint64_t{0}, (std::uint64_t{1} << 30) - 1, std::uint64_t{1} << 30, (std::uint64_t{1} << 36) - 3,
        std::uint64_t{1} << 36, (std::uint64_t{1} << 63) - 1, std::uint64_t{1} << 63,
        never.ns - 10'000'000'000'000}) {
    scenario s{factory, instant{start}};
    for (int k = 0; k < 300; ++k) s.arm(s.now + s.random.any_length(38));
    while (s.store->size() != 0) {
      const instant wakeup = s.store->next_wakeup();
      s.poll(wakeup);
      if (s.last.fired + s.last.moved == 0)
        return s.broken("from epoch ", start, " it is stuck at ", wakeup.ns);
    }
    for (const scenario::firing& f : s.fired) {
      if (f.now < f.deadline || f.deadline + s.bound(f.id) < f.now) {
        return s.broken("from epoch ", start, " timer ", f.id, " for ", f.deadline.ns, " fired at ",
                        f.now.ns);
      }
    }
  }
  return {};
}

violation time_that_goes_back_is_clamped(const store_factory& factory) {
  scenario s{factory, instant{1'000'000'000}};
  const std::size_t first = s.arm(instant{2'000'000'000});
  s.poll(instant{1'500'000'000});
  s.poll(instant{1});
  s.poll(instant{1'500'000'000});
  if (!s.fired.empty()) return s.broken("a timer fired while time stood still or went back");
  const std::size_t second = s.arm(instant{1'600'000'000});
  s.poll(instant{2'000'000'000} + s.bound(first) + s.bound(second));
  s.poll(instant{7});
  if (s.fired.size() != 2) return s.broken("two timers were due, ", s.fired.size(), " fired");
  return {};
}

violation the_end_of_time_does_not_wrap(const store_factory& factory) {
  scenario s{factory, instant{1'000'000'000}};
  const std::size_t at_never = s.arm(never);
  std::vector<std::size_t> last;
  for (std::uint64_t before = 1; before < (std::uint64_t{1} << 40); before *= 3)
    last.push_back(s.arm(instant{never.ns - before}));
  s.poll(instant{std::uint64_t{1} << 62});
  s.poll(instant{never.ns - (std::uint64_t{1} << 42)});
  if (!s.fired.empty()) {
    return s.broken("timer ", s.fired[0].id, " for ", s.fired[0].deadline.ns,
                    " fired long before the end of time");
  }
  if (s.store->size() != last.size() + 1) return s.broken("timers near the end of time were lost");
  while (s.poll(never).more) {
  }
  for (const std::size_t id : last) {
    if (!s.has_fired(id)) return s.broken("poll(never) left timer ", id, " for ", s.timers[id].deadline.ns);
  }
  if (s.has_fired(at_never)) return s.broken("a timer at never fired");
  if (s.store->size() != 1 || s.store->next_wakeup() != never)
    return s.broken("a timer at never is no longer counted");
  if (!s.cancel(at_never)) return s.broken("a timer at never could not be cancelled");
  return {};
}

violation long_deadlines_stay_exact(const store_factory& factory) {
  // A store with a short range re-places a long timer each time it has gone round; some thousand times is
  // proof enough.
  const duration range = scenario{factory}.store->traits().range;
  for (unsigned bits = 40; bits < 63 && (std::uint64_t{1} << bits) / range.ns < 8'000; ++bits) {
    scenario s{factory, instant{424'242}};
    const std::size_t id = s.arm(s.now + duration{(std::uint64_t{1} << bits) + 123'456'789});
    for (int polls = 0; s.store->size() != 0; ++polls) {
      if (polls > 10'000) return s.broken("10,000 wakeups, and a timer 2^", bits, " ns ahead has not fired");
      s.poll(s.store->next_wakeup());
    }
    const scenario::firing& f = s.fired.at(0);
    const duration late = f.now - f.deadline;
    if (f.now < s.timers[id].deadline ||
        s.store->lateness_bound(s.timers[id].deadline - instant{424'242}) < late) {
      return s.broken("a timer 2^", bits, " ns ahead fired at ", f.now.ns, ", for ", f.deadline.ns);
    }
  }
  return {};
}

}  // namespace

std::vector<clause> any_epoch() {
  return {{"T10", "WorksFromAnyEpoch", works_from_any_epoch},
          {"T10", "TimeThatGoesBackIsClamped", time_that_goes_back_is_clamped},
          {"T10", "TheEndOfTimeDoesNotWrap", the_end_of_time_does_not_wrap},
          {"T10", "LongDeadlinesStayExact", long_deadlines_stay_exact}};
}

}  // namespace pinion::timer::testing
