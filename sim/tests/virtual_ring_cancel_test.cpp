// SPDX-License-Identifier: Apache-2.0
//
// What a cancel leaves in flight in a virtual_ring.
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <vector>

namespace pinion::sim {
namespace {

constexpr std::uint8_t cancel = 14, read = 22;

TEST(virtual_ring_cancel, LeavesTheOthersInTheOrderOfTheirTimes) {
  virtual_clock clock{instant{1'000}};
  virtual_ring ring{clock};
  ring.serve([](const ring_entry& e, instant now) -> virtual_answer {
    return {.at = now + duration{e.user_data}, .result = 0};
  });
  for (const std::uint64_t time : {10U, 20U, 50U, 30U, 40U, 60U, 70U, 35U, 90U, 45U})
    ring.put({.operation = read, .user_data = time});
  ring.enter({});
  ring.put({.operation = cancel, .address = 30, .user_data = 100});
  ring.enter({});

  std::vector<std::uint64_t> completed;
  for (int k = 0; k != 11; ++k) {
    ring.enter({.count = 1, .timeout = forever});
    ring.reap([&](const ring_completion& c) { completed.push_back(c.user_data); });
  }

  EXPECT_EQ(completed, (std::vector<std::uint64_t>{100, 30, 10, 20, 35, 40, 45, 50, 60, 70, 90}));
}

}  // namespace
}  // namespace pinion::sim
