// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <pinion/waker/bounded_inbox.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace pinion::waker {
namespace {

constexpr auto forget = [](wake_node&) {};

// What report() was told, by a sink that a test installs.
std::vector<std::string>* reported = nullptr;

class bounded_inbox_reports : public ::testing::Test {
 protected:
  void SetUp() override {
    reported = &texts;
    previous = set_diagnostic_sink([](const diagnostic& d) noexcept { reported->emplace_back(d.text); });
  }
  void TearDown() override { set_diagnostic_sink(previous); }

  std::vector<std::string> texts;
  diagnostic_sink previous = nullptr;
};

TEST_F(bounded_inbox_reports, AnOverflowIsCountedAndSaidOnce) {
  std::vector<wake_node> nodes(10);
  bounded_inbox<4> inbox;

  for (int round = 0; round < 3; ++round) {
    for (wake_node& node : nodes) static_cast<void>(inbox.push(node));
    inbox.drain(forget);
  }

  EXPECT_EQ(inbox.overflowed(), 3U * 6U);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts.front().find("bounded_inbox<8>"), std::string::npos) << texts.front();
}

TEST_F(bounded_inbox_reports, AFullRingIsNoOverflow) {
  std::vector<wake_node> nodes(4);
  bounded_inbox<4> inbox;

  for (int round = 0; round < 3; ++round) {
    for (wake_node& node : nodes) static_cast<void>(inbox.push(node));
    inbox.drain(forget);
  }

  EXPECT_EQ(inbox.overflowed(), 0U);
  EXPECT_TRUE(texts.empty());
}

TEST(bounded_inbox, KeepsItsOrderAroundAnOverflowThatIsDrainedInPart) {
  std::vector<wake_node> nodes(40);
  bounded_inbox<2> inbox;
  std::vector<const wake_node*> came;
  std::size_t pushed = 0;
  const auto note = [&](wake_node& node) {
    came.push_back(&node);
    // Each that goes makes room, and lets two more in: they belong behind what still waits.
    for (int more = 0; more < 2 && pushed < nodes.size(); ++more)
      static_cast<void>(inbox.push(nodes[pushed++]));
  };

  for (; pushed < 5; ++pushed) static_cast<void>(inbox.push(nodes[pushed]));
  while (inbox.drain(note) != 0) {
  }

  ASSERT_EQ(came.size(), nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) EXPECT_EQ(came[k], &nodes[k]) << k;
}

TEST(bounded_inbox, LeavesWhatHungOnToItsLastCellMeanwhileToTheNextDrain) {
  std::array<wake_node, 6> nodes;
  bounded_inbox<2> inbox;
  std::vector<const wake_node*> came;
  for (std::size_t k = 0; k < 3; ++k) static_cast<void>(inbox.push(nodes[k]));
  const auto throws_at_the_second = [&](wake_node& node) {
    if (&node == &nodes[1]) throw std::runtime_error{"sink"};
  };
  EXPECT_THROW(inbox.drain(throws_at_the_second), std::runtime_error);
  for (std::size_t k = 3; k < 5; ++k) static_cast<void>(inbox.push(nodes[k]));  // full again

  const auto push_the_last = [&](wake_node& node) {
    came.push_back(&node);
    static_cast<void>(inbox.push(nodes[5]));
  };
  inbox.drain(push_the_last);

  EXPECT_EQ(came, (std::vector<const wake_node*>{&nodes[2], &nodes[3], &nodes[4]}));
  EXPECT_EQ(inbox.drain(forget), 1U);
}

TEST(bounded_inbox, WorksThroughManyLapsFromEachCellOn) {
  std::array<wake_node, 3> nodes;
  bounded_inbox<4> inbox;
  std::size_t drained = 0;

  for (int lap = 0; lap < 1'000; ++lap) {
    EXPECT_TRUE(inbox.try_arm());
    EXPECT_EQ(inbox.push(nodes[0]), push_result::signal);
    EXPECT_EQ(inbox.push(nodes[1]), push_result::queued);
    EXPECT_EQ(inbox.push(nodes[2]), push_result::queued);
    drained += inbox.drain(forget);
  }

  EXPECT_EQ(drained, 3'000U);
}

}  // namespace
}  // namespace pinion::waker
