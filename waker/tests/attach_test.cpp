// SPDX-License-Identifier: Apache-2.0
//
// Law W8: attach() has a notifier's signals end the waits of a ring's owner, or of an epoll's, for as long as
// what it gave lives.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "ring_watchers.hpp"

namespace pinion::waker::testing {
namespace {

using namespace std::chrono_literals;

// An epoll, and whether its wait ends.
struct epoll_loop {
  epoll_loop() = default;
  epoll_loop(const epoll_loop&) = delete;
  epoll_loop& operator=(const epoll_loop&) = delete;
  ~epoll_loop() { ::close(set.descriptor); }
  [[nodiscard]] bool hears(int milliseconds = 0) {
    epoll_event event{};
    const bool came = ::epoll_wait(set.descriptor, &event, 1, milliseconds) == 1;
    if (came) data = event.data.u64;
    return came;
  }
  epoll_set set{.descriptor = ::epoll_create1(EPOLL_CLOEXEC), .data = 42};
  std::uint64_t data = 0;
};

template <class Notifier>
std::error_code refusal_of(Notifier& bell, auto& loop) {
  try {
    const auto attached = bell.attach(loop);
  } catch (const std::system_error& refused) {
    return refused.code();
  }
  return {};
}

// How each is made for an owner that has a ring.
struct an_eventfd : std::optional<eventfd_notifier> {
  explicit an_eventfd(watching_ring& ring) { emplace(ring); }
};
struct a_msg_ring : std::optional<msg_ring_notifier> {
  explicit a_msg_ring(watching_ring& ring) { emplace(ring); }
};

template <class Made>
class Attach : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
    ring.emplace();
    made.emplace(*ring);
  }
  auto& bell() { return **made; }
  // Long enough for a thread to come to it; ends with the first completion.
  static instant patience() { return monotonic_clock::now() + ceil(10s); }

  std::optional<watching_ring> ring;
  std::optional<Made> made;
  epoll_loop epoll;
};
using kinds = ::testing::Types<an_eventfd, a_msg_ring>;
TYPED_TEST_SUITE(Attach, kinds);

static_assert(attachable_notifier<eventfd_notifier, watching_ring>);
static_assert(attachable_notifier<msg_ring_notifier, watching_ring>);
static_assert(attachable_notifier<eventfd_notifier, epoll_set>);
static_assert(attachable_notifier<msg_ring_notifier, epoll_set>);
static_assert(!attachable_notifier<futex_notifier, watching_ring>, "its owner waits for nothing else");

TYPED_TEST(Attach, W8EachSignalEndsAWaitOfTheRingsOwnerAndNothingIsRead) {
  auto attached = this->bell().attach(*this->ring);
  EXPECT_TRUE(attached.renew());
  EXPECT_FALSE(this->ring->hears());

  for (int round = 0; round != 3; ++round) {
    std::thread{[&] { this->bell().signal(); }}.join();
    EXPECT_TRUE(attached.renew());
    EXPECT_TRUE(this->ring->hears()) << round;
    EXPECT_FALSE(this->ring->hears()) << round;
  }

  EXPECT_EQ(this->ring->watched, 1);
}

TYPED_TEST(Attach, W8EachSignalIsAnEventOfTheEpollAndNothingIsRead) {
  auto attached = this->bell().attach(this->epoll.set);
  EXPECT_FALSE(this->epoll.hears());

  for (int round = 0; round != 3; ++round) {
    std::thread{[&] { this->bell().signal(); }}.join();
    EXPECT_TRUE(attached.renew());
    EXPECT_TRUE(this->epoll.hears()) << round;
    EXPECT_FALSE(this->epoll.hears()) << round;
  }

  EXPECT_EQ(this->epoll.data, 42U);
}

TYPED_TEST(Attach, W8ASignalFromBeforeIsNotLost) {
  this->bell().signal();
  {
    auto attached = this->bell().attach(*this->ring);
    EXPECT_TRUE(this->ring->hears(this->patience()));
  }
  this->bell().consume();

  this->bell().signal();
  auto attached = this->bell().attach(this->epoll.set);
  EXPECT_TRUE(this->epoll.hears());
}

