// SPDX-License-Identifier: Apache-2.0
//
// Every backend against a model that shares no code with any: a plain list, searched from end to end.
// RapidCheck makes the operations, and on a difference shrinks them and prints the seed (RC_PARAMS="seed=…"
// repeats a run).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "any_store.hpp"

namespace pinion::timer::testing {
namespace {

enum class action : std::uint8_t { arm, cancel, push_on, poll, poll_some };

struct operation {
  action what;
  std::uint64_t time;  // ahead of now
  std::size_t victim;  // modulo the timers so far
  std::size_t budget;
};

std::ostream& operator<<(std::ostream& out, const operation& o) {
  static constexpr const char* names[] = {"arm", "cancel", "push_on", "poll", "poll_some"};
  return out << names[static_cast<int>(o.what)] << "(+" << o.time << ", #" << o.victim << ", " << o.budget
             << ')';
}

rc::Gen<operation> any_operation() {
  const auto time = rc::gen::mapcat(rc::gen::inRange(0, 48), [](int bits) {
    return rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits);
  });
  return rc::gen::build<operation>(
      rc::gen::set(&operation::what, rc::gen::weightedElement<action>({{5, action::arm},
                                                                       {2, action::cancel},
                                                                       {2, action::push_on},
                                                                       {2, action::poll},
                                                                       {2, action::poll_some}})),
      rc::gen::set(&operation::time, time),
      rc::gen::set(&operation::victim, rc::gen::inRange<std::size_t>(0, 10'000)),
      rc::gen::set(&operation::budget, rc::gen::inRange<std::size_t>(0, 12)));
}

/// What a store should do, said as simply as it can be.
struct model {
  struct timer {
    instant deadline;
    instant latest;  // the latest due time its lateness bound allows
    handle name;
    bool armed = true;
  };
  std::vector<timer> timers;
  instant now;
};

void run(const store_factory& backend, std::uint64_t start, const std::vector<operation>& operations) {
  ledger book;
  std::string broken;
  const std::unique_ptr<any_store> store = backend.make({.start = instant{start}, .broken = &broken});
  model expected{{}, instant{start}};
  const auto latest_due = [&](instant deadline) {
    const duration ahead = deadline - expected.now;
    return deadline + std::max(store->lateness_bound(ahead),
                               store->lateness_bound(ahead + store->lateness_bound(ahead)));
  };
  for (const operation& o : operations) {
    const instant deadline = expected.now + duration{o.time};
    const std::size_t victim = expected.timers.empty() ? 0 : o.victim % expected.timers.size();
    switch (o.what) {
    case action::arm: {
      token value{book, expected.timers.size()};
      expected.timers.push_back(
          {deadline, latest_due(deadline), store->schedule(deadline, std::move(value))});
      break;
    }
    case action::cancel: {
      if (expected.timers.empty()) break;
      model::timer& t = expected.timers[victim];
      const std::optional<token> back = store->cancel(t.name);
      RC_ASSERT(back.has_value() == t.armed);
      if (back) RC_ASSERT(back->id() == victim);
      t.armed = false;
      break;
    }
    case action::push_on: {
      if (expected.timers.empty()) break;
      model::timer& t = expected.timers[victim];
      RC_ASSERT(store->reschedule(t.name, deadline) == t.armed);
      if (t.armed) t = {deadline, latest_due(deadline), t.name};
      break;
    }
    case action::poll:
    case action::poll_some: {
      const std::size_t budget = o.what == action::poll ? unlimited : o.budget;
      if (budget != 0) expected.now = std::max(expected.now, deadline);
      std::size_t fired = 0;
      auto sink = [&](handle h, instant when, token&& value) {
        RC_ASSERT(value.id() < expected.timers.size());
        model::timer& t = expected.timers[value.id()];
        RC_ASSERT(t.armed);
        RC_ASSERT(t.name == h);
        RC_ASSERT(t.deadline == when);
        RC_ASSERT(when <= expected.now);
        t.armed = false;
        ++fired;
      };
      const poll_result did = store->poll(deadline, budget, sink);
      RC_ASSERT(did.fired == fired);
      RC_ASSERT(budget == unlimited || did.fired + did.moved <= budget);
      const auto overdue =
          std::count_if(expected.timers.begin(), expected.timers.end(), [&](const model::timer& t) {
            return t.armed && t.latest <= expected.now && t.deadline != never;
          });
      if (budget != 0 && !did.more) RC_ASSERT(overdue == 0);
      break;
    }
    }
    const auto armed =
        std::count_if(expected.timers.begin(), expected.timers.end(), [](const auto& t) { return t.armed; });
    RC_ASSERT(store->size() == static_cast<std::size_t>(armed));
    instant earliest = never;
    for (const model::timer& t : expected.timers) {
      if (t.armed) earliest = std::min(earliest, t.latest);
    }
    RC_ASSERT(store->next_wakeup() <= earliest);
    if (!broken.empty()) RC_FAIL(broken);
  }
}

class model_test : public ::testing::TestWithParam<std::size_t> {};

TEST_P(model_test, DoesWhatAPlainListDoes) {
  const store_factory& backend = backends()[GetParam()];
  // As many and as long as a second allows, unless whoever runs the test says otherwise.
  setenv("RC_PARAMS", "max_success=1500 max_size=200", 0);

  const bool holds = rc::check(backend.name + " does what a plain list does", [&] {
    const auto start =
        *rc::gen::element<std::uint64_t>(0, 1, (std::uint64_t{1} << 36) - 1, std::uint64_t{1} << 63);
    const auto operations = *rc::gen::container<std::vector<operation>>(any_operation());
    run(backend, start, operations);
  });

  EXPECT_TRUE(holds) << "the operations and the seed are printed above";
}

INSTANTIATE_TEST_SUITE_P(backends, model_test, ::testing::Range<std::size_t>(0, backends().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& which) {
                           return backends()[which.param].name;
                         });

}  // namespace
}  // namespace pinion::timer::testing
