// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/sim/virtual_notifier.hpp>

namespace pinion::sim {
namespace {

TEST(virtual_notifier, KeepsASignalForTheNextWaitAndTakesNoTimeForIt) {
  virtual_clock clock{instant{10}};
  virtual_notifier bell{clock};

  bell.signal();
  bell.signal();

  EXPECT_TRUE(bell.wait(instant{50}));
  EXPECT_EQ(clock.time(), instant{10});
  EXPECT_FALSE(bell.consume());
  EXPECT_EQ(bell.signals(), 2U);
}

TEST(virtual_notifier, SleepsUntilItsTimeWhereNobodySignals) {
  virtual_clock clock{instant{10}};
  virtual_notifier bell{clock};

  EXPECT_FALSE(bell.wait(instant{50}));

  EXPECT_EQ(clock.time(), instant{50});
  EXPECT_EQ(bell.stuck(), 0U);
}

TEST(virtual_notifier, CountsAWaitThatNobodyWouldEnd) {
  virtual_clock clock{instant{10}};
  virtual_notifier bell{clock};

  EXPECT_FALSE(bell.wait(never));

  EXPECT_EQ(bell.stuck(), 1U);
  EXPECT_EQ(clock.time(), instant{10});
}

TEST(virtual_notifier, CountsAWaitWithoutAClockAndKeepsItsSignals) {
  virtual_notifier bell;

  EXPECT_FALSE(bell.wait(instant{50}));
  EXPECT_EQ(bell.stuck(), 1U);
  bell.signal();

  EXPECT_TRUE(bell.wait(instant{50}));
}

TEST(virtual_notifier, IsSignalledWhileItsOwnerSleeps) {
  virtual_clock clock{instant{10}};
  virtual_notifier bell{clock};
  bell.while_asleep([&] {
    clock.advance_by(duration{5});
    bell.signal();
  });

  EXPECT_TRUE(bell.wait(never));

  EXPECT_EQ(clock.time(), instant{15});
}

TEST(virtual_notifier, LosesSignalsAndEndsEarlyAsOftenAsItIsTold) {
  virtual_clock clock{instant{10}};
  virtual_notifier bell{clock};
  bell.lose(1);
  bell.end_early(1);

  EXPECT_FALSE(bell.signal());
  EXPECT_FALSE(bell.wait(instant{50}));
  EXPECT_EQ(clock.time(), instant{10});
  EXPECT_TRUE(bell.signal());

  EXPECT_TRUE(bell.wait(instant{50}));
}

}  // namespace
}  // namespace pinion::sim