TYPED_TEST(Attach, W8TwoLoopsAtATimeAreRefused) {
  epoll_loop other;
  {
    auto attached = this->bell().attach(*this->ring);
    EXPECT_EQ(refusal_of(this->bell(), *this->ring), std::errc::device_or_resource_busy);
    EXPECT_EQ(refusal_of(this->bell(), this->epoll.set), std::errc::device_or_resource_busy);
    EXPECT_EQ(this->ring->taken(), 1U) << "one that is refused keeps a mark";
  }
  auto attached = this->bell().attach(this->epoll.set);
  EXPECT_EQ(refusal_of(this->bell(), other.set), std::errc::device_or_resource_busy);
  EXPECT_EQ(refusal_of(this->bell(), *this->ring), std::errc::device_or_resource_busy);
  EXPECT_EQ(this->ring->taken(), 0U);

  this->bell().signal();
  EXPECT_TRUE(this->epoll.hears()) << "the one that is attached hears";
}

TYPED_TEST(Attach, W8WhatIsRefusedLeavesItUnattached) {
  epoll_set none{.descriptor = -1};
  EXPECT_EQ(refusal_of(this->bell(), none), std::errc::bad_file_descriptor);
  std::vector<std::uint8_t> marks;
  while (this->ring->taken() != 6) marks.push_back(this->ring->add_sink({}).value());
  EXPECT_EQ(refusal_of(this->bell(), *this->ring), std::errc::device_or_resource_busy);
  this->ring->remove_sink(marks.front());

  auto attached = this->bell().attach(*this->ring);
  this->bell().signal();

  EXPECT_TRUE(this->ring->hears(this->patience()));
}

TYPED_TEST(Attach, W8ADetachedOneEndsNoWaitAndGivesItsMarkBack) {
  {
    auto attached = this->bell().attach(*this->ring);
    EXPECT_EQ(this->ring->taken(), 1U);
  }
  {
    auto attached = this->bell().attach(this->epoll.set);
    EXPECT_EQ(this->ring->taken(), 0U);
    while (this->ring->hears()) {  // what was still to be said of the watch
    }
    this->bell().signal();
    EXPECT_FALSE(this->ring->hears()) << "it is attached to the epoll";
    EXPECT_TRUE(this->epoll.hears());
  }
  this->bell().signal();

  EXPECT_FALSE(this->epoll.hears());
}

// More of them than there are marks, one after the other.
TYPED_TEST(Attach, W8ARingsOwnerTakesAnyNumberOneAfterTheOther) {
  for (int times = 0; times != 20; ++times) {
    TypeParam next{*this->ring};
    auto attached = next->attach(*this->ring);
    while (this->ring->hears()) {
    }
    next->signal();
    EXPECT_TRUE(attached.renew());
    EXPECT_TRUE(this->ring->hears(this->patience())) << times;
  }

  EXPECT_EQ(this->ring->taken(), 0U);
}

TYPED_TEST(Attach, W8AWatchThatItsRingsOwnerStopsIsQueuedAgain) {
  auto attached = this->bell().attach(*this->ring);
  EXPECT_FALSE(this->ring->hears());
  constexpr std::uint64_t mark = 2;
  this->ring->unwatch(mark);
  while (this->ring->hears()) {
  }

  EXPECT_TRUE(attached.renew());
  EXPECT_EQ(this->ring->watched, 2);
  this->bell().signal();

  EXPECT_TRUE(this->ring->hears(this->patience()));
}

class AttachMsgRing : public Attach<a_msg_ring> {};

// A message that was queued before the detaching, and leaves after it.
TEST_F(AttachMsgRing, AMessageThatComesLateIsNobodysEnd) {
  raw_ring senders;
  {
    auto attached = bell().attach(*ring);
    bell().signal(senders);
  }
  while (ring->hears()) {
  }
  eventfd_notifier next;
  auto attached = next.attach(*ring);
  EXPECT_FALSE(ring->hears());
  const int watched = ring->watched;

  senders.submit();
  senders.reap();
  if (!ring->hears()) GTEST_SKIP() << "this kernel has no messages between rings";
  EXPECT_EQ(mark_of(ring->last.user_data), 2) << "it has the mark of the next: else this shows nothing";

  EXPECT_TRUE(attached.renew());
  EXPECT_EQ(ring->watched, watched) << "the next took it for the end of its watch";
  next.signal();
  EXPECT_TRUE(ring->hears());
  EXPECT_FALSE(ring->hears()) << "two watches";
}

TEST_F(AttachMsgRing, ToAnotherRingThanItWasMadeOfItSignalsByTheEventfd) {
  watching_ring other;
  auto attached = bell().attach(other);

  bell().signal();

  EXPECT_TRUE(other.hears(patience()));
  EXPECT_FALSE(ring->hears());
}

