// SPDX-License-Identifier: Apache-2.0
//
// What balanced must answer, as named checks over any policy that claims to be it: plain functions that know
// no test framework.
//
//   for (const policy_check& c : policy_checks()) EXPECT_FALSE(c.check(made<balanced>)) << c.name;
#pragma once

#include <memory>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <vector>

#include "violation.hpp"

namespace pinion::iosubmit::testing {

using pinion::testing::violation;

/// Any policy that follows latencies and has modes.
class any_policy {
 public:
  any_policy() = default;
  any_policy(const any_policy&) = delete;
  any_policy& operator=(const any_policy&) = delete;
  virtual ~any_policy() = default;
  virtual bool queued(const queue_state& state) = 0;
  virtual void entered(const entered_batch& batch) = 0;
  virtual void reaped(const reaped_batch& batch) = 0;
  virtual void completed(duration latency) = 0;
  virtual park_wait about_to_park(const queue_state& state) = 0;
  [[nodiscard]] virtual submit_mode mode() const = 0;
};

using policy_factory = std::unique_ptr<any_policy> (*)();

template <class Policy>
class erased final : public any_policy {
 public:
  bool queued(const queue_state& state) override { return policy_.queued(state); }
  void entered(const entered_batch& batch) override { policy_.entered(batch); }
  void reaped(const reaped_batch& batch) override { policy_.reaped(batch); }
  void completed(duration latency) override { policy_.completed(latency); }
  park_wait about_to_park(const queue_state& state) override { return policy_.about_to_park(state); }
  [[nodiscard]] submit_mode mode() const override { return policy_.mode(); }

 private:
  Policy policy_{};
};

template <class Policy>
std::unique_ptr<any_policy> made() {
  return std::make_unique<erased<Policy>>();
}

struct policy_check {
  const char* name;
  violation (*check)(policy_factory make);
};

[[nodiscard]] const std::vector<policy_check>& policy_checks();

}  // namespace pinion::iosubmit::testing
