// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, and that a channel works.
#include <gtest/gtest.h>

#include <cstddef>
#include <system_error>
#include <thread>

import pinion.waker;

namespace {

using namespace pinion::waker;

struct task : wake_node {
  int runs = 0;
};

TEST(waker_module, AChannelWakesItsOwner) {
  static_assert(inbox<default_inbox> && waiting_notifier<default_notifier>);
  task woken;
  default_channel channel;
  parker park{channel, spin_options{.most = pinion::duration{0}}};

  std::thread other{[sender = channel.sender(), &woken] { sender.push(woken); }};
  while (park(pinion::never) != park_end::wakes) {
  }
  const std::size_t drained = channel.drain([](wake_node& node) { ++static_cast<task&>(node).runs; });
  other.join();

  EXPECT_EQ(drained, 1U);
  EXPECT_EQ(woken.runs, 1);
}

struct no_ring {
  [[nodiscard]] int descriptor() const noexcept { return -1; }
  [[nodiscard]] bool is_owner() const noexcept { return false; }
  bool queue(const pinion::ring_entry&, pinion::ring_answer&) noexcept { return false; }
};

TEST(waker_module, ASpinIsExported) {
  spin_budget budget{spin_options{.most = pinion::duration{0}}};

  EXPECT_EQ(budget.allowance(), pinion::duration{0});
  EXPECT_EQ(spin_statistics{.hits = 1}.hit_rate(), 1.0);
}

TEST(waker_module, TheNotifierOfRingsIsExported) {
  static_assert(notifier<msg_ring_notifier> && ring_notifier<msg_ring_notifier, no_ring>);

  EXPECT_THROW(msg_ring_notifier(no_ring{}, 1), std::system_error);
}

TEST(waker_module, EveryInboxIsExported) {
  task woken;
  bounded_inbox<4> ring;
  mutex_inbox oracle;
  value_inbox<int> values;

  EXPECT_EQ(ring.push(woken), push_result::queued);
  auto wakes = ring.take();
  EXPECT_EQ(wakes.run([](wake_node&) {}, 64), 1U);
  EXPECT_TRUE(oracle.try_arm());
  EXPECT_EQ(oracle.push(woken), push_result::signal);
  EXPECT_EQ(oracle.close([](wake_node&) {}), 1U);
  EXPECT_EQ(values.push(7), push_result::queued);
}

}  // namespace
