// SPDX-License-Identifier: Apache-2.0
//
// parker under every interleaving of its owner, a sender and a kernel that answers: an owner that sleeps over
// a wake or an answer waits for ever, which is a violation.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <pinion/sim/explore.hpp>
#include <pinion/sim/explored_sync.hpp>
#include <pinion/waker.hpp>
#include <string>

#include "to_the_end.hpp"

namespace pinion::waker::testing {
namespace {

using sync = sim::explored_sync;

// Each reading is later than any spin lasts.
struct hasty_clock {
  instant now() noexcept { return at = at + duration{1'000'000}; }
  instant at{0};
};

struct stopped_clock {
  static instant now() noexcept { return instant{0}; }
};

// A ring: what has been answered, and what ends a wait, which a message of the notifier's does as well.
struct played_io {
  sync::atomic<std::uint32_t> answers{0};
  sync::event completion;
  std::uint32_t handed_out = 0;

  void complete() {
    answers.fetch_add(1, std::memory_order_release);
    completion.post();
  }

  template <class Woke>
  void park(instant, Woke woke) {
    if (!has_answers()) completion.wait();
    woke();
    turn({});
  }
  void turn(instant) { handed_out += answers.exchange(0, std::memory_order_acquire); }
  void submit() noexcept {}
  [[nodiscard]] bool has_answers() const noexcept { return answers.load(std::memory_order_relaxed) != 0; }
};

struct played_bell {
  struct attachment {
    [[nodiscard]] static bool renew() noexcept { return true; }
  };
  bool signal() noexcept {
    io->completion.post();
    return true;
  }
  static bool consume() noexcept { return false; }
  attachment attach(played_io& to) noexcept {
    io = &to;
    return {};
  }
  played_io* io = nullptr;
};

struct owner_with_io {
  using channel_type = wake_channel<basic_tagged_inbox<sync>, played_bell, sync>;
  static spin_options& options() {
    static spin_options all;
    return all;
  }
  basic_wake_node<sync> node{};
  played_io io{};
  channel_type channel{};
  parker<channel_type, played_io&, hasty_clock, sync> park{channel, io, options()};
  channel_type::sender_type sender = channel.sender();
};

sim::scenario<owner_with_io> a_wake_and_an_answer() {
  sim::scenario<owner_with_io> result;
  result.thread("sender", [](owner_with_io& o) { o.sender.push(o.node); });
  result.thread("kernel", [](owner_with_io& o) { o.io.complete(); });
  result.thread("owner", [](owner_with_io& o) {
    std::size_t wakes = 0;
    while (wakes == 0 || o.io.handed_out == 0) {
      wakes += o.channel.drain([](basic_wake_node<sync>&) {});
      if (wakes == 0 || o.io.handed_out == 0) o.park(never);
    }
  });
  return result;
}

struct owner_alone {
  using channel_type =
      wake_channel<basic_tagged_inbox<sync>, basic_futex_notifier<sync, stopped_clock>, sync>;
  std::array<basic_wake_node<sync>, 2> nodes{};
  channel_type channel{};
  parker<channel_type, channel_type::notifier_type&, hasty_clock, sync> park{channel,
                                                                             owner_with_io::options()};
  channel_type::sender_type sender = channel.sender();
};

sim::scenario<owner_alone> two_wakes() {
  sim::scenario<owner_alone> result;
  for (const std::size_t k : {0U, 1U})
    result.thread("sender " + std::to_string(k + 1), [k](owner_alone& o) { o.sender.push(o.nodes[k]); });
  result.thread("owner", [](owner_alone& o) {
    std::size_t wakes = 0;
    while (wakes != 2) {
      o.park(never);
      wakes += o.channel.drain([](basic_wake_node<sync>&) {});
    }
  });
  return result;
}

TEST(ExploredParker, SleepsOverNeitherAWakeNorAnAnswer) {
  owner_with_io::options() = {.most = duration{0}, .cores = 2};
  EXPECT_EQ(sim::testing::what_breaks_to_the_end("two wakes", two_wakes(), 1), "");
  EXPECT_EQ(sim::testing::what_breaks_to_the_end("a wake and an answer", a_wake_and_an_answer(), 3), "");
}

// Sixteen looks more in each park, so fewer preemptions.
TEST(ExploredParker, NorWhereItSpinsBefore) {
  owner_with_io::options() = {.cores = 2};
  EXPECT_EQ(sim::testing::what_breaks_to_the_end("two wakes, after a spin", two_wakes(), 1), "");
  EXPECT_EQ(
      sim::testing::what_breaks_to_the_end("a wake and an answer, after a spin", a_wake_and_an_answer(), 1),
      "");
}

}  // namespace
}  // namespace pinion::waker::testing
