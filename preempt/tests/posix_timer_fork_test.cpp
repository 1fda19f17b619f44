// SPDX-License-Identifier: Apache-2.0
//
// What a child of fork() has of its parent's sources: all but the timers. A program by itself: children are
// to be made where there is one thread.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <pinion/preempt.hpp>
#include <string>

#include "real_timers.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration quantum{100'000};

class posix_timer_fork_test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = no_timers(); !why.empty()) GTEST_SKIP() << why;
  }
};

// Whether the body, run in a child, says that all was right there.
bool is_right_in_a_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool ends_a_slice(posix_timer_source& source) {
  begin(source, quantum);
  return becomes_due(source.word());
}

TEST_F(posix_timer_fork_test, EndsSlicesInTheParentAndInTheChild) {
  posix_timer_source source;
  ASSERT_TRUE(ends_a_slice(source));

  EXPECT_TRUE(is_right_in_a_child([&source] { return ends_a_slice(source) && ends_a_slice(source); }));

  EXPECT_TRUE(ends_a_slice(source));
}

TEST_F(posix_timer_fork_test, EndsSlicesInAChildThatWasForkedInTheMiddleOfOne) {
  posix_timer_source source;
  begin(source, ceil(std::chrono::hours{1}));

  EXPECT_TRUE(is_right_in_a_child([&source] { return ends_a_slice(source); }));

  EXPECT_TRUE(ends_a_slice(source));
}

// A timer's number in the parent is another timer's in the child; of so many, one has it.
TEST_F(posix_timer_fork_test, EndsAnInheritedSourceWithoutHarmToTheChildsOwn) {
  auto inherited = std::make_unique<posix_timer_source>();
  ASSERT_TRUE(ends_a_slice(*inherited));

  EXPECT_TRUE(is_right_in_a_child([&inherited] {
    std::array<posix_timer_source, 100> own;
    inherited.reset();
    return std::all_of(own.begin(), own.end(), ends_a_slice);
  }));

  EXPECT_TRUE(ends_a_slice(*inherited));
}

TEST_F(posix_timer_fork_test, EndsSlicesInAChildOfAChild) {
  posix_timer_source source;

  EXPECT_TRUE(is_right_in_a_child([&source] {
    return is_right_in_a_child([&source] { return ends_a_slice(source); }) && ends_a_slice(source);
  }));

  EXPECT_TRUE(ends_a_slice(source));
}

}  // namespace
}  // namespace pinion::preempt::testing
