// SPDX-License-Identifier: Apache-2.0
//
// Clustered expiry in units of work, which only checked stores count. This file alone is compiled as in a
// checked build (CMakeLists.txt); everything that differs there has a name of its own, so it may share the
// program with the rest.
#include "clustered_work.hpp"

#include <bench/program/program.hpp>
#include <cstddef>
#include <pinion/timer.hpp>
#include <string>

#include "contestants.hpp"
#include "workloads/clustered.hpp"

static_assert(pinion::is_checked, "this file is to be compiled with the checked config.hpp");

namespace pinion::timer::bench {
namespace {

template <class Contestant>
void add_one(const std::string& who) {
  pinion::bench::add("clustered_work/" + who + "/100000", []() -> pinion::bench::outcome {
    const clustered m = measure_clustered_within<Contestant>(100'000, work_of_poll{});
    pinion::bench::outcome result{
        m.seconds,
        m.checksum,
        m.expected,
        {{"poll_p50_count", m.exhausted.p50}, {"poll_p999_count", m.exhausted.p999}}};
    if (m.exhausted_count < 1'000) result.fault = "fewer than 1,000 polls spent their budget";
    if (m.exhausted.p999 > 2 * m.exhausted.p50) {
      result.fault = "one poll in a thousand does " + std::to_string(m.exhausted.p999) +
                     " units of work, more than twice the median of " + std::to_string(m.exhausted.p50);
    }
    return result;
  });
}

}  // namespace

void add_clustered_work() {
  add_one<store_contestant<ordered_map>>("ordered_map");
  add_one<store_contestant<two_level_wheel>>("two_level_wheel");
  add_one<store_contestant<stationary_wheel>>("stationary_wheel");
  add_one<store_contestant<overflow_wheel>>("overflow_wheel");
  add_one<bitmap_entries>("bitmap_wheel");
  add_one<store_contestant<deferred_wheel>>("deferred_wheel");
  add_one<deferred_hooks>("deferred_hooks");
}

}  // namespace pinion::timer::bench
