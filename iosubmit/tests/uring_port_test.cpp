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

  EXPECT_FALSE(ring.answer({.user_data = 0, .result = 0, .flags = 0}));
  EXPECT_FALSE(ring.answer({.user_data = 8 + 2, .result = 0, .flags = 0}));
}

TEST(UringPortOverAFakeTest, DoesNotTakeAPointerForAnAnswerWhereNoneIsToCome) {
  if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  fake_kernel kernel{615};
  faulty_ring ring{{.entries = 2}};
  port_probe answered;
  ASSERT_TRUE(ring.queue(entries::nop(), answered));
  ring.enter({.count = 1});
  answer_all(ring);
  std::uint64_t of_another_kind = 0;
  ring.put(named(entries::nop(), entries_detail::word(&of_another_kind)));
  ring.enter({.count = 1});

  EXPECT_DEATH(answer_all(ring), "put entries beside queue\\(\\) with a mark");
}

}  // namespace
}  // namespace pinion::iosubmit::testing
