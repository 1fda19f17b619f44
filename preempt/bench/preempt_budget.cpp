// SPDX-License-Identifier: Apache-2.0
//
// What each look and each slice may cost in instructions. The kernel's are not counted, nor those of a
// source's thread. `./check budget` compares with bench/budget/preempt.toml.
#include <bench/budget/budget.hpp>
#include <cstddef>
#include <pinion/preempt.hpp>
#include <string>

#include "contestants.hpp"
#include "peers/by_hand.hpp"
#include "workloads/looks.hpp"
#include "workloads/rule.hpp"
#include "workloads/slices.hpp"

namespace pinion::preempt::bench {
namespace {

using meter = pinion::bench::instruction_meter;
constexpr std::size_t n = 100'000;

template <class Made>
void count(pinion::bench::budget& counted, const std::string& who) {
  Made made;
  auto& source = made.source;
  const instant now = monotonic_clock::now();
  source.begin(now, now + far_ahead);
  const word& looked_at = source.word();
  counted.instructions(who, "check", measure_looks<word_pointer, meter>({&looked_at}, n));
  counted.instructions(who, "yield_if_needed", measure_awaited<each_time, meter>(looked_at, n));
  counted.instructions(who, "yield_by_promise", measure_awaited<by_promise, meter>(looked_at, n));
  counted.instructions(who, "yield_every_64", measure_awaited<each_64th, meter>(looked_at, n));
  counted.instructions(who, "for_each", measure_awaited<each_element, meter>(looked_at, n));
  counted.instructions(who, "begin_again", measure_begin_again<typename Made::source_type, meter>(source, n));
  counted.instructions(who, "begin_and_rest",
                       measure_begin_and_rest<typename Made::source_type, meter>(source, n));
}

void count_yields(pinion::bench::budget& counted) {
  always_due source;
  const instant now = monotonic_clock::now();
  source.begin(now, now + far_ahead);
  counted.instructions("always_due", "yield_and_resume", measure_yields<each_time, meter>(source.word(), n));
  counted.instructions("always_due", "yield_and_resume_by_promise",
                       measure_yields<by_promise, meter>(source.word(), n));
}

void count_loops(pinion::bench::budget& counted) {
  const never_due source;
  counted.instructions("empty", "check", measure_looks<nothing, meter>({}, n));
  counted.instructions("empty", "yield_if_needed", measure_awaited<empty_await, meter>(source.word(), n));
  counted.instructions("counter_pair", "check", measure_looks<counter_pair, meter>({}, n));
}

}  // namespace
}  // namespace pinion::preempt::bench

int main() {
  using namespace pinion::preempt;
  pinion::bench::budget counted;
  bench::count_loops(counted);
  bench::with_each_source([&]<class Made>(const char* who) { bench::count<Made>(counted, who); });
  bench::count_yields(counted);
  counted.instructions("slice_rule", "end_of", bench::measure_end_of<bench::meter>(bench::n));
  return counted.exit_status();
}
