// SPDX-License-Identifier: Apache-2.0
//
// msg_ring_notifier with real rings: how a signal arrives, from whom, and what becomes of it where it can't.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "raw_ring.hpp"

namespace pinion::waker::testing {
namespace {

using pinion::testing::raw_ring;

constexpr std::uint64_t mark = 77;

// The kernel, but for what a test takes away; counts what is asked of it.
struct partial_kernel : msg_ring_calls {
  static inline bool has_call;
  static inline int send_result;  // negative: is answered instead of sending
  static inline int messages, writes;
  static void reset() { has_call = msg_ring_calls::can_send(), send_result = 0, messages = writes = 0; }

  static bool can_send() noexcept { return has_call; }
  static int send(int ring, std::uint64_t user_data) noexcept {
    ++messages;
    return send_result < 0 ? send_result : msg_ring_calls::send(ring, user_data);
  }
  static int add_one(int descriptor) noexcept {
    ++writes;
    return msg_ring_calls::add_one(descriptor);
  }
};
using partial_notifier = basic_msg_ring_notifier<partial_kernel, std_sync>;

class msg_ring : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
    partial_kernel::reset();
    reported = &texts;
    previous = set_diagnostic_sink([](const diagnostic& d) noexcept { reported->emplace_back(d.text); });
  }
  void TearDown() override {
    if (reported != nullptr) set_diagnostic_sink(previous);
    reported = nullptr;
  }

  // Whether the ring has, or gets in this moment, a completion with the mark. Each wait is a look.
  static bool hears(raw_ring& ring) {
    std::size_t marked = 0;
    ring.wait(monotonic_clock::now());
    ring.reap([&](const raw_ring::completion& c) { marked += c.user_data == mark ? 1U : 0U; });
    return marked != 0;
  }

  static inline std::vector<std::string>* reported = nullptr;
  std::vector<std::string> texts;
  diagnostic_sink previous = nullptr;
};

TEST_F(msg_ring, ASignalIsACompletionInTheOwnersRingAndNothingElse) {
  raw_ring ring;
  partial_notifier bell{ring, mark};
  ring.put(bell.watch());
  if (!partial_kernel::has_call) GTEST_SKIP() << "this kernel has no call that sends without a ring";
  EXPECT_FALSE(hears(ring));

  EXPECT_TRUE(bell.signal());

  EXPECT_TRUE(hears(ring));
  EXPECT_FALSE(hears(ring));
  EXPECT_EQ(partial_kernel::writes, 0);
  EXPECT_TRUE(bell.consume());
  EXPECT_FALSE(bell.consume());
}

TEST_F(msg_ring, ARingsOwnerSignalsWithWhatItSubmits) {
  raw_ring ring, own;
  partial_notifier bell{ring, mark};

  EXPECT_TRUE(bell.signal(own));
  EXPECT_FALSE(hears(ring)) << "the entry was submitted by somebody";
  EXPECT_EQ(own.submit(), 1);

  EXPECT_TRUE(hears(ring));
  EXPECT_EQ(own.reap(), 1U);
  EXPECT_EQ(partial_kernel::messages, 0);
  EXPECT_EQ(partial_kernel::writes, 0);
}

TEST_F(msg_ring, AnOwnerCanSignalItselfThroughItsOwnRing) {
  raw_ring ring{raw_ring::one_issuer | raw_ring::deferred};
  msg_ring_notifier bell{ring, mark};

  bell.signal(ring);
  EXPECT_TRUE(hears(ring));
  bell.signal();

  EXPECT_TRUE(hears(ring));
}

TEST_F(msg_ring, APortOfAnotherThreadIsLeftAlone) {
  raw_ring ring, others;
  msg_ring_notifier bell{ring, mark};

  std::thread{[&] { bell.signal(others); }}.join();

  EXPECT_EQ(others.submit(), 0);
  EXPECT_TRUE(bell.consume());
}

TEST_F(msg_ring, AFullQueueMakesTheSignalAPlainOne) {
  struct full_port {
    [[nodiscard]] int descriptor() const noexcept { return -1; }
    [[nodiscard]] bool is_owner() const noexcept { return true; }
    bool queue(const ring_entry&, ring_answer&) noexcept { return false; }
  } full;
  raw_ring ring;
  partial_notifier bell{ring, mark};
  ring.put(bell.watch());
  ring.submit();

  EXPECT_TRUE(bell.signal(full));

  EXPECT_TRUE(hears(ring));
}

