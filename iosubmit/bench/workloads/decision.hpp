// SPDX-License-Identifier: Apache-2.0
//
// What a policy costs by itself, without a ring: the hooks of one operation, and each hook once where much is
// queued and out.
//
//   measured m = measure_decision<adaptive>(1'000'000);
//   measured few = measure_hooks<adaptive>(256, 10'000), many = measure_hooks<adaptive>(4096, 10'000);      // law S3: alike
//
// An operation is queued every 100 ns, and a turn with it ends; where the policy says so all that is queued
// is entered, and answered at once. Which hooks that is for one operation depends on the policy: those that
// enter seldom are asked less. For those that follow latencies they are told each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit/concept.hpp>

#include "engine.hpp"

namespace pinion::iosubmit::bench {

/// Keeps the optimiser from knowing what a policy holds.
template <class Object>
inline void unknown(Object& object) noexcept {
  asm volatile("" : : "r"(&object) : "memory");
}

/// The checksum is what was entered, in the end all of it.
template <submit_policy Policy, class Meter = process_stopwatch>
measured measure_decision(std::size_t operations) {
  Policy policy{};
  measured result{.operations = operations, .expected = operations};
  queue_state state{.now = instant{1'000'000}, .turn_ends = true};
  const auto enter = [&] {
    policy.entered({.accepted = state.depth, .now = state.now});
    if constexpr (latency_policy<Policy>) {
      for (std::uint32_t k = 0; k < state.depth; ++k)
        policy.completed(duration{1'000} + (state.now - state.oldest));
    }
    policy.reaped({.count = state.depth, .in_flight = 0, .now = state.now});
    result.checksum += state.depth;
    state.depth = 0;
  };

  const Meter watch;
  for (std::size_t k = 0; k < operations; ++k) {
    state.now = state.now + duration{100};
    if (state.depth++ == 0) state.oldest = state.now;
    unknown(policy);
    if (policy.queued(state)) enter();
  }
  result.seconds = watch.seconds();

  if (state.depth != 0) enter();
  return result;
}

/// Each hook once a round, with so many operations queued and as many in flight, whatever the policy answers.
/// The latencies are such as to keep a policy that re-adjusts at work. The checksum is how many completions
/// the rounds told of.
template <submit_policy Policy, class Meter = process_stopwatch>
measured measure_hooks(std::uint32_t depth, std::size_t rounds) {
  Policy policy{};
  measured result{.operations = rounds, .expected = rounds * depth};
  queue_state state{.depth = depth,
                    .in_flight = depth,
                    .now = instant{1'000'000},
                    .oldest = instant{1'000'000},
                    .turn_ends = true};
  std::uint64_t answers = 0;

  const Meter watch;
  for (std::size_t round = 0; round < rounds; ++round) {
    state.now = state.now + duration{10'000};
    state.oldest = state.now;
    unknown(policy);
    answers += policy.queued(state) ? 1U : 0U;
    if constexpr (latency_policy<Policy>) policy.completed(duration{20'000 + round % 1'024 * 1'000});
    answers += policy.about_to_park(state).count;
    policy.entered({.accepted = depth, .now = state.now});
    policy.reaped({.count = depth, .in_flight = depth, .now = state.now});
    result.checksum += depth;
  }
  result.seconds = watch.seconds();
  unknown(answers);
  return result;
}

}  // namespace pinion::iosubmit::bench
