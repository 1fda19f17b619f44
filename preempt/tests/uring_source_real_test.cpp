// SPDX-License-Identifier: Apache-2.0
//
// uring_source over the kernel's ring, and which rings it refuses.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>

#include "raw_ring.hpp"
#include "scripted_ring.hpp"

namespace pinion::preempt {
namespace {

using pinion::testing::raw_ring;
using testing::scripted_ring;

static_assert(preempt_source<uring_source<raw_ring>>);

constexpr duration us{1000};
constexpr duration ms{1'000'000};

std::string refusal_of(const uring_view& view, const uring_source_options& options = {}) {
  scripted_ring ring;
  try {
    uring_source source{ring, view, options};
  } catch (const std::system_error& refused) {
    return refused.what();
  }
  return {};
}

TEST(UringSourceRefusalTest, RefusesARingThatWasSetUpOtherwiseAndSaysHow) {
  constexpr std::uint32_t flags = 0;
  const auto says = [&](const std::uint32_t* at, std::uint32_t setup) {
    return refusal_of({.flags = at, .setup = setup});
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? ::testing::AssertionSuccess()
                                                : ::testing::AssertionFailure() << text;
  };

  EXPECT_EQ(says(&flags, scripted_ring::setup), "");
  EXPECT_TRUE(has(says(nullptr, scripted_ring::setup), "sq_off.flags"));
  EXPECT_TRUE(has(says(&flags, scripted_ring::setup | 1U << 0U), "with IOPOLL"));
  EXPECT_TRUE(has(says(&flags, scripted_ring::setup | 1U << 1U), "with SQPOLL"));
  EXPECT_TRUE(has(says(&flags, scripted_ring::one_issuer | scripted_ring::deferred), "without TASKRUN_FLAG"));
  EXPECT_TRUE(has(says(&flags, scripted_ring::flagged | 1U << 8U), "without DEFER_TASKRUN"));
  EXPECT_TRUE(has(says(&flags, 0), "without DEFER_TASKRUN"));
}

TEST(UringSourceRefusalTest, RefusesAPeriodOutOfRange) {
  constexpr std::uint32_t flags = 0;
  const uring_view view{.flags = &flags, .setup = scripted_ring::setup};

  EXPECT_EQ(refusal_of(view, {.period = quantum_min}), "");
  EXPECT_EQ(refusal_of(view, {.period = quantum_max}), "");
  for (const duration period : {duration{0}, quantum_min - duration{1}, quantum_max + duration{1}, forever})
    EXPECT_NE(refusal_of(view, {.period = period}).find("10 us to 10 s"), std::string::npos) << period.ns;
}

class UringSourceOnTheKernelsRingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
    try {
      ring_.emplace(raw_ring::one_issuer | raw_ring::deferred | raw_ring::flagged);
    } catch (const std::system_error& refused) {
      GTEST_SKIP() << "this kernel makes no ring with DEFER_TASKRUN and TASKRUN_FLAG (Linux 6.1): "
                   << refused.what();
    }
    source_.emplace(*ring_, uring_view{.flags = ring_->flags(), .setup = ring_->setup()});
  }

  void begin(duration slice) {
    const instant now = monotonic_clock::now();
    source_->begin(now, now + slice);
    if (source_->needs_submit()) {
      ASSERT_EQ(ring_->submit(), 1);
    }
  }
  // Spins in user space, as a task would. The limit is only there for a source that never ends a slice.
  [[nodiscard]] bool becomes_due() const {
    const instant limit = monotonic_clock::now() + ms * 30'000;
    do {
      for (int check = 0; check != 100'000; ++check) {
        if (source_->word().is_due()) return true;
      }
    } while (monotonic_clock::now() < limit);
    return false;
  }

  std::optional<raw_ring> ring_;
  std::optional<uring_source<raw_ring>> source_;
};

TEST_F(UringSourceOnTheKernelsRingTest, EndsASliceThatSpinsAndTheNextOnes) {
  for (int slice = 0; slice != 5; ++slice) {
    begin(us * 500);

    EXPECT_TRUE(becomes_due());

    EXPECT_EQ(ring_->submit(), 0);
    EXPECT_FALSE(source_->word().is_due());
    EXPECT_EQ(ring_->reap(), 1U);
  }
}

TEST_F(UringSourceOnTheKernelsRingTest, AnswersOnceWhereTheOwnerParksAndThenNoMore) {
  begin(us * 500);
  source_->rest();

  EXPECT_EQ(ring_->wait(monotonic_clock::now() + ms * 30'000), 0);
  EXPECT_EQ(ring_->reap(), 1U);

  EXPECT_EQ(ring_->submit(), 0) << "nothing was queued again";
  EXPECT_FALSE(source_->word().is_due());
}

TEST_F(UringSourceOnTheKernelsRingTest, MayGoWhileItsTimeoutIsUnderWay) {
  begin(us * 500);
  source_.reset();

  EXPECT_EQ(ring_->wait(monotonic_clock::now() + ms * 30'000), 0);
  EXPECT_EQ(ring_->reap(), 1U);
}

}  // namespace
}  // namespace pinion::preempt
