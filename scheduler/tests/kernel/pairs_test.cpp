// SPDX-License-Identifier: Apache-2.0
//
// The laws of the composition on the real kernel, for compositions in which every two values of two axes
// meet; and that no part is missing there.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "any_inbox.hpp"
#include "any_source.hpp"
#include "covering.hpp"
#include "laws.hpp"
#include "watchdog.hpp"

namespace pinion::scheduler::testing {
namespace {

const std::vector<composition>& rows() {
  static const std::vector<composition> all = covering(all_compositions());
  return all;
}

// How every two values of two axes meet in those.
using meeting = std::pair<std::string, std::string>;
std::set<meeting> meetings_in(const std::vector<composition>& of) {
  std::set<meeting> all;
  for (const composition& each : of)
    for (std::size_t one = 0; one != axes.size(); ++one)
      for (std::size_t other = one + 1; other != axes.size(); ++other)
        all.emplace(std::to_string(one).append(" ").append(each.*axes[one]),
                    std::to_string(other).append(" ").append(each.*axes[other]));
  return all;
}

TEST(Pairs, EveryTwoThatCanMeetAreInTheSample) {
  const std::set<meeting> here = meetings_in(rows());

  for (const auto& [one, other] : meetings_in(all_compositions()))
    EXPECT_TRUE(here.contains({one, other})) << one << " and " << other;
  EXPECT_LT(rows().size(), 100U) << "of " << all_compositions().size();
}

// What cmake/parts.json says that there is, each with the names that this knows it by.
TEST(Pairs, NoBackendIsMissing) {
  const std::pair<const char*, std::string_view composition::*> lists[] = {
      {PINION_TEST_STORES, &composition::store},       {PINION_TEST_INBOXES, &composition::inbox},
      {PINION_TEST_NOTIFIERS, &composition::notifier}, {PINION_TEST_RINGS, &composition::ring},
      {PINION_TEST_POLICIES, &composition::policy},    {PINION_TEST_SOURCES, &composition::source}};
  for (const auto& [names, axis] : lists) {
    std::istringstream list{names};
    int count = 0;
    for (std::string name; list >> name; ++count) {
      const bool is_there = std::any_of(rows().begin(), rows().end(),
                                        [&, at = axis](const composition& row) { return row.*at == name; });
      EXPECT_TRUE(is_there) << name
                            << " is in no composition: add it to the list of its kind (any_timers.cpp, "
                               "any_inbox.cpp, any_source.cpp, engine.cpp)";
    }
    EXPECT_GE(count, 3) << names;
  }
}

struct law_of_one {
  composition which;
  clause law;
  friend std::string to_string(const law_of_one& of) {
    return std::string{of.law.name}.append(" of ").append(to_string(of.which));
  }
  friend void PrintTo(const law_of_one& of, std::ostream* into) { *into << to_string(of); }
};

class PairsTest : public ::testing::TestWithParam<law_of_one> {
 protected:
  static void SetUpTestSuite() {
    watched = std::make_unique<watchdog>(std::chrono::seconds{60},
                                         [] { return to_string(*now_in.load(std::memory_order_acquire)); });
  }
  static void TearDownTestSuite() { watched.reset(); }
  void SetUp() override {
    now_in.store(&GetParam(), std::memory_order_release);
    watched->progress();
  }

  static inline std::unique_ptr<watchdog> watched;
  static inline std::atomic<const law_of_one*> now_in{nullptr};
};

TEST_P(PairsTest, Holds) {
  const auto& [which, law] = GetParam();
  if (!why_not_here(which).empty()) GTEST_SKIP() << why_not_here(which);

  const violation what = law.check(which);

  EXPECT_FALSE(what) << to_string(which) << ": " << what.what();
}

std::vector<law_of_one> cases() {
  std::vector<law_of_one> all;
  for (const clause& law : laws())
    for (const composition& row : rows())
      if (!law.needs_io || row.policy != "none") all.push_back({row, law});
  return all;
}

std::string name_of(const ::testing::TestParamInfo<law_of_one>& of) {
  std::string name = to_string(of.param);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Real, PairsTest, ::testing::ValuesIn(cases()), &name_of);

}  // namespace
}  // namespace pinion::scheduler::testing
