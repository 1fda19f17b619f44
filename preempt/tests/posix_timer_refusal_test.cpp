// SPDX-License-Identifier: Apache-2.0
//
// Which signal a posix_timer_source takes, what it gives back, and how it says no.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "scripted_timer_calls.hpp"

namespace pinion::preempt::testing {
namespace {

using machine = scripted_timer_calls;
using source = basic_posix_timer_source<machine>;

class posix_timer_refusal_test : public ::testing::Test {
 protected:
  posix_timer_refusal_test() { machine::reset(); }
};

std::pair<int, std::string> refusal(const posix_timer_options& options = {}) {
  try {
    const source one{options};
  } catch (const std::system_error& refused) {
    return {refused.code().value(), refused.what()};
  }
  return {0, "not refused"};
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* each : words)
    EXPECT_NE(text.find(each), std::string::npos) << each << " is not in: " << text;
}

void expect_nothing_left() {
  EXPECT_TRUE(machine::it.handlers.empty());
  EXPECT_EQ(machine::open_timers(), 0);
}

TEST_F(posix_timer_refusal_test, TakesTheHighestSignalThatIsFree) {
  machine::it.taken = {64, 63, 61};

  const source one;

  EXPECT_EQ(one.signal(), 62);
}

TEST_F(posix_timer_refusal_test, TakesOneThatIsBlockedOnlyIfAllAre) {
  machine::it.blocked = {64, 63};
  EXPECT_EQ(source{}.signal(), 62);
  for (int each = 34; each <= 64; ++each) machine::it.blocked.insert(each);

  {
    const source one;
    EXPECT_EQ(one.signal(), 64);
    EXPECT_FALSE(machine::it.blocked.contains(64));
    EXPECT_TRUE(machine::it.blocked.contains(63));
  }

  EXPECT_TRUE(machine::it.blocked.contains(64));
}

TEST_F(posix_timer_refusal_test, BlocksTheSignalAgainWithTheLastSourceOfTheThreadInWhateverOrderTheyEnd) {
  machine::it.blocked = {50};
  auto first = std::make_unique<source>(posix_timer_options{.signal = 50});
  auto second = std::make_unique<source>(posix_timer_options{.signal = 50});

  first.reset();
  EXPECT_FALSE(machine::it.blocked.contains(50));
  second.reset();

  EXPECT_TRUE(machine::it.blocked.contains(50));
}

TEST_F(posix_timer_refusal_test, LeavesTheMaskOfAnotherThreadAlone) {
  machine::it.blocked = {50};
  auto one = std::make_unique<source>(posix_timer_options{.signal = 50});
  machine::it.thread = 2;

  one.reset();

  EXPECT_FALSE(machine::it.blocked.contains(50));
  expect_nothing_left();
}

TEST_F(posix_timer_refusal_test, SharesOneSignalAmongAllSourcesUntilTheLastEnds) {
  auto first = std::make_unique<source>();
  machine::it.thread = 2;
  machine::it.blocked = {first->signal()};
  auto second = std::make_unique<source>();

  EXPECT_EQ(first->signal(), second->signal());
  EXPECT_FALSE(machine::it.blocked.contains(first->signal()));
  first.reset();
  EXPECT_EQ(machine::it.handlers.size(), 1U);
  second.reset();

  expect_nothing_left();
}

TEST_F(posix_timer_refusal_test, TakesTheSignalThatIsNamed) {
  const source found;
  const source named{{.signal = 40}};
  const source again{{.signal = 40}};

  EXPECT_EQ(named.signal(), 40);
  EXPECT_EQ(again.signal(), 40);
  EXPECT_EQ(machine::it.handlers.size(), 2U);
}

TEST_F(posix_timer_refusal_test, RefusesASignalThatIsNotARealTimeOne) {
  for (const int named : {-1, 1, 14, 33, 65, 1 << 30}) {
    const auto [error, text] = refusal({.signal = named});
    EXPECT_EQ(error, EINVAL) << named;
    expect_words(text, {std::to_string(named).c_str(), "no real-time one", "34 to 64", "or 0"});
  }
  expect_nothing_left();
}

TEST_F(posix_timer_refusal_test, RefusesANamedSignalThatIsTaken) {
  machine::it.taken = {40};

  const auto [error, text] = refusal({.signal = 40});

  EXPECT_EQ(error, EBUSY);
  expect_words(text, {"signal 40", "handles or ignores it already", "name another one"});
}

TEST_F(posix_timer_refusal_test, RefusesWhereAllSignalsAreTaken) {
  for (int each = 34; each <= 64; ++each) machine::it.taken.insert(each);

  const auto [error, text] = refusal();

  EXPECT_EQ(error, EBUSY);
  expect_words(text, {"no free signal", "34 to 64", "a library took them", "ticker_source"});
}

TEST_F(posix_timer_refusal_test, RefusesWhereTheSignalCanNotBeHandled) {
  machine::it.refuses_handle = EINVAL;

  const auto [error, text] = refusal({.signal = 40});

  EXPECT_EQ(error, EINVAL);
  expect_words(text, {"by signal 40", "could not be handled", "sandbox", "ticker_source"});
  machine::it.refuses_handle = 0;
  EXPECT_EQ(refusal().first, 0) << "the refusal left something behind";
}

TEST_F(posix_timer_refusal_test, RefusesOneMoreThanThereAreSlots) {
  std::vector<std::unique_ptr<source>> all;
  all.reserve(1'024);
  for (int made = 0; made < 1'024; ++made) all.push_back(std::make_unique<source>());

  const auto [error, text] = refusal();
  EXPECT_EQ(error, EAGAIN);
  expect_words(text, {"1024", "never ended", "ticker_source"});
  all.pop_back();
  EXPECT_EQ(refusal().first, 0);
  all.clear();

  expect_nothing_left();
}

TEST_F(posix_timer_refusal_test, SaysForEachErrorWhatItProbablyMeansAndWhatToDo) {
  const std::vector<std::pair<int, std::vector<const char*>>> errors{
      {EAGAIN, {"ulimit -i", "LimitSIGPENDING"}},
      {ENOMEM, {"memory.max"}},
      {EPERM, {"seccomp", "allow it"}},
      {EACCES, {"seccomp"}},
      {ENOSYS, {"without POSIX timers"}},
      {EINVAL, {"SIGEV_THREAD_ID", "sandbox"}},
      {ENOTSUP, {"SIGEV_THREAD_ID"}},
      {EIO, {"timer_create(2)"}},
  };
  machine::it.blocked = {40};
  for (const auto& [error, words] : errors) {
    machine::it.refuses_open = error;

    const auto [code, text] = refusal({.signal = 40});

    EXPECT_EQ(code, error);
    expect_words(
        text, {"could not make its timer", "ticker_source", std::generic_category().message(error).c_str()});
    for (const char* each : words) expect_words(text, {each});
    expect_nothing_left();
    EXPECT_TRUE(machine::it.blocked.contains(40));
  }
}

}  // namespace
}  // namespace pinion::preempt::testing
