// SPDX-License-Identifier: Apache-2.0
//
// What an operation costs in instructions of the program: a NOP through a submission over the shipped ring,
// under every policy, and what a policy takes by itself. The kernel's instructions are not counted. `./check
// budget` compares with bench/budget/iosubmit.toml.
#include <bench/budget/budget.hpp>
#include <pinion/iosubmit.hpp>
#include <type_traits>

#include "contestants.hpp"
#include "counted_budget.hpp"
#include "nop_budget.hpp"
#include "peers/raw_uring.hpp"
#include "workloads/awaited_nop.hpp"
#include "workloads/decision.hpp"

int main() {
  using namespace pinion::iosubmit;
  using pinion::bench::instruction_meter;
  pinion::bench::budget counted;
  bench::with_each_policy([&]<class Policy>(const char* who) {
    bench::count_nops<bench::submission_of<Policy, bench::plain_uring, bench::even_clock>>(counted, who);
    counted.instructions(who, "decision", bench::measure_decision<Policy, instruction_meter>(100'000));
    // Law S3: both take as long, and nothing but what a policy holds itself can be looked through.
    static_assert(std::is_trivially_copyable_v<Policy>);
    counted.instructions(who, "hooks_at_256", bench::measure_hooks<Policy, instruction_meter>(256, 20'000));
    counted.instructions(who, "hooks_at_4096", bench::measure_hooks<Policy, instruction_meter>(4096, 20'000));
  });
  bench::count_nops<bench::submission_of<chosen_policy, bench::plain_uring, bench::even_clock>>(
      counted, "chosen_policy");
  counted.instructions("chosen_policy", "decision",
                       bench::measure_decision<chosen_policy, instruction_meter>(100'000));
  submission<adaptive, uring_ring, bench::even_clock> io{uring_ring{{}}};
  counted.instructions("adaptive", "awaited_nop", bench::measure_awaited_nop<instruction_meter>(io, 2'000));
  bench::count_with_statistics(counted);
  bench::count_nops<bench::raw_uring>(counted, "raw_uring");
  return counted.exit_status();
}
