// SPDX-License-Identifier: Apache-2.0
//
// What an operation costs in instructions of the program: a NOP through a submission over the shipped ring, under every policy, and
// what a policy takes by itself. The kernel's instructions are not counted. `./check budget` compares with bench/budget/iosubmit.toml.
#include <bench/budget/budget.hpp>
#include <cstddef>
#include <pinion/iosubmit.hpp>
#include <string>

#include "contestants.hpp"
#include "peers/raw_uring.hpp"
#include "workloads/decision.hpp"
#include "workloads/nop.hpp"

namespace pinion::iosubmit::bench {
namespace {

using meter = pinion::bench::instruction_meter;

template <class Contestant>
void count_nops(pinion::bench::budget& counted, const std::string& who) {
  counted.instructions(who, "nop_alone", measure_nop<Contestant, meter>(1, 2'000).work);
  counted.instructions(who, "nop_of_32", measure_nop<Contestant, meter>(32, 100).work);
}

}  // namespace
}  // namespace pinion::iosubmit::bench

int main() {
  using namespace pinion::iosubmit;
  pinion::bench::budget counted;
  bench::with_each_policy([&]<class Policy>(const char* who) {
    bench::count_nops<bench::submission_of<Policy, bench::plain_uring>>(counted, who);
    counted.instructions(who, "decision", bench::measure_decision<Policy, bench::meter>(100'000));
  });
  bench::count_nops<bench::raw_uring>(counted, "raw_uring");
  return counted.exit_status();
}