TEST_F(msg_ring, AKernelWithoutTheCallWritesTheEventfdThatTheOwnerWatches) {
  partial_kernel::has_call = false;
  raw_ring ring;
  partial_notifier bell{ring, mark};
  ring.put(bell.watch());
  ring.submit();

  for (int round = 1; round <= 3; ++round) {
    EXPECT_TRUE(bell.signal());
    EXPECT_TRUE(hears(ring)) << "round " << round;
    EXPECT_TRUE(bell.consume());
  }

  EXPECT_EQ(partial_kernel::messages, 0);
  EXPECT_EQ(partial_kernel::writes, 3);
}

TEST_F(msg_ring, WhatTheCallRefusesGoesByTheEventfd) {
  for (const int error : {EAGAIN, EBUSY, ENOMEM, EPERM, ENOSYS}) {
    partial_kernel::reset();
    partial_kernel::has_call = true;
    partial_kernel::send_result = -error;
    raw_ring ring;
    partial_notifier bell{ring, mark};
    ring.put(bell.watch());
    ring.submit();

    EXPECT_TRUE(bell.signal()) << error;

    EXPECT_TRUE(hears(ring)) << error;
    EXPECT_EQ(partial_kernel::writes, 1) << error;
  }
  EXPECT_TRUE(texts.empty());
}

TEST_F(msg_ring, AnOwnerWhoseCompletionsOverflowIsTold) {
  partial_kernel::has_call = true;
  partial_kernel::send_result = -EOVERFLOW;
  raw_ring ring;
  partial_notifier bell{ring, mark};

  EXPECT_TRUE(bell.signal());

  EXPECT_EQ(partial_kernel::writes, 0);
  EXPECT_TRUE(bell.consume());
}

TEST_F(msg_ring, MoreSignalsThanTheRingHoldsAreNeitherRefusedNorLost) {
  constexpr std::size_t many = 5'000;  // of 128 completions
  raw_ring ring;
  partial_notifier bell{ring, mark};
  std::size_t heard = 0;

  for (std::size_t k = 0; k < many; ++k) bell.signal();
  if (partial_kernel::writes != 0) GTEST_SKIP() << "this kernel has no call that sends without a ring";
  while (ring.wait(monotonic_clock::now()) == 0) heard += ring.reap();

  EXPECT_EQ(heard, many);
}

TEST_F(msg_ring, AWatchThatTheKernelGaveUpIsQueuedAgain) {
  partial_kernel::has_call = true;
  raw_ring ring;
  partial_notifier bell{ring, mark};
  std::size_t ended = 0;
  const auto reap_and_watch = [&] {
    ring.reap([&](const raw_ring::completion& c) {
      if (!partial_notifier::watch_ended(c.result, c.flags)) return;
      ++ended;
      ring.put(bell.watch());
    });
  };
  ring.put(bell.watch());
  ring.submit();

  // What many completions are for ends where they overflow.
  partial_kernel::send_result = -ENOMEM;
  for (int k = 0; k < 300; ++k) {
    bell.signal();
    ring.submit();
  }
  while (ring.wait(monotonic_clock::now()) == 0) reap_and_watch();
  bell.consume();
  ring.submit();
  bell.signal();

  EXPECT_TRUE(hears(ring));
  if (ended == 0) GTEST_SKIP() << "this kernel keeps a watch whose completions overflow";
}

TEST_F(msg_ring, NeitherAMessageNorAWatchThatFailedEndsAWatch) {
  constexpr std::uint32_t more = 2;

  EXPECT_TRUE(msg_ring_notifier::watch_ended(1, 0));
  EXPECT_FALSE(msg_ring_notifier::watch_ended(1, more));
  EXPECT_FALSE(msg_ring_notifier::watch_ended(0, 0));
  EXPECT_FALSE(msg_ring_notifier::watch_ended(-ECANCELED, 0));
}

TEST_F(msg_ring, ADisabledRingHearsOfItWhenItIsEnabled) {
  raw_ring ring{raw_ring::disabled | raw_ring::one_issuer | raw_ring::deferred};
  raw_ring own;
  wake_node node, other;
  wake_channel<tagged_inbox, partial_notifier> channel{ring, mark};
  ring.put(channel.notifier().watch());
  ASSERT_TRUE(channel.try_arm());

  EXPECT_EQ(channel.sender().push(node), push_result::signal);
  EXPECT_EQ(partial_kernel::writes, 1) << "the kernel takes no message for a disabled ring";
  EXPECT_EQ(channel.sender().force(other, own), push_result::queued);
  own.submit();
  own.reap();
  EXPECT_EQ(partial_kernel::writes, 2) << "nor from another ring";
  ASSERT_EQ(ring.enable(), 0);

  EXPECT_TRUE(hears(ring));
  EXPECT_TRUE(channel.notifier().consume());
  EXPECT_EQ(channel.drain([](wake_node&) {}), 2U);
}

