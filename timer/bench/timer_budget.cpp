// SPDX-License-Identifier: Apache-2.0
//
// What each operation of the timers may cost in instructions, and a timer in bytes: the workloads of
// timer_bench, small, for pinion's own stores. `./check budget` compares with bench/budget/timer.toml.
#include <bench/budget/budget.hpp>
#include <cstddef>
#include <pinion/timer.hpp>
#include <string>

#include "contestants.hpp"
#include "workloads/arm_and_cancel.hpp"
#include "workloads/expire.hpp"
#include "workloads/memory.hpp"
#include "workloads/quiet.hpp"
#include "workloads/timeouts.hpp"

namespace pinion::timer::bench {
namespace {

using meter = pinion::bench::instruction_meter;

template <class Contestant>
void count(pinion::bench::budget& counted, const std::string& who) {
  constexpr std::size_t n = 10'000;
  constexpr std::size_t repeated = 100'000;
  const auto both = measure_arm_and_cancel<Contestant, meter>(n, cancel_order::random, 1);
  counted.instructions(who, "arm", both.arm);
  counted.instructions(who, "cancel", both.cancel);
  counted.instructions(who, "churn_pair", measure_churn<Contestant, meter>(n, repeated));
  counted.instructions(who, "push_on", measure_push_on<Contestant, meter>(n, repeated));
  counted.instructions(who, "expire", measure_expire<Contestant, meter>(n, 1));
  counted.instructions(who, "jump", measure_jump<Contestant, meter>(n, 1));
  counted.instructions(who, "next_wakeup", measure_next_wakeup<Contestant, meter>(n, n));
  counted.instructions(who, "empty_tick", measure_empty_tick<Contestant, meter>(n, 1));
  const memory held = measure_memory<Contestant>(65'536);
  counted.bytes(who, "timer", held.timer_bytes, held.checksum == held.expected);
}

}  // namespace
}  // namespace pinion::timer::bench

int main() {
  using namespace pinion::timer;
  pinion::bench::budget counted;
  bench::count<bench::store_contestant<ordered_map>>(counted, "ordered_map");
  bench::count<bench::store_contestant<two_level_wheel>>(counted, "two_level_wheel");
  bench::count<bench::store_contestant<stationary_wheel>>(counted, "stationary_wheel");
  bench::count<bench::store_contestant<overflow_wheel>>(counted, "overflow_wheel");
  bench::count<bench::bitmap_entries>(counted, "bitmap_wheel");
  bench::count<bench::store_contestant<deferred_wheel>>(counted, "deferred_wheel");
  bench::count<bench::deferred_hooks>(counted, "deferred_hooks");
  return counted.exit_status();
}
