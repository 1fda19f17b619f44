// SPDX-License-Identifier: Apache-2.0
//
// uring_ring as a ring_port: rules R1 to R4, over the real kernel, and over one that refuses.
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "fake_kernel.hpp"
#include "probe.hpp"
#include "uring_testing.hpp"

namespace pinion::iosubmit::testing {
namespace {

using UringPortTest = on_real_rings;
using faulty_ring = basic_uring_ring<faulty_calls>;

template <class Ring>
void answer_all(Ring& ring) {
  ring.reap([&](const ring_completion& one) noexcept { ring.answer(one); });
}

TEST_F(UringPortTest, R1NamesTheSameRingForAsLongAsItLives) {
  uring_ring ring{{}};
  const int before = ring.descriptor();

  ring.enter({});
  const uring_ring moved{std::move(ring)};

  EXPECT_GE(before, 0);
  EXPECT_EQ(moved.descriptor(), before);
}

// A wake in the first turn: nothing was entered before.
TEST_F(UringPortTest, ASubmissionIsAPortFromItsFirstTurnOn) {
  submission<batch_or_idle, uring_ring> io{uring_ring{{}}};
  uring_ring other{{}};
  port_probe sent;
  if (!other.supports(codes::msg_ring)) GTEST_SKIP() << "this kernel has no msg_ring (Linux 5.18)";
  ASSERT_EQ(other.own(), 0);
  EXPECT_FALSE(io.is_owner());

  EXPECT_TRUE(io.own());
  EXPECT_TRUE(io.is_owner());
  EXPECT_TRUE(io.queue(entries::msg_ring(other.descriptor(), 5), sent));
  io.turn(monotonic_clock::now());
  io.park(io.now());

  EXPECT_EQ(sent.answers, 1);
  EXPECT_EQ(sent.result, 0);
  other.enter({.count = 1, .timeout = duration{10'000'000'000}});
  EXPECT_EQ(reaped(other).size(), 1U);
}

TEST(UringPortOverAFakeTest, SaysWhereTheKernelRefusesToEnableARing) {
  fake_kernel kernel{612};
  kernel.fails(faulty::enable, -EPERM, 1);
  submission<batch_or_idle, either_ring<faulty_ring, epoll_ring>> io{
      either_ring<faulty_ring, epoll_ring>{faulty_ring{{.entries = 2}}}};

  EXPECT_FALSE(io.own());
  EXPECT_FALSE(io.is_owner());
  EXPECT_TRUE(io.own()) << "it refuses no more";
  EXPECT_TRUE(io.is_owner());
}

TEST_F(UringPortTest, R2EntersByItselfWhereItIsFull) {
  uring_ring ring{{.entries = 4}};
  std::vector<port_probe> answers(32);

  for (port_probe& one : answers) ASSERT_TRUE(ring.queue(entries::nop(), one));
  ring.enter({});
  answer_all(ring);

  for (const port_probe& one : answers) EXPECT_EQ(one.answers, 1);
}

TEST(UringPortOverAFakeTest, R2ChangesNothingWhereThereIsNoRoom) {
  fake_kernel kernel{612};
  faulty_ring ring{{.entries = 2, .completion_entries = 4}};
  port_probe answers[2], refused;
  for (port_probe& one : answers) ASSERT_TRUE(ring.queue(entries::nop(), one));
  kernel.fails(faulty::enter, -EAGAIN, 1);

  const bool is_queued = ring.queue(entries::nop(), refused);

  EXPECT_FALSE(is_queued);
  EXPECT_EQ(ring.pending(), 2U);
  ring.enter({.count = 2});
  answer_all(ring);
  EXPECT_EQ(refused.answers, 0);
  for (const port_probe& one : answers) EXPECT_EQ(one.answers, 1);
}

TEST_F(UringPortTest, R3SubmitsWhatWasQueuedBeforeItWaits) {
  uring_ring ring{{}};
  port_probe answer;
  ring.queue(entries::nop(), answer);

  ring.enter({.count = 1});
  answer_all(ring);

  EXPECT_EQ(answer.answers, 1);
  EXPECT_EQ(answer.result, 0);
}

TEST_F(UringPortTest, R4AnswersWhatWasNeverSubmittedWhereItGoes) {
  port_probe answer;
  {
    uring_ring ring{{}};
    ring.queue(entries::nop(), answer);
  }

  EXPECT_EQ(answer.answers, 1);
  EXPECT_EQ(answer.result, -ECANCELED);
}

TEST_F(UringPortTest, R4AnswersWhatIsInFlightWhereItGoes) {
  const pipe_ends ends;
  port_probe waits, never_submitted;
  {
    uring_ring ring{{}};
    ring.queue(entries::poll(ends.reader(), POLLIN), waits);
    ring.enter({});
    ring.queue(entries::nop(), never_submitted);
  }

  EXPECT_EQ(waits.answers, 1);
  EXPECT_EQ(waits.result, -ECANCELED);
  EXPECT_EQ(never_submitted.answers, 1);
  EXPECT_EQ(never_submitted.result, -ECANCELED);
}

struct repeated : ring_answer {
  explicit repeated(uring_ring& on) noexcept : ring_answer{&again}, ring{on} {}
  static void again(ring_answer& self, std::int32_t) noexcept {
    auto& mine = static_cast<repeated&>(self);
    if (--mine.left != 0) mine.is_queued = mine.ring.queue(entries::nop(), mine) && mine.is_queued;
  }
  uring_ring& ring;
  int left = 10;
  bool is_queued = true;
};

TEST_F(UringPortTest, R4AnAnswerMayQueueAgain) {
  uring_ring ring{{.entries = 1, .completion_entries = 2}};
  repeated answer{ring};
  ring.queue(entries::nop(), answer);

  for (int turns = 0; turns != 20 && answer.left != 0; ++turns) {
    ring.enter({.count = 1, .timeout = duration{1'000'000}});
    answer_all(ring);
  }

  EXPECT_EQ(answer.left, 0);
  EXPECT_TRUE(answer.is_queued);
}

TEST_F(UringPortTest, R4AnAnswerMayQueueAgainWhileTheRingGoes) {
  auto ring = std::make_unique<uring_ring>(uring_options{.entries = 2});
  repeated answer{*ring};
  ring->queue(entries::nop(), answer);

  ring.reset();

  EXPECT_EQ(answer.left, 0);
  EXPECT_TRUE(answer.is_queued);
}

TEST_F(UringPortTest, AnswersOnlyWhatIsItsOwn) {
  uring_ring ring{{}};

  for (const std::uint64_t foreign : {0ULL, 1ULL, 8ULL, 10ULL, 1ULL << 20U, (1ULL << 48U) - 8, ~7ULL, ~0ULL})
    EXPECT_FALSE(ring.answer({.user_data = foreign, .result = 0, .flags = 0})) << foreign;
}

TEST(UringPortOverAFakeTest, DoesNotTakeAnAnswerOfSomebodyElsesForItsOwn) {
  if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  fake_kernel kernel{615};
  faulty_ring ring{{.entries = 2}};
  port_probe answered;
  ASSERT_TRUE(ring.queue(entries::nop(), answered));
  ring.enter({.count = 1});
  answer_all(ring);
  ring.put(named(entries::nop(), user_data_of(answered, 0)));
  ring.enter({.count = 1});

  EXPECT_DEATH(answer_all(ring), "put entries beside queue\\(\\) with another");
}

}  // namespace
}  // namespace pinion::iosubmit::testing
