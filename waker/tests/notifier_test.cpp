// SPDX-License-Identifier: Apache-2.0
//
// Notifiers by themselves: signals that nobody waits for, and what the operating system may refuse.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pinion::waker {
namespace {

template <class Notifier>
class each_notifier : public ::testing::Test {};
using notifiers = ::testing::Types<eventfd_notifier, futex_notifier>;
TYPED_TEST_SUITE(each_notifier, notifiers);

TYPED_TEST(each_notifier, KeepsASignalForTheNextWait) {
  TypeParam bell;

  EXPECT_TRUE(bell.signal());

  EXPECT_TRUE(bell.wait(never));
  EXPECT_FALSE(bell.wait(monotonic_clock::now()));
}

TYPED_TEST(each_notifier, MakesOneOfManySignals) {
  TypeParam bell;

  for (int k = 0; k < 3; ++k) bell.signal();

  EXPECT_TRUE(bell.consume());
  EXPECT_FALSE(bell.consume());
}

TYPED_TEST(each_notifier, WaitsUntilItsTimeAndNotLess) {
  TypeParam bell;
  const instant until = monotonic_clock::now() + ceil(std::chrono::milliseconds{2});

  bool signalled = bell.wait(until);
  while (!signalled && monotonic_clock::now() < until) signalled = bell.wait(until);  // it may end early

  EXPECT_FALSE(signalled);
  EXPECT_GE(monotonic_clock::now(), until);
}

// A store may say a time that is further off than a kernel can count.
TYPED_TEST(each_notifier, AWaitOfCenturiesLasts) {
  constexpr std::uint64_t year_ns = 31'557'600'000'000'000;
  for (const std::uint64_t years : {140U, 200U, 300U, 584U}) {
    TypeParam bell;
    std::thread other{[&] {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});  // most likely it waits by then
      bell.signal();
    }};

    int waits = 1;
    while (!bell.wait(monotonic_clock::now() + duration{years * year_ns})) ++waits;
    other.join();

    EXPECT_LE(waits, 3) << years << " years; it may end early";
  }
}

TYPED_TEST(each_notifier, IsRungByAnotherThreadEachTime) {
  TypeParam there, back;
  int rounds = 0;

  std::thread other{[&] {
    for (int k = 0; k < 500; ++k) {
      while (!there.wait(never)) {
      }
      back.signal();
    }
  }};
  for (; rounds < 500; ++rounds) {
    there.signal();
    while (!back.wait(never)) {
    }
  }
  other.join();

  EXPECT_EQ(rounds, 500);
  EXPECT_FALSE(there.consume());
}

TEST(eventfd_notifier, IsReadableFromSignalToConsume) {
  eventfd_notifier bell;
  const auto is_readable = [&] {
    pollfd watched{.fd = bell.descriptor(), .events = POLLIN, .revents = 0};
    return ::poll(&watched, 1, 0) == 1;
  };

  EXPECT_FALSE(is_readable());
  bell.signal();
  EXPECT_TRUE(is_readable());
  bell.consume();
  EXPECT_FALSE(is_readable());
}

TEST(eventfd_notifier, TellsItsOwnerAlsoWhereTheCounterIsFull) {
  eventfd_notifier bell;
  const eventfd_t full = 0xffff'ffff'ffff'fffe;
  ASSERT_EQ(::eventfd_write(bell.descriptor(), full), 0);

  EXPECT_TRUE(bell.signal());

  EXPECT_TRUE(bell.consume());
  EXPECT_FALSE(bell.consume());
}

TEST(eventfd_notifier, IsAnEventOfItsOwnEachTimeForWhoWatchesEdgesAndReadsNothing) {
  eventfd_notifier bell;
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {}};
  ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, bell.descriptor(), &event), 0);
  const auto hears = [&] { return ::epoll_wait(epoll, &event, 1, 0) == 1; };

  for (int round = 0; round < 3; ++round) {
    bell.signal();
    EXPECT_TRUE(hears()) << round;
    EXPECT_FALSE(hears()) << round;
  }
  ASSERT_EQ(::eventfd_write(bell.descriptor(), 0xffff'ffff'ffff'fffe - 3), 0);
  EXPECT_TRUE(hears());
  bell.signal();
  EXPECT_TRUE(hears()) << "the counter is full";
  bell.signal();

  EXPECT_TRUE(hears());
  ::close(epoll);
}

// Calls that a test scripts: what each returns, and how often they were made.
struct scripted {
  static inline int open_result, add_result, take_result, wait_result;
  static inline int closed;
  static void reset() { open_result = 7, add_result = 0, take_result = 0, wait_result = 1, closed = -1; }

  static int open() noexcept { return open_result; }
  static int add_one(int) noexcept { return add_result; }
  static int take(int) noexcept { return take_result; }
  static int wait(int, duration) noexcept { return wait_result; }
  static void close(int descriptor) noexcept { closed = descriptor; }
};

class failing_calls : public ::testing::Test {
 protected:
  void SetUp() override {
    scripted::reset();
    reported = &texts;
    previous = set_diagnostic_sink([](const diagnostic& d) noexcept { reported->emplace_back(d.text); });
  }
  void TearDown() override { set_diagnostic_sink(previous); }

  static inline std::vector<std::string>* reported = nullptr;
  std::vector<std::string> texts;
  diagnostic_sink previous = nullptr;
};

TEST_F(failing_calls, NoDescriptorIsARefusalWithItsCodeReasonAndRemedy) {
  struct answer {
    int error;
    const char* text;
  };
  for (const answer& each :
       {answer{
            EMFILE,
            "the eventfd of a notifier: the process has as many descriptors as it may have; raise the limit "
            "(ulimit -n), or close some"},
        answer{
            ENFILE,
            "the eventfd of a notifier: the machine has as many descriptors as it may have; raise the limit "
            "(sysctl fs.file-max), or close some"},
        answer{ENOMEM, "the eventfd of a notifier: the kernel has no memory for it; free memory, or raise "
                       "the limit of the "
                       "control group (memory.max)"},
        answer{
            EPERM,
            "the eventfd of a notifier: Operation not permitted, most likely a sandbox (seccomp) forbids it; "
            "allow eventfd2, or take a futex_notifier where the owner waits for nothing but wakes"}}) {
    scripted::open_result = -each.error;
    try {
      const basic_eventfd_notifier<scripted> bell;
      FAIL() << "a notifier without a descriptor was made";
    } catch (const std::system_error& refused) {
      EXPECT_EQ(refused.code(), std::error_code(each.error, std::generic_category()));
      EXPECT_STREQ(refused.what(), each.text);
    }
  }

  EXPECT_EQ(scripted::closed, -1);
}

TEST_F(failing_calls, AFullCounterIsASignal) {
  scripted::add_result = -EAGAIN;
  basic_eventfd_notifier<scripted> bell;

  EXPECT_TRUE(bell.signal());

  EXPECT_TRUE(texts.empty());
}

TEST_F(failing_calls, AClosedDescriptorIsSaidAndWhatWasPushedStays) {
  scripted::add_result = -EBADF;
  wake_node node;
  wake_channel<tagged_inbox, basic_eventfd_notifier<scripted>> channel;
  ASSERT_TRUE(channel.try_arm());

  const push_result result = channel.sender().push(node);

  EXPECT_EQ(result, push_result::signal);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts.front().find("errno 9"), std::string::npos) << texts.front();
  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
}

