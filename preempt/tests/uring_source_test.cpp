// SPDX-License-Identifier: Apache-2.0
//
// uring_source in virtual time: when a slice is over, what is queued for it, and what becomes of that.
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <pinion/preempt.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "allocations.hpp"
#include "scripted_ring.hpp"

namespace pinion::preempt {
namespace {

using pinion::testing::allocations_alive;
using testing::scripted_ring;

constexpr duration us{1000};
constexpr duration ms{1'000'000};

using source_type = uring_source<scripted_ring>;
static_assert(ring_port<scripted_ring> && preempt_source<source_type>);
static_assert(!source_type::traits.asks && source_type::traits.may_be_early &&
              !std::is_copy_constructible_v<source_type>);

class UringSourceTest : public ::testing::Test {
 protected:
  // As the header has it.
  void begin(instant until) {
    ring_.enter();
    source_->begin(ring_.now, until);
    if (source_->needs_submit()) ring_.enter();
  }
  [[nodiscard]] bool is_due() const { return source_->word().is_due(); }
  // How long it is until it is due, in steps of a microsecond.
  duration until_due() {
    for (duration passed{0}; passed < ms * 100; passed = passed + us, ring_.pass(us)) {
      if (is_due()) return passed;
    }
    return forever;
  }

  static std::vector<std::string>& said() {
    static std::vector<std::string> all;
    return all;
  }
  void SetUp() override {
    said().clear();
    previous_ = set_diagnostic_sink([](const diagnostic& d) noexcept { said().emplace_back(d.text); });
  }
  void TearDown() override { set_diagnostic_sink(previous_); }