// What a watch does when it ends, without a kernel.
class RingWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    reported = &keys;
    previous = set_diagnostic_sink([](const diagnostic& d) noexcept { reported->emplace_back(d.key); });
  }
  void TearDown() override { set_diagnostic_sink(previous); }

  [[nodiscard]] bool is_watched_last() const {
    return io.watched.back().operation == kernel::codes::poll &&
           io.watched.back().descriptor == bell.descriptor();
  }

  recording_watcher io;
  eventfd_notifier bell;
  static inline std::vector<std::string>* reported = nullptr;
  std::vector<std::string> keys;
  diagnostic_sink previous = nullptr;
};

TEST_F(RingWatch, ARingWithoutRoomHasTheLoopGoRoundAndIsAskedAgain) {
  io.has_room = false;
  auto attached = bell.attach(io);
  EXPECT_FALSE(attached.renew());
  EXPECT_EQ(io.watched.size(), 0U);

  io.has_room = true;
  EXPECT_TRUE(attached.renew());
  EXPECT_TRUE(attached.renew());

  EXPECT_EQ(io.watched.size(), 1U);
}

TEST_F(RingWatch, OneThatFailsInPassingIsQueuedAgainByTheNextRenew) {
  std::size_t expected_watches = 0;
  for (const int error : {ENOMEM, ENOBUFS, EAGAIN, EBUSY, EINTR, ECANCELED}) {
    auto attached = bell.attach(io);
    io.end_last(-error);
    expected_watches += 2;
    EXPECT_TRUE(attached.renew());
    EXPECT_EQ(io.watched.size(), expected_watches) << error;
    EXPECT_TRUE(is_watched_last());
    EXPECT_TRUE(attached.renew());
    EXPECT_EQ(io.watched.size(), expected_watches) << "once";
  }
  EXPECT_EQ(keys, std::vector<std::string>{});
}

// Each failure ends a wait: without a pause the loop would go round for nothing else.
TEST_F(RingWatch, OneThatFailsAgainWaitsAMillisecondBetween) {
  auto attached = bell.attach(io);
  io.end_last(-ENOMEM);
  EXPECT_TRUE(attached.renew());

  for (int times = 0; times != 3; ++times) {
    io.end_last(-ENOMEM);
    EXPECT_TRUE(attached.renew());
    ASSERT_EQ(io.watched.back().operation, kernel::codes::timeout) << times;
    const auto* const length = std::bit_cast<const kernel_time*>(io.watched.back().address);
    EXPECT_EQ(length->length(), ceil(1ms));
    const std::size_t before = io.watched.size();
    EXPECT_TRUE(attached.renew());
    EXPECT_EQ(io.watched.size(), before) << "it waits";
    io.end_last(-ETIME);
    EXPECT_TRUE(attached.renew());
    EXPECT_TRUE(is_watched_last()) << times;
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"watch-waits", "watch-waits", "watch-waits"}));

  io.hear_last();
  io.end_last(-ENOMEM);
  EXPECT_TRUE(attached.renew());
  EXPECT_TRUE(is_watched_last()) << "it was heard of, so this is the first failure again";
}

TEST_F(RingWatch, OneThatFailsForGoodIsReportedAndGivenUp) {
  for (const int error : {EINVAL, EBADF, EPERM}) {
    io.watched.clear();
    keys.clear();
    auto attached = bell.attach(io);

    io.end_last(-error);

    EXPECT_TRUE(attached.renew());
    EXPECT_EQ(io.watched.size(), 1U) << error;
    EXPECT_EQ(keys, std::vector<std::string>{"no-watch"});
  }
}

TEST_F(RingWatch, OneThatGoesStopsWhatIsUnderWay) {
  {
    auto attached = bell.attach(io);
  }
  EXPECT_EQ(io.unwatched, std::vector<std::uint64_t>{io.watched.back().user_data});
  {
    auto attached = bell.attach(io);
    io.end_last(1);
  }
  EXPECT_EQ(io.unwatched.size(), 1U) << "it had ended";
  {
    auto attached = bell.attach(io);
    for (int times = 0; times != 2; ++times) {
      io.end_last(-ENOMEM);
      attached.renew();
    }
    ASSERT_EQ(io.watched.back().operation, kernel::codes::timeout);
  }
  EXPECT_EQ(io.unwatched.back(), io.watched.back().user_data);
  EXPECT_EQ(io.unwatched.size(), 2U);
  EXPECT_EQ(io.taken(), 0U);
}

}  // namespace
}  // namespace pinion::waker::testing