TEST_F(failing_calls, AWaitThatFailsIsSaidAndOneThatIsInterruptedIsNot) {
  basic_eventfd_notifier<scripted> bell;

  scripted::wait_result = -EINTR;
  EXPECT_FALSE(bell.wait(never));
  EXPECT_TRUE(texts.empty());

  scripted::wait_result = -EBADF;
  EXPECT_FALSE(bell.wait(never));
  EXPECT_EQ(texts.size(), 1U);
}

// Once for each millisecond: an owner that waits for nothing else would spin.
TEST_F(failing_calls, AWaitThatFailsLastsAMillisecondOrAsLongAsItMay) {
  basic_eventfd_notifier<scripted> bell;
  scripted::wait_result = -EBADF;

  const instant begun = monotonic_clock::now();
  for (int k = 0; k != 5; ++k) bell.wait(never);
  const instant ended = monotonic_clock::now();
  bell.wait(ended);

  EXPECT_GE(ended - begun, duration{5'000'000});
}

TEST_F(failing_calls, ReadinessThatSomebodyElseConsumedIsNoSignal) {
  scripted::take_result = -EAGAIN;
  basic_eventfd_notifier<scripted> bell;

  EXPECT_FALSE(bell.wait(never));

  EXPECT_TRUE(texts.empty());
}

TEST_F(failing_calls, WhatIsPushedThroughADescriptorThatIsReallyClosedWaitsForItsOwner) {
  std::vector<wake_node> nodes(3);
  wake_channel<tagged_inbox, eventfd_notifier> channel;
  const int number = channel.notifier().descriptor();
  ASSERT_TRUE(channel.try_arm());
  ::close(number);

  EXPECT_EQ(channel.sender().push(nodes[0]), push_result::signal);
  EXPECT_EQ(channel.sender().push(nodes[1]), push_result::queued);
  EXPECT_FALSE(channel.notifier().wait(never)) << "an owner that waits on nothing";
  EXPECT_EQ(channel.sender().force(nodes[2]), push_result::queued);

  EXPECT_EQ(texts.size(), 3U) << "two signals and a wait";
  EXPECT_EQ(channel.drain([](wake_node&) {}), 3U);
  ASSERT_EQ(::eventfd(0, EFD_CLOEXEC), number);  // what the notifier will close
}

TEST_F(failing_calls, AnOwnerThatArmsOnASaturatedCounterIsWoken) {
  wake_node node;
  wake_channel<tagged_inbox, eventfd_notifier> channel;
  ASSERT_EQ(::eventfd_write(channel.notifier().descriptor(), 0xffff'ffff'ffff'fffe), 0);
  ASSERT_TRUE(channel.try_arm());

  EXPECT_EQ(channel.sender().push(node), push_result::signal);

  EXPECT_TRUE(texts.empty());
  EXPECT_TRUE(channel.notifier().wait(never));
  EXPECT_EQ(channel.drain([](wake_node&) {}), 1U);
}

TEST_F(failing_calls, TheRealOnesSayThatADescriptorIsClosed) {
  EXPECT_EQ(eventfd_calls::add_one(-1), -EBADF);
  EXPECT_EQ(eventfd_calls::take(-1), -EBADF);
  const int descriptor = eventfd_calls::open();
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(eventfd_calls::take(descriptor), -EAGAIN);
  EXPECT_EQ(eventfd_calls::wait(descriptor, duration{0}), 0);
  eventfd_calls::close(descriptor);

  EXPECT_EQ(eventfd_calls::wait(descriptor, forever), -EBADF);
}

}  // namespace
}  // namespace pinion::waker