TEST_F(msg_ring, ARingThatItsOwnerClosedIsKeptAndNoOtherWithItsNumberHears) {
  raw_ring ring;
  wake_node node;
  auto channel = std::make_unique<wake_channel<tagged_inbox, partial_notifier>>(ring, mark);
  const auto sender = channel->sender();
  ASSERT_TRUE(channel->try_arm());

  const int number = ring.descriptor();
  ring.close();
  raw_ring stranger;
  ASSERT_EQ(stranger.descriptor(), number) << "the number was not given again: the test shows nothing";

  EXPECT_EQ(sender.push(node), push_result::signal);
  EXPECT_FALSE(hears(stranger));
  EXPECT_EQ(partial_kernel::writes, partial_kernel::has_call ? 0 : 1);
  EXPECT_TRUE(channel->notifier().consume());
  EXPECT_EQ(channel->drain([](wake_node&) {}), 1U);
  EXPECT_TRUE(texts.empty());
}

// A kernel in which the number of the ring was closed by somebody, and then the eventfd's, too.
struct closing_kernel : partial_kernel {
  static inline int ring_number;
  static int duplicate(int ring) noexcept { return ring_number = msg_ring_calls::duplicate(ring); }
  static void close(int descriptor) noexcept {
    if (descriptor != ring_number) partial_kernel::close(descriptor);
  }
};

TEST_F(msg_ring, ADescriptorClosedUnderItIsReplacedByTheEventfdAndThenReported) {
  raw_ring ring, own;
  wake_node node;
  wake_channel<tagged_inbox, basic_msg_ring_notifier<closing_kernel, std_sync>> channel{ring, mark};
  auto& bell = channel.notifier();
  ring.put(bell.watch());
  ring.submit();

  ::close(closing_kernel::ring_number);
  EXPECT_TRUE(bell.signal());
  EXPECT_TRUE(hears(ring));
  EXPECT_TRUE(bell.signal(own));
  own.submit();
  own.reap();
  EXPECT_TRUE(hears(ring)) << "a message that failed was not said in another way";
  EXPECT_TRUE(texts.empty());

  ::close(bell.descriptor());
  ASSERT_TRUE(channel.try_arm());
  EXPECT_EQ(channel.sender().push(node), push_result::signal);
  EXPECT_EQ(texts.size(), 1U);
  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
  ASSERT_EQ(::dup2(own.descriptor(), bell.descriptor()), bell.descriptor());  // what the notifier will close
}

TEST_F(msg_ring, ASendersRingThatGoesBeforeItSubmitsLosesNothing) {
  raw_ring ring;
  partial_notifier bell{ring, mark};
  ring.put(bell.watch());
  ring.submit();

  {
    raw_ring own;
    bell.signal(own);
    EXPECT_FALSE(hears(ring));
  }

  EXPECT_TRUE(hears(ring));
}

TEST_F(msg_ring, AMessageOutlivesTheNotifierThatItIsFor) {
  raw_ring ring, own;
  auto bell = std::make_unique<partial_notifier>(ring, mark);

  bell->signal(own);
  bell.reset();
  own.submit();

  EXPECT_EQ(own.reap(), 1U);
  EXPECT_TRUE(hears(ring)) << "its number of the ring was closed too early";
}

TEST_F(msg_ring, AKernelWithoutTheOperationIsAskedOnce) {
  struct old_port {
    [[nodiscard]] int descriptor() const noexcept { return -1; }
    [[nodiscard]] bool is_owner() const noexcept { return true; }
    bool queue(const ring_entry&, ring_answer& answer) noexcept {
      waiting = &answer;
      ++queued;
      return true;
    }
    ring_answer* waiting = nullptr;
    int queued = 0;
  } old;
  raw_ring ring;
  partial_notifier bell{ring, mark};
  ring.put(bell.watch());
  ring.submit();

  bell.signal(old);
  ASSERT_NE(old.waiting, nullptr);
  ring_answer& answer = *std::exchange(old.waiting, nullptr);
  answer.answered(answer, -EINVAL);
  EXPECT_TRUE(hears(ring));
  bell.signal(old);

  EXPECT_TRUE(hears(ring));
  EXPECT_EQ(old.queued, 1);
}

TEST_F(msg_ring, ASenderOfAnotherNotifierPassesItsPortBy) {
  raw_ring own;
  wake_node node;
  wake_channel<tagged_inbox, futex_notifier> channel;
  ASSERT_TRUE(channel.try_arm());

  EXPECT_EQ(channel.sender().push(node, own), push_result::signal);

  EXPECT_TRUE(channel.notifier().consume());
  EXPECT_EQ(own.submit(), 0);
  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
}

}  // namespace
}  // namespace pinion::waker::testing
