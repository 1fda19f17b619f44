// SPDX-License-Identifier: Apache-2.0
//
// T8: what schedule, cancel, reschedule and a long jump touch grows with the number of timers as declared, no
// faster.
#include <bit>

#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

/// Entries that 256 of each operation touch while n timers are armed.
struct touched {
  std::uint64_t schedule, cancel, reschedule;
};

touched at_population(const store_factory& factory, std::size_t n) {
  scenario s{factory};
  constexpr std::uint64_t minute = 60'000'000'000;
  // Warm, so that no container grows while we count.
  s.store->reserve(n + 256);
  for (std::size_t k = 0; k < n; ++k) s.arm(instant{1'000'000 + s.random.below(minute)});
  const auto count = [&](auto&& operation) {
    const std::uint64_t before = s.store->work().value_or(0);
    for (std::size_t k = 0; k < 256; ++k) operation(k);
    return s.store->work().value_or(0) - before;
  };
  touched sum{};
  sum.schedule = count([&](std::size_t) { s.arm(instant{1'000'000 + s.random.below(minute)}); });
  sum.reschedule =
      count([&](std::size_t k) { s.reschedule(k, instant{1'000'000 + s.random.below(minute)}); });
  sum.cancel = count([&](std::size_t k) { s.cancel(k); });
  return sum;
}

/// How much more than at n may be touched at 16 n.
std::uint64_t allowance(growth declared, std::uint64_t at_n, std::size_t n) {
  switch (declared) {
  case growth::constant: return at_n + at_n / 8;
  case growth::logarithmic: {
    const auto log_n = static_cast<std::uint64_t>(std::bit_width(n));
    return at_n * (log_n + 4) / log_n * 5 / 4;
  }
  case growth::linear: break;
  }
  return at_n * 32;
}

violation grows_no_faster_than_declared(const store_factory& factory) {
  const growth declared = scenario{factory}.store->traits().cost;
  constexpr std::size_t n = 512;
  const touched few = at_population(factory, n);
  const touched many = at_population(factory, 16 * n);
  const scenario judge{factory};
  const auto compare = [&](const char* what, std::uint64_t at_n, std::uint64_t at_16n) -> violation {
    if (at_n == 0) return judge.broken(what, " claims to touch nothing: work() does not count");
    if (at_16n <= allowance(declared, at_n, n)) return {};
    return judge.broken(what, " of 256 timers touches ", at_n, " entries among ", n, " and ", at_16n,
                        " among ", 16 * n, ", faster growth than traits.cost declares");
  };
  if (violation broken = compare("schedule", few.schedule, many.schedule)) return broken;
  if (violation broken = compare("reschedule", few.reschedule, many.reschedule)) return broken;
  return compare("cancel", few.cancel, many.cancel);
}

violation a_jump_costs_what_is_due_not_its_length(const store_factory& factory) {
  for (const unsigned bits : {20U, 30U, 40U, 50U, 60U}) {
    scenario s{factory};
    s.arm(s.now + duration{1'000'000});
    const std::uint64_t before = s.store->work().value_or(0);
    s.poll(s.now + duration{std::uint64_t{1} << bits} + s.bound(0));
    const std::uint64_t cost = s.store->work().value_or(0) - before;
    if (!s.has_fired(0)) return s.broken("one timer was due after a jump and did not fire");
    if (cost > 512)
      return s.broken("a jump of 2^", bits, " ns with one timer due touched ", cost, " entries");
  }
  return {};
}

/// Entries that 256 questions for the next wakeup touch while n timers are armed, each after an arm and a
/// cancel.
std::uint64_t asked_at_population(const store_factory& factory, std::size_t n) {
  scenario s{factory};
  constexpr std::uint64_t minute = 60'000'000'000;
  for (std::size_t k = 0; k < n; ++k) s.arm(instant{1'000'000 + s.random.below(minute)});
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < 256; ++k) {
    s.arm(instant{1'000'000 + s.random.below(minute)});
    s.cancel(k);
    const std::uint64_t before = s.store->work().value_or(0);
    static_cast<void>(s.store->next_wakeup());
    sum += s.store->work().value_or(0) - before;
  }
  return sum;
}

violation the_next_wakeup_grows_no_faster_than_declared(const store_factory& factory) {
  const growth declared = scenario{factory}.store->traits().next_wakeup;
  constexpr std::size_t n = 512;
  const std::uint64_t few = asked_at_population(factory, n);
  const std::uint64_t many = asked_at_population(factory, 16 * n);
  if (few == 0)
    return scenario{factory}.broken("next_wakeup() claims to touch nothing: work() does not count");
  if (many <= allowance(declared, few, n)) return {};
  return scenario{factory}.broken("256 next_wakeup() touch ", few, " entries among ", n, " timers and ", many,
                                  " among ", 16 * n, ", faster growth than traits.next_wakeup declares");
}

violation a_long_uptime_costs_the_first_poll_nothing(const store_factory& factory) {
  scenario s{factory, instant{std::uint64_t{1} << 44}};
  s.arm(s.now + duration{1'000'000});
  const std::uint64_t before = s.store->work().value_or(0);
  s.poll(s.now + duration{1'000'000} + s.bound(0));
  const std::uint64_t cost = s.store->work().value_or(0) - before;
  if (cost > 512)
    return s.broken("the first poll of a store made after a long uptime touched ", cost, " entries");
  return {};
}

}  // namespace

std::vector<clause> cost() {
  return {
      {"T8", "GrowsNoFasterThanDeclared", grows_no_faster_than_declared, true},
      {"T8", "TheNextWakeupGrowsNoFasterThanDeclared", the_next_wakeup_grows_no_faster_than_declared, true},
      {"T8", "AJumpCostsWhatIsDueNotItsLength", a_jump_costs_what_is_due_not_its_length, true},
      {"T8", "ALongUptimeCostsTheFirstPollNothing", a_long_uptime_costs_the_first_poll_nothing, true}};
}

}  // namespace pinion::timer::testing
