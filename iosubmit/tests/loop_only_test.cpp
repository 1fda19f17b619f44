// SPDX-License-Identifier: Apache-2.0
//
// turn(), park() and stop() are the loop's: an answer that calls one is told, before anything is handed out
// twice.
#include <gtest/gtest.h>

#include <cerrno>
#include <pinion/iosubmit.hpp>
#include <pinion/sim.hpp>

#include "probe.hpp"

namespace pinion::iosubmit::testing {
namespace {

using virtual_submission = submission<batch_or_idle, sim::virtual_ring, sim::virtual_clock::view>;

class LoopOnlyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
    io.queue(first);
  }
  void TearDown() override { first.then = nullptr; }

  sim::virtual_clock clock{instant{0}};
  probe first;
  virtual_submission io{sim::virtual_ring{clock}, {}, clock};
};

TEST_F(LoopOnlyTest, AnAnswerDoesNotEndTheTurn) {
  first.then = [&](probe&) { io.turn(clock.time()); };

  EXPECT_DEATH(io.park(never), "was called from an answer");
}

TEST_F(LoopOnlyTest, AnAnswerDoesNotPark) {
  first.then = [&](probe&) { io.park(never); };

  EXPECT_DEATH(io.park(never), "was called from an answer");
}

TEST_F(LoopOnlyTest, AnAnswerDoesNotStopWhatAnswersIt) {
  first.then = [&](probe&) { io.stop(); };

  EXPECT_DEATH(io.park(never), "was called from an answer");
}

TEST_F(LoopOnlyTest, NorDoesOneThatIsRefused) {
  first.then = [&](probe&) { io.stop(); };
  io.ring().fail(1, -EBADF);

  EXPECT_DEATH(io.park(never), "was called from an answer");
}

TEST_F(LoopOnlyTest, TheLoopDoesSoAfterwards) {
  bool quits = false;
  first.then = [&](probe&) { quits = true; };

  io.park(never);
  if (quits) io.stop();

  EXPECT_EQ(first.answers, 1);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
