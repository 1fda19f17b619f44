// SPDX-License-Identifier: Apache-2.0
//
// The lists that a new policy, or a new temper of the ring, adds its name to: from there on every law holds
// for each pair of them.
#include "any_submission.hpp"

namespace pinion::iosubmit::testing {
namespace {

// Policies that no user would write: submission keeps its laws whatever they say.
struct always_yes : immediate {
  bool queued(const queue_state&) noexcept { return true; }
};
struct always_no : immediate {
  bool queued(const queue_state&) noexcept { return false; }
};
struct gathers_for_ever : always_no {
  park_wait about_to_park(const queue_state&) noexcept {
    return {.count = 4'000'000'000U, .gather = forever};
  }
};
struct waits_for_none : always_no {
  park_wait about_to_park(const queue_state&) noexcept { return {.count = 0}; }
};
struct whimsical : immediate {
  std::uint64_t state = 88172645463325252U;
  std::uint64_t draw() noexcept {
    state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
    return state;
  }
  bool queued(const queue_state&) noexcept { return draw() % 4 == 0; }
  park_wait about_to_park(const queue_state&) noexcept {
    return {.count = static_cast<std::uint32_t>(draw() % 9), .gather = duration{draw() % 200'000}};
  }
};

struct temper {
  const char* name;
  sim::virtual_ring_options ring;
  bool is_faulty = false;
};
constexpr duration usual{80'000};
const temper tempers[] = {
    {"plain", {.latency = usual}},
    {"tiny", {.entries = 1, .completions = 2, .latency = usual}},
    {"deferred", {.keeps_back = true, .latency = usual}},
    {"overflowing", {.entries = 16, .completions = 3, .keeps_back = true, .latency = usual}},
    {"slow",
     {.entries = 32,
      .keeps_back = true,
      .enter_cost = duration{2'000},
      .wake_cost = duration{40'000},
      .latency = duration{900'000}}},
    {"faulty", {.entries = 8, .completions = 64, .latency = usual}, true},
};

}  // namespace

const std::vector<submission_factory>& backends() {
  static const std::vector<submission_factory> all = [] {
    std::vector<submission_factory> list;
    const auto add = [&]<class Policy>(const char* name, Policy policy) {
      for (const temper& t : tempers) {
        list.push_back({.name = std::string{name} + "_over_" + t.name,
                        .make = [policy](sim::virtual_clock& clock, const sim::virtual_ring_options& how)
                            -> std::unique_ptr<any_submission> {
                          return std::make_unique<adapted<Policy>>(clock, how, policy);
                        },
                        .ring = t.ring,
                        .is_faulty = t.is_faulty});
      }
    };
    add("immediate", immediate{});
    add("batch_or_idle", batch_or_idle{});
    add("batch_of_4_or_idle", batch_or_idle{.batch = 4});
    add("each_turn", each_turn{});
    add("low_latency", low_latency{});
    add("high_throughput", high_throughput{});
    add("balanced", balanced{});
    add("adaptive", adaptive{});
    add("chosen_policy", chosen_policy{effective_settings{}});
    add("always_yes", always_yes{});
    add("always_no", always_no{});
    add("gathers_for_ever", gathers_for_ever{});
    add("waits_for_none", waits_for_none{});
    add("whimsical", whimsical{});
    return list;
  }();
  return all;
}

}  // namespace pinion::iosubmit::testing
