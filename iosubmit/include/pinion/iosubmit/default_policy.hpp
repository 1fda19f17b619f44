// SPDX-License-Identifier: Apache-2.0
//
// default_policy: what a build recommends, chosen by the option PINION_POLICY_DEFAULT.
//
// An alias and nothing else: whatever is compiled on it names the concrete type, so two builds with different
// defaults have different symbols.
//
//   submission<default_policy, uring_ring> io{uring_ring{{}}};
#pragma once

#include <pinion/config.hpp>
#include <pinion/iosubmit/policy/adaptive.hpp>
#include <pinion/iosubmit/policy/balanced.hpp>
#include <pinion/iosubmit/policy/batch_or_idle.hpp>
#include <pinion/iosubmit/policy/chosen_policy.hpp>
#include <pinion/iosubmit/policy/each_turn.hpp>
#include <pinion/iosubmit/policy/high_throughput.hpp>
#include <pinion/iosubmit/policy/low_latency.hpp>

namespace pinion::iosubmit {

/// The policy for nearly everybody: chosen_policy, which is adaptive unless who starts the program chose
/// another; or what the build was told.
using default_policy = PINION_POLICY_DEFAULT;

}  // namespace pinion::iosubmit
