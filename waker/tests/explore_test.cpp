// SPDX-License-Identifier: Apache-2.0
//
// The shipped inboxes under every interleaving of two or three threads with at most three preemptions, or as
// many as stand beside the scenario, with every stale value that their orders allow; and under some thousands
// at random with any number of them.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <pinion/sim/explored_sync.hpp>
#include <string>

#include "explored_scenarios.hpp"
#include "to_the_end.hpp"

namespace pinion::waker::testing {
namespace {

using sim::explored_sync;

// With how many preemptions each scenario is explored to the end. `never_ends`: has too many executions even
// without one, and is explored at random alone.
using bounds = std::array<std::uint32_t, 8>;
constexpr std::uint32_t never_ends = ~0U;

template <class Inbox>
void expect_nothing_breaks(const std::string& inbox, int deepest, const bounds& preemptions) {
  const auto all = scenarios<explored_sync, Inbox>(deepest);
  ASSERT_EQ(all.size(), preemptions.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string name = inbox + ", " + all[k].name;
    EXPECT_EQ(preemptions[k] == never_ends
                  ? sim::testing::what_breaks_at_random(name, all[k].what, 60'000)
                  : sim::testing::what_breaks_to_the_end(name, all[k].what, preemptions[k]),
              "");
  }
}

TEST(explored, NothingBreaksATaggedInboxWithinTheBounds) {
  expect_nothing_breaks<basic_tagged_inbox<explored_sync>>("tagged_inbox", 3, {3, 3, 3, 3, 3, 3, 0, 2});
}

TEST(explored, NothingBreaksABoundedInboxWithinTheBounds) {
  expect_nothing_breaks<basic_bounded_inbox<explored_sync, 2>>("bounded_inbox<2>", 4,
                                                               {3, 2, 3, 2, 3, 2, never_ends, 2});
}

}  // namespace
}  // namespace pinion::waker::testing
