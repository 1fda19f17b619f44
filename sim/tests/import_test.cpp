// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: a clock is read, held, and drives something.
#include <gtest/gtest.h>

#include <cstddef>

import pinion.sim;

namespace {

using pinion::duration;
using pinion::instant;
using pinion::sim::virtual_clock;

struct alarm {
  instant at;
  [[nodiscard]] instant next_wakeup() const { return at; }
};

TEST(sim_module, AClockIsToldAndRead) {
  virtual_clock clock{instant{5}};
  const virtual_clock::view view = clock;

  clock.stand_still(1);
  clock.advance_by(duration{2});

  EXPECT_EQ(view.now(), instant{5});
  EXPECT_EQ(view.now(), instant{7});
  clock.tick(duration{10}, 1);
  EXPECT_LE(view.now(), instant{17});
}

struct shared_words {
  pinion::sim::explored_sync::atomic<int> flag{0};
  pinion::sim::explored_sync::plain<int> letter{0};
};

TEST(sim_module, AScenarioIsExplored) {
  pinion::sim::scenario<shared_words> race;
  race.thread("writer", [](shared_words& s) { s.letter.write(1); });
  race.thread("reader", [](shared_words& s) { pinion::sim::require(s.letter.read() == 0, "was written"); });

  const pinion::sim::exploration found = pinion::sim::explore(race);

  EXPECT_FALSE(found);
  EXPECT_EQ(pinion::sim::replay(race, found.replay).violation, found.violation);
}

TEST(sim_module, AClockDrives) {
  static_assert(pinion::sim::sleeper<alarm>);
  virtual_clock clock{instant{0}};
  alarm set{instant{30}};
  const auto turn = [&](instant now) { set.at = now < instant{60} ? now + duration{30} : pinion::never; };

  const pinion::sim::run_result early = pinion::sim::run_until(clock, instant{29}, set, turn);
  const pinion::sim::run_result rest = pinion::sim::run_until_idle(clock, set, turn, std::size_t{9});

  EXPECT_EQ(early.end, pinion::sim::run_end::time_up);
  EXPECT_EQ(rest.end, pinion::sim::run_end::idle);
  EXPECT_EQ(rest.turns, 2U);
  EXPECT_EQ(clock.time(), instant{60});
}

}  // namespace
