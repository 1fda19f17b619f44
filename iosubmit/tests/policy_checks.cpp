// SPDX-License-Identifier: Apache-2.0
#include "policy_checks.hpp"

#include <cstdint>

namespace pinion::iosubmit::testing {
namespace {

using pinion::testing::in_words;

constexpr instant start{1'000'000'000'000};
constexpr std::uint64_t us = 1'000;
constexpr std::uint64_t ms = 1'000'000;

queue_state waiting(std::uint32_t depth, std::uint64_t age_ns, std::uint32_t in_flight = 0) {
  return {.depth = depth, .in_flight = in_flight, .now = start, .oldest = start - duration{age_ns}};
}

void complete(any_policy& policy, int times, std::uint64_t latency_ns) {
  for (int k = 0; k < times; ++k) policy.completed(duration{latency_ns});
}

/// 128 latencies whose second worst is that one: one is far above it, the others are far below.
void complete_with_p99(any_policy& policy, std::uint64_t p99_ns) {
  complete(policy, 126, p99_ns / 100);
  complete(policy, 1, p99_ns);
  complete(policy, 1, p99_ns * 20);
}

/// A policy in that mode, which it enters at start + 10 ms + 1 ns.
std::unique_ptr<any_policy> made_in(submit_mode mode, policy_factory make) {
  std::unique_ptr<any_policy> policy = make();
  policy->entered({.accepted = 1001, .now = start});
  complete_with_p99(*policy, mode == submit_mode::low_latency ? 50 * ms + 1
                             : mode == submit_mode::balanced  ? ms
                                                              : ms - 1);
  policy->reaped({.count = 128, .in_flight = 0, .now = start + duration{10 * ms + 1}});
  return policy;
}

struct decision {
  std::uint32_t depth;
  std::uint64_t age_ns;
  bool enters;
};

violation decides(any_policy& policy, const char* when, std::initializer_list<decision> table) {
  for (const decision& row : table) {
    if (policy.queued(waiting(row.depth, row.age_ns)) != row.enters)
      return in_words(when, ", with ", row.depth, " queued for ", row.age_ns, " ns, it ",
                      row.enters ? "does not enter" : "enters");
  }
  return {};
}

violation average_picks_the_batch(policy_factory make) {
  struct band {
    const char* name;
    std::uint64_t average_ns;
    std::initializer_list<decision> table;
  };
  const std::initializer_list<decision> fast = {{0, forever.ns, false},
                                                {1, 500 * us, false},
                                                {31, 500 * us, false},
                                                {32, 0, true},
                                                {1, 500 * us + 1, true}};
  const std::initializer_list<decision> between = {{0, forever.ns, false},
                                                   {1, 200 * us, false},
                                                   {7, 200 * us, false},
                                                   {8, 0, true},
                                                   {1, 200 * us + 1, true}};
  const std::initializer_list<decision> slow = {{0, forever.ns, false}, {1, 0, true}};
  for (const band& b :
       {band{"at an average of 1 ms less 1 ns", ms - 1, fast}, band{"at an average of 1 ms", ms, between},
        band{"at an average of 10 ms", 10 * ms, between},
        band{"at an average of 10 ms and 1 ns", 10 * ms + 1, slow}}) {
    const std::unique_ptr<any_policy> policy = make();
    complete(*policy, 128, b.average_ns);
    policy->reaped({.count = 128, .in_flight = 0, .now = start});
    if (violation wrong = decides(*policy, b.name, b.table)) return wrong;
  }
  return decides(*make(), "with nothing known", fast);
}

violation p99_and_load_pick_the_mode(policy_factory make) {
  struct row {
    std::uint64_t p99_ns;
    std::uint32_t submitted;
    submit_mode mode;
  };
  for (const row& r :
       {row{50 * ms, 0, submit_mode::balanced}, row{50 * ms + 1, 0, submit_mode::low_latency},
        row{50 * ms + 1, 5000, submit_mode::low_latency}, row{ms - 1, 1000, submit_mode::balanced},
        row{ms - 1, 1001, submit_mode::high_throughput}, row{ms, 1001, submit_mode::balanced}}) {
    const std::unique_ptr<any_policy> policy = make();
    policy->entered({.accepted = r.submitted, .now = start});
    complete_with_p99(*policy, r.p99_ns);
    policy->reaped({.count = 128, .in_flight = 0, .now = start + duration{10 * ms + 1}});
    if (policy->mode() != r.mode)
      return in_words("with a P99 of ", r.p99_ns, " ns and ", r.submitted, " submitted the mode is ",
                      to_string(policy->mode()), " and not ", to_string(r.mode));
  }
  return {};
}

violation modes_have_their_batches(policy_factory make) {
  const std::unique_ptr<any_policy> low = made_in(submit_mode::low_latency, make);
  if (violation wrong = decides(*low, "in low latency", {{0, forever.ns, false}, {1, 0, true}})) return wrong;
  const std::unique_ptr<any_policy> high = made_in(submit_mode::high_throughput, make);
  return decides(*high, "in high throughput",
                 {{0, forever.ns, false},
                  {1, 1000 * us, false},
                  {63, 1000 * us, false},
                  {64, 0, true},
                  {1, 1000 * us + 1, true}});
}

violation waits_gather_only_for_throughput(policy_factory make) {
  struct row {
    submit_mode mode;
    std::uint32_t depth;
    std::uint32_t in_flight;
    park_wait expected;
  };
  const duration gather{250 * us};
  for (const row& r : {row{submit_mode::low_latency, 8, 40, {.count = 1, .gather = duration{}}},
                       row{submit_mode::balanced, 8, 40, {.count = 1, .gather = duration{}}},
                       row{submit_mode::high_throughput, 0, 0, {.count = 1, .gather = gather}},
                       row{submit_mode::high_throughput, 1, 2, {.count = 1, .gather = gather}},
                       row{submit_mode::high_throughput, 8, 40, {.count = 24, .gather = gather}},
                       row{submit_mode::high_throughput, 8, 400, {.count = 64, .gather = gather}}}) {
    const std::unique_ptr<any_policy> policy = made_in(r.mode, make);
    const park_wait answer = policy->about_to_park(waiting(r.depth, 0, r.in_flight));
    if (answer != r.expected)
      return in_words("in ", to_string(r.mode), " with ", r.depth, " queued and ", r.in_flight,
                      " in flight it waits for ", answer.count, " within ", answer.gather.ns,
                      " ns, and not for ", r.expected.count, " within ", r.expected.gather.ns);
  }
  return {};
}

violation a_mode_stays_for_a_period(policy_factory make) {
  const std::unique_ptr<any_policy> policy = made_in(submit_mode::high_throughput, make);
  const instant changed = start + duration{10 * ms + 1};
  for (int k = 0; k < 256; ++k) {
    policy->completed(duration{60 * ms});
    policy->reaped({.count = 1, .in_flight = 0, .now = changed + duration{std::uint64_t(k) * 39 * us}});
    if (policy->mode() != submit_mode::high_throughput)
      return in_words("the mode changed again ", k * 39, " us after it had");
  }
  policy->reaped({.count = 0, .in_flight = 0, .now = changed + duration{10 * ms}});
  if (policy->mode() != submit_mode::high_throughput)
    return in_words("the mode changed again 10 ms after it had");
  policy->reaped({.count = 0, .in_flight = 0, .now = changed + duration{10 * ms + 1}});
  if (policy->mode() != submit_mode::low_latency)
    return in_words("the mode did not change when the period was over");
  return {};
}

violation submissions_are_of_one_period(policy_factory make) {
  const std::unique_ptr<any_policy> policy = make();
  complete(*policy, 128, 100 * us);
  for (std::uint64_t period = 0; period < 4; ++period) {
    policy->entered({.accepted = 600, .now = start + duration{period * (10 * ms + 1)}});
    policy->reaped({.count = 0, .in_flight = 0, .now = start + duration{(period + 1) * (10 * ms + 1) - 1}});
    if (policy->mode() != submit_mode::balanced)
      return in_words("600 submissions in each of ", period + 1,
                      " periods were taken for more than 1000 in one");
  }
  return {};
}

violation a_pause_ends_a_period(policy_factory make) {
  const std::unique_ptr<any_policy> policy = make();
  complete(*policy, 128, 100 * us);
  policy->reaped({.count = 128, .in_flight = 0, .now = start});
  policy->entered({.accepted = 600, .now = start + duration{ms}});
  policy->entered({.accepted = 600, .now = start + duration{1000 * ms}});
  if (policy->mode() != submit_mode::balanced)
    return in_words(
        "600 submissions before a pause of a second and 600 after it were taken for 1200 in 10 ms");
  return {};
}

violation a_p99_is_not_of_a_few(policy_factory make) {
  for (const int few : {1, 99, 100}) {
    const std::unique_ptr<any_policy> policy = make();
    policy->reaped({.count = 0, .in_flight = 0, .now = start});
    complete(*policy, few, 60 * ms);
    policy->reaped({.count = 1, .in_flight = 0, .now = start + duration{10 * ms + 1}});
    const submit_mode expected = few < 100 ? submit_mode::balanced : submit_mode::low_latency;
    if (policy->mode() != expected)
      return in_words("after ", few, " latencies of 60 ms the mode is ", to_string(policy->mode()));
  }
  return {};
}

}  // namespace

const std::vector<policy_check>& policy_checks() {
  static const std::vector<policy_check> all{
      {"AverageLatencyPicksTheBatch", average_picks_the_batch},
      {"P99AndLoadPickTheMode", p99_and_load_pick_the_mode},
      {"EachModeHasItsBatch", modes_have_their_batches},
      {"WaitsGatherOnlyForThroughput", waits_gather_only_for_throughput},
      {"AModeStaysForAPeriod", a_mode_stays_for_a_period},
      {"SubmissionsAreOfOnePeriod", submissions_are_of_one_period},
      {"APauseEndsAPeriod", a_pause_ends_a_period},
      {"AP99IsNotOfAFew", a_p99_is_not_of_a_few},
  };
  return all;
}

}  // namespace pinion::iosubmit::testing
