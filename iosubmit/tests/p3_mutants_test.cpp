// SPDX-License-Identifier: Apache-2.0
//
// The defects of design 004 P3, rebuilt: each must be killed by the check that is named for it, by that
// check's own violation.
//
// One is not a policy's: P3's loop leaves what its policy said no to, and nobody hands it over before the
// wait. submission does, whatever its policy says, so the loop is the mutant there.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <string>
#include <utility>
#include <vector>

#include "p3_policy.hpp"
#include "policy_checks.hpp"

namespace pinion::iosubmit::testing {
namespace {

using pinion::testing::in_words;

struct mutant {
  const char* name;
  policy_factory make;
  const char* killed_by;
};

constexpr mutant mutants[] = {
    {"NeverResetsSubmissions", made<p3_policy<never_resets_submissions>>, "SubmissionsAreOfOnePeriod"},
    {"CountsBeforeAdjusting", made<p3_policy<counts_before_adjusting>>, "APauseEndsAPeriod"},
    {"AgesFromTheCall", made<p3_policy<ages_from_the_call>>, "AverageLatencyPicksTheBatch"},
    {"AsksItsOwnClock", made<p3_policy<asks_its_own_clock>>, "P99AndLoadPickTheMode"},
    {"AdjustsEachCompletion", made<p3_policy<adjusts_each_completion>>, "AModeStaysForAPeriod"},
    {"BelievesAnyP99", made<p3_policy<believes_any_p99>>, "AP99IsNotOfAFew"},
    {"RanksOneTooLow", made<p3_policy<ranks_one_too_low>>, "P99AndLoadPickTheMode"},
    {"RanksOneTooHigh", made<p3_policy<ranks_one_too_high>>, "P99AndLoadPickTheMode"},
    {"InvertsThresholds", made<p3_policy<inverts_thresholds>>, "AverageLatencyPicksTheBatch"},
    {"GathersWhileSlow", made<p3_policy<gathers_while_slow>>, "WaitsGatherOnlyForThroughput"},
};

class P3MutantTest : public ::testing::TestWithParam<mutant> {};

TEST_P(P3MutantTest, IsKilled) {
  violation broken;
  for (const policy_check& c : policy_checks()) {
    if (std::strcmp(c.name, GetParam().killed_by) == 0) broken = c.check(GetParam().make);
  }

  EXPECT_TRUE(broken) << "it is alive: " << GetParam().killed_by << " did not see it";
  std::cout << "mutant " << GetParam().name << " (004 P3), killed by " << GetParam().killed_by << ": "
            << broken.what() << '\n';
}

INSTANTIATE_TEST_SUITE_P(Mutants, P3MutantTest, ::testing::ValuesIn(mutants), [](const auto& of) {
  return std::string{of.param.name} + "IsKilledBy" + of.param.killed_by;
});

TEST(P3PolicyTest, PassesEveryCheckWithoutItsDefects) {
  for (const policy_check& c : policy_checks()) {
    const violation broken = c.check(made<p3_policy<as_it_should_be>>);
    EXPECT_FALSE(broken) << c.name << ": " << broken.what();
  }
}

TEST(P3PolicyTest, AnswersAsBalancedDoesWithoutItsDefects) {
  const bool holds = rc::check("balanced is what the text says, but for its defects", [] {
    balanced ours;
    p3_policy<as_it_should_be> theirs;
    instant now{*rc::gen::inRange<std::uint64_t>(0, 1'000'000'000)};
    const std::uint64_t latency_us =
        *rc::gen::element<std::uint64_t>(100, 900, 1'100, 9'000, 11'000, 45'000, 60'000);
    const std::uint32_t batch = *rc::gen::element(1U, 100U, 700U);
    int changes = 0;

    for (int turn = *rc::gen::inRange(1, 100); turn > 0; --turn) {
      now = now + duration{*rc::gen::inRange<std::uint64_t>(0, 4'000'000)};
      const queue_state state{.depth = *rc::gen::inRange(0U, 70U),
                              .in_flight = *rc::gen::inRange(0U, 200U),
                              .now = now,
                              .oldest = now - duration{*rc::gen::inRange<std::uint64_t>(0, 1'500'000)}};
      RC_ASSERT(ours.queued(state) == theirs.queued(state));
      ours.entered({.accepted = batch, .now = now});
      theirs.entered({.accepted = batch, .now = now});
      for (int k = *rc::gen::inRange(0, 60); k > 0; --k) {
        const duration latency{latency_us * 10 * *rc::gen::inRange<std::uint64_t>(50, 150)};
        ours.completed(latency);
        theirs.completed(latency);
      }
      ours.reaped({.count = 1, .in_flight = 0, .now = now});
      theirs.reaped({.count = 1, .in_flight = 0, .now = now});
      RC_ASSERT(ours.mode() == theirs.mode());
      RC_ASSERT(ours.queued(state) == theirs.queued(state));
      RC_ASSERT(ours.about_to_park(state) == theirs.about_to_park(state));
      changes = static_cast<int>(ours.changes());
    }
    RC_CLASSIFY(changes != 0, "the mode changed");
  });
  EXPECT_TRUE(holds);
}

/// A ring that takes all and answers at once, and remembers what was pending when somebody waited.
class watched_ring {
 public:
  explicit watched_ring(std::size_t& stranded) noexcept : stranded_(&stranded) {}

  [[nodiscard]] bool supports(std::uint8_t /*operation*/) const noexcept { return true; }
  [[nodiscard]] std::uint32_t room() const noexcept { return 64 - pending(); }
  void put(const ring_entry& entry) noexcept { pending_.push_back(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return static_cast<std::uint32_t>(pending_.size()); }
  [[nodiscard]] bool has_completions() const noexcept { return !answered_.empty(); }
  [[nodiscard]] bool wants_enter() const noexcept { return false; }
  ring_entered enter(const ring_wait& wait) noexcept {
    const std::uint32_t taken = wait.keeps_pending ? 0 : pending();
    if (!wait.keeps_pending)
      withdraw([this](const ring_entry& entry) { answered_.push_back(entry.user_data); });
    if (wait.count != 0) *stranded_ += pending();
    return {.accepted = taken, .error = 0};
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    const std::vector<std::uint64_t> batch = std::exchange(answered_, {});
    for (const std::uint64_t one : batch) sink(ring_completion{.user_data = one, .result = 0, .flags = 0});
    return batch.size();
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    const std::vector<ring_entry> batch = std::exchange(pending_, {});
    for (const ring_entry& one : batch) sink(one);
    return batch.size();
  }

 private:
  std::size_t* stranded_;
  std::vector<ring_entry> pending_;
  std::vector<std::uint64_t> answered_;
};

/// P3's loop: "if should_submit(queue_depth, elapsed_us) { submit_batch } … break; // No more events to
/// submit", and then the wait.
template <submit_policy Policy>
class p3_loop {
 public:
  explicit p3_loop(watched_ring ring) : ring_(std::move(ring)) {}

  void queue(operation& what) { ring_.put(what.entry()); }
  void park(instant until) {
    constexpr instant now{1'000};
    if (policy_.queued({.depth = ring_.pending(), .in_flight = 0, .now = now, .oldest = now}))
      policy_.entered({.accepted = ring_.enter({}).accepted, .now = now});
    ring_.enter({.count = 1, .timeout = until - now, .keeps_pending = true});
  }

 private:
  Policy policy_;
  watched_ring ring_;
};

template <class Owner>
violation nothing_is_stranded() {
  for (int many = 1; many <= 40; ++many) {
    std::size_t stranded = 0;
    std::vector<std::unique_ptr<operation>> operations;
    Owner owner{watched_ring{stranded}};
    for (int k = 0; k < many; ++k) {
      operations.push_back(
          std::make_unique<operation>(entries::nop(), [](ring_answer&, std::int32_t) noexcept {}));
      owner.queue(*operations.back());
    }
    owner.park(never);
    if (stranded != 0)
      return in_words("of ", many, " queued, ", stranded, " were left behind when the owner waited");
  }
  return {};
}

/// Always says no.
struct never_enters : batch_or_idle {
  bool queued(const queue_state& /*state*/) noexcept { return false; }
};

TEST(P3LoopTest, IsKilledByNothingIsStranded) {
  const violation broken = nothing_is_stranded<p3_loop<p3_policy<as_it_should_be>>>();

  EXPECT_TRUE(broken) << "it is alive";
  std::cout << "mutant P3Loop (004 P3), killed by nothing_is_stranded: " << broken.what() << '\n';
}

TEST(P3LoopTest, StrandsNothingOnceItIsASubmission) {
  const violation broken = nothing_is_stranded<submission<p3_policy<as_it_should_be>, watched_ring>>();
  const violation with_no = nothing_is_stranded<submission<never_enters, watched_ring>>();

  EXPECT_FALSE(broken) << broken.what();
  EXPECT_FALSE(with_no) << with_no.what();
}

}  // namespace
}  // namespace pinion::iosubmit::testing