  scripted_ring ring_;
  std::optional<source_type> source_{std::in_place, ring_, ring_.view()};
  diagnostic_sink previous_ = nullptr;
};

TEST_F(UringSourceTest, EndsASliceAtItsTimeWhereNoTimeoutIsUnderWay) {
  begin(ring_.now + us * 700);
  EXPECT_EQ(until_due(), us * 700);

  begin(ring_.now + us * 300);
  EXPECT_EQ(until_due(), us * 300);
}

TEST_F(UringSourceTest, StaysDueUntilTheOwnerEnters) {
  begin(ring_.now + us * 700);
  until_due();

  source_->begin(ring_.now, ring_.now + ms);
  EXPECT_TRUE(is_due());

  ring_.enter();
  EXPECT_FALSE(is_due());
}

TEST_F(UringSourceTest, IsDueWhenAnythingCompletes) {
  begin(ring_.now + us * 700);

  ring_.complete_something();

  EXPECT_TRUE(is_due());
}

TEST_F(UringSourceTest, AsksForNoMoreThanAPeriodAhead) {
  begin(ring_.now + ms * 50);

  EXPECT_EQ(until_due(), ms);
}

TEST_F(UringSourceTest, LetsSlicesThatFollowShareTheTimeoutThatIsUnderWay) {
  const instant first = ring_.now;
  for (int slice = 0; slice != 9; ++slice) {
    begin(ring_.now + ms);
    EXPECT_EQ(ring_.asked, 1);
    ring_.pass(us * 100);
    EXPECT_FALSE(is_due());
  }
  begin(ring_.now + ms);

  EXPECT_EQ(until_due(), us * 100) << "early";
  EXPECT_EQ(ring_.now, first + ms);
}

TEST_F(UringSourceTest, IsLateByLessThanAPeriodWhereASliceIsShorterThanWhatIsUnderWay) {
  begin(ring_.now + ms);

  begin(ring_.now + us * 10);

  EXPECT_EQ(until_due(), ms);
}

TEST_F(UringSourceTest, IsNotLateWhereNoSliceIsShorterThanThePeriod) {
  source_.emplace(ring_, ring_.view(), uring_source_options{.period = us * 50});
  for (const std::uint64_t slice_us : {50U, 70U, 1000U, 50U, 64U, 333U, 51U}) {
    const duration slice = us * slice_us;
    begin(ring_.now + slice);
    EXPECT_LE(until_due(), slice);
  }
}

TEST_F(UringSourceTest, SaysThatAnEntryHasToBeSubmittedAndHasNoEndBefore) {
  source_->begin(ring_.now, ring_.now + ms);
  EXPECT_TRUE(source_->needs_submit());
  EXPECT_EQ(until_due(), forever);

  ring_.enter();
  source_->begin(ring_.now, ring_.now + ms);

  EXPECT_TRUE(source_->needs_submit()) << "the first one was answered";
  source_->begin(ring_.now, ring_.now + ms);
  EXPECT_FALSE(source_->needs_submit());
}

TEST_F(UringSourceTest, QueuesNothingForASliceWithoutAnEnd) {
  begin(never);

  EXPECT_FALSE(source_->needs_submit());
  EXPECT_EQ(ring_.asked, 0);
  EXPECT_EQ(until_due(), forever);
}

TEST_F(UringSourceTest, WakesAnOwnerThatRestsOnceAtMost) {
  begin(ring_.now + us * 700);
  source_->rest();
  EXPECT_FALSE(source_->needs_submit());
  EXPECT_EQ(ring_.under_way(), 1U);

  EXPECT_EQ(until_due(), us * 700);
  ring_.enter();

  EXPECT_EQ(ring_.under_way(), 0U);
  EXPECT_EQ(until_due(), forever);
  begin(ring_.now + us * 200);
  EXPECT_EQ(until_due(), us * 200);
}

TEST_F(UringSourceTest, TriesAgainWithTheNextSliceWhereTheQueueWasFull) {
  ring_.has_room = false;
  begin(ring_.now + ms);
  EXPECT_FALSE(source_->needs_submit());
  EXPECT_EQ(until_due(), forever);

  ring_.has_room = true;
  begin(ring_.now + us * 40);

  EXPECT_EQ(until_due(), us * 40);
  EXPECT_TRUE(said().empty());
}

TEST_F(UringSourceTest, SaysOnceThatTheKernelRefusesTimeoutsAndAsksNoMore) {
  for (const std::int32_t error : {-EINVAL, -EOPNOTSUPP, -EACCES}) {
    said().clear();
    ring_.asked = 0;
    source_.emplace(ring_, ring_.view());
    ring_.error = error;

    for (int slice = 0; slice != 3; ++slice) begin(ring_.now + ms);

    EXPECT_EQ(ring_.asked, 1);
    ASSERT_EQ(said().size(), 1U);
    EXPECT_NE(said()[0].find("take a ticker_source"), std::string::npos) << said()[0];
    ring_.complete_something();
    EXPECT_TRUE(is_due()) << "completions end slices all the same";
  }
}

TEST_F(UringSourceTest, SaysOnceThatMemoryIsShortAndAsksAgain) {
  ring_.error = -ENOMEM;
  for (int slice = 0; slice != 3; ++slice) begin(ring_.now + ms);
  EXPECT_EQ(ring_.asked, 3);
  ASSERT_EQ(said().size(), 1U);
  EXPECT_NE(said()[0].find("memory is short"), std::string::npos) << said()[0];

  ring_.error = 0;
  begin(ring_.now + us * 40);

  EXPECT_EQ(until_due(), us * 40);
}

TEST_F(UringSourceTest, TakesAnAnswerThatComesWhileItIsQueued) {
  ring_.error_at_once = -ENOMEM;
  begin(ring_.now + ms);
  EXPECT_FALSE(source_->needs_submit());

  ring_.error_at_once = 0;
  begin(ring_.now + us * 40);

  EXPECT_EQ(until_due(), us * 40);
}

TEST_F(UringSourceTest, SaysNothingOfATimeoutThatWasCancelled) {
  begin(ring_.now + ms);
  ring_.error = -ECANCELED;
  ring_.enter();
  ring_.error = 0;

  EXPECT_TRUE(said().empty());
  begin(ring_.now + us * 40);
  EXPECT_EQ(until_due(), us * 40);
}

// What is alive when all is gone, against before.
template <class Body>
std::size_t left_by(Body body) {
  const std::size_t before = allocations_alive();
  body();
  return allocations_alive() - before;
}

TEST(UringSourceLifetimeTest, MayGoWhileItsTimeoutIsUnderWay) {
  EXPECT_EQ(left_by([] {
              scripted_ring ring;
              {
                uring_source source{ring, ring.view()};
                source.begin(ring.now, ring.now + ms);
                ring.enter();
              }
              EXPECT_EQ(ring.under_way(), 1U);
              ring.pass(ms);
              ring.enter();
              EXPECT_EQ(ring.under_way(), 0U);
            }),
            0U);
}

TEST(UringSourceLifetimeTest, MayGoBeforeItsEntryWasSubmittedAndTheRingAfterIt) {
  EXPECT_EQ(left_by([] {
              scripted_ring ring;
              uring_source source{ring, ring.view()};
              source.begin(ring.now, ring.now + ms);
            }),
            0U);
}

TEST(UringSourceLifetimeTest, MayOutliveItsPort) {
  EXPECT_EQ(left_by([] {
              std::optional<scripted_ring> ring{std::in_place};
              uring_source source{*ring, ring->view()};
              source.begin(ring->now, ring->now + ms);
              ring.reset();
              source.rest();
            }),
            0U);
}

TEST(UringSourceLifetimeTest, LeavesNothingWhereNothingIsUnderWay) {
  EXPECT_EQ(left_by([] {
              scripted_ring ring;
              uring_source source{ring, ring.view()};
              source.begin(ring.now, ring.now + ms);
              ring.enter();
              ring.pass(ms);
              ring.enter();
            }),
            0U);
}

}  // namespace
}  // namespace pinion::preempt
