// SPDX-License-Identifier: Apache-2.0
//
// count_nops: the rows of one contestant in a budget: a NOP that is alone, and one of 32 that are asked for
// together, each from its queue() to its answer.
#pragma once

#include <bench/budget/budget.hpp>
#include <pinion/base/time.hpp>
#include <string>

#include "workloads/nop.hpp"

namespace pinion::iosubmit::bench {

/// A microsecond later whenever it is read: what a policy decides by the time is the same in each run. It
/// costs next to nothing.
class even_clock {
 public:
  instant now() noexcept { return now_ = now_ + duration{1'000}; }

 private:
  instant now_;
};

template <class Contestant>
void count_nops(pinion::bench::budget& counted, const std::string& who) {
  using meter = pinion::bench::instruction_meter;
  counted.instructions(who, "nop_alone", measure_nop<Contestant, meter>(1, 2'000).work);
  counted.instructions(who, "nop_of_32", measure_nop<Contestant, meter>(32, 100).work);
}

}  // namespace pinion::iosubmit::bench
