// SPDX-License-Identifier: Apache-2.0
//
// What a posix_timer_source does whose timer is gone: in a child of fork(), or because somebody deleted it.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <pinion/base/diagnostic.hpp>
#include <pinion/preempt.hpp>
#include <string>
#include <vector>

#include "scripted_timer_calls.hpp"

namespace pinion::preempt::testing {
namespace {

using machine = scripted_timer_calls;
using source = basic_posix_timer_source<machine>;

class posix_timer_lost_test : public ::testing::Test {
 protected:
  posix_timer_lost_test() { machine::reset(); }
};

std::vector<std::string> reported;  // NOLINT
class reports {
 public:
  reports()
      : before_(
            set_diagnostic_sink([](const diagnostic& what) noexcept { reported.emplace_back(what.text); })) {
    reported.clear();
  }
  reports(const reports&) = delete;
  reports& operator=(const reports&) = delete;
  ~reports() { set_diagnostic_sink(before_); }

 private:
  diagnostic_sink before_;
};

TEST_F(posix_timer_lost_test, SaysOnceThatItsTimerIsGone) {
  const reports kept;
  source one;
  machine::it.timers[0].is_open = false;

  for (std::uint64_t slice = 0; slice < 10; ++slice) one.begin(instant{slice}, instant{slice + 100});

  ASSERT_EQ(reported.size(), 1U);
  EXPECT_NE(reported[0].find("look for timer_delete"), std::string::npos) << reported[0];
}

TEST_F(posix_timer_lost_test, MakesAnotherTimerInAChildOfFork) {
  source one;
  one.begin(instant{1'000}, instant{5'000});

  machine::fork_into_child();
  EXPECT_EQ(machine::open_timers(), 0);
  one.begin(instant{1'000}, instant{6'000});
  machine::advance_to(instant{5'999});
  EXPECT_FALSE(one.word().is_due());
  machine::advance_to(instant{6'000});

  EXPECT_TRUE(one.word().is_due());
  EXPECT_EQ(machine::it.opened, 2);
}

TEST_F(posix_timer_lost_test, LeavesAloneWhatHasItsTimersNumberInAChildOfFork) {
  auto inherited = std::make_unique<source>();
  inherited->begin(instant{1'000}, instant{1'100});
  machine::fork_into_child();
  source own;
  own.begin(instant{1'000}, instant{1'500});

  machine::signal({.signal = own.signal(), .thread = 1});
  inherited.reset();
  machine::advance_to(instant{1'499});
  EXPECT_FALSE(own.word().is_due());
  machine::advance_to(instant{1'500});

  EXPECT_TRUE(own.word().is_due());
}

TEST_F(posix_timer_lost_test, SaysOnceThatAChildOfForkGetsNoTimer) {
  const reports kept;
  source one;
  machine::fork_into_child();
  machine::it.refuses_open = EAGAIN;

  for (std::uint64_t slice = 0; slice < 10; ++slice) one.begin(instant{slice}, instant{slice + 100});

  ASSERT_EQ(reported.size(), 1U);
  EXPECT_NE(reported[0].find("after a fork"), std::string::npos) << reported[0];
  EXPECT_NE(reported[0].find("ulimit -i"), std::string::npos) << reported[0];
}

TEST_F(posix_timer_lost_test, LocksItsTableForTheTimeOfAFork) {
  const source one;

  machine::before_fork();
  machine::in_parent();
  const source another;  // would wait for ever
  machine::fork_into_child();
  const source childs;

  EXPECT_EQ(machine::it.opened, 3);
}

}  // namespace
}  // namespace pinion::preempt::testing
