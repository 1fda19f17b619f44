// SPDX-License-Identifier: Apache-2.0
#include "knobs.hpp"

#include <pinion/iosubmit.hpp>
#include <utility>
#include <vector>

#include "loads.hpp"
#include "regret.hpp"

namespace pinion::iosubmit::simulation {
namespace {

// The fixed ones that are best on some family stand first: the others change no regret.
std::vector<contestant> best_fixed() {
  std::vector<contestant> best;
  for (contestant& one : contestants())
    if (one.name == "each_turn" || one.name == "high_throughput") best.push_back(std::move(one));
  return best;
}

template <class Knob, class Value>
void add(std::vector<contestant>& all, std::string name, Knob adaptive_options::* knob, const Value& value) {
  adaptive_options options;
  options.*knob = Knob{value};
  all.push_back(contestant_of(std::move(name), adaptive{options}, false));
}

std::vector<contestant> turned() {
  using o = adaptive_options;
  std::vector<contestant> all = best_fixed();
  all.push_back(contestant_of("adaptive", adaptive{}, false));
  add(all, "`enter_cost` 250 ns", &o::enter_cost, 250U);
  add(all, "`enter_cost` 4 us", &o::enter_cost, 4'000U);
  add(all, "`enter_cost` 20 us", &o::enter_cost, 20'000U);
  add(all, "`batch_max` 16", &o::batch_max, 16U);
  add(all, "`batch_max` 256", &o::batch_max, 256U);
  add(all, "`at_once_above` 5 us", &o::at_once_above, 5'000U);
  add(all, "`at_once_above` 80 us", &o::at_once_above, 80'000U);
  add(all, "`at_once_above` forever", &o::at_once_above, forever);
  add(all, "`operations_min` 1", &o::operations_min, 1U);
  add(all, "`operations_min` 8", &o::operations_min, 8U);
  add(all, "`turns` 1", &o::turns, 1U);
  add(all, "`turns` 256", &o::turns, 256U);
  add(all, "`turn_max` 100 us", &o::turn_max, 100'000U);
  add(all, "`share` 0", &o::share, 0U);
  add(all, "`share` 2", &o::share, 2U);
  add(all, "`share` 8", &o::share, 8U);
  add(all, "`gather_max` 50 us", &o::gather_max, 50'000U);
  add(all, "`answers` 16", &o::answers, 16U);
  add(all, "`answers` 4096", &o::answers, 4'096U);
  add(all, "`rest` 0", &o::rest, 0U);
  add(all, "`rest` 4096", &o::rest, 4'096U);
  return all;
}

}  // namespace

std::string knobs_page(const costs& machine) {
  return "# adaptive's knobs, in simulation\n\n"
         "What becomes of its [regret](regret.md) on the loads that its numbers were chosen on, where one of "
         "them is another: each "
         "row\nis `adaptive` but for that. The first two are the fixed policies that are best on some "
         "family. Made by "
         "`iosubmit_knobs_table`,\ncompared by `knobs_test.cpp`.\n\n" +
         summary(judge(machine, turned(), tuned_families()));
}

}  // namespace pinion::iosubmit::simulation
