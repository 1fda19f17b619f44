// SPDX-License-Identifier: Apache-2.0
//
// call_on_signal: what a signal calls, and from where.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <thread>

namespace pinion::waker {
namespace {

using channel_type = wake_channel<tagged_inbox, eventfd_notifier>;

struct CallOnSignalTest : ::testing::Test {
  channel_type channel;
  int calls = 0;
  callback<> counts{.function = [](void* to) noexcept { ++*static_cast<int*>(to); }, .context = &calls};
};

TEST(CallOnSignalSampleTest, ASignalRequestsASlot) {
  channel_type channel;
  cancel_slot shutdown;

  constexpr auto stop = [](void* slot) noexcept { static_cast<cancel_slot*>(slot)->request(); };
  call_on_signal on_term{channel, SIGTERM, {.function = stop, .context = &shutdown}};
  ASSERT_EQ(::raise(SIGTERM), 0);
  EXPECT_FALSE(shutdown.is_requested()) << "not in the handler";

  channel.drain(call_wakes);  // the owner's turn: here it is called
  EXPECT_TRUE(shutdown.is_requested());
}

TEST_F(CallOnSignalTest, SignalsBeforeADrainAreOneCallAndThoseBehindItAnother) {
  const call_on_signal on_usr1{channel, SIGUSR1, counts};
  ASSERT_EQ(::raise(SIGUSR1), 0);
  ASSERT_EQ(::raise(SIGUSR1), 0);

  EXPECT_EQ(channel.drain(call_wakes), 1U);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(::raise(SIGUSR1), 0);
  channel.drain(call_wakes);
  EXPECT_EQ(calls, 2);
}

TEST_F(CallOnSignalTest, ASignalEndsTheOwnersWait) {
  const call_on_signal on_usr1{channel, SIGUSR1, counts};
  std::thread other{[] { ::raise(SIGUSR1); }};

  const instant end = monotonic_clock::now() + duration{10'000'000'000};
  while (calls == 0 && monotonic_clock::now() < end) {
    if (channel.drain(call_wakes) == 0 && channel.try_arm()) channel.notifier().wait(end);
  }

  other.join();
  EXPECT_EQ(calls, 1);
}

TEST_F(CallOnSignalTest, WhatIsOnItsWayWhenItGoesCallsNothing) {
  {
    const call_on_signal on_usr1{channel, SIGUSR1, counts};
    ASSERT_EQ(::raise(SIGUSR1), 0);
  }
  EXPECT_EQ(channel.drain(call_wakes), 1U);
  EXPECT_EQ(calls, 0);
}

TEST_F(CallOnSignalTest, InAChildOfForkTheSignalDoesWhatItDoesByDefault) {
  auto inherited = std::make_unique<call_on_signal<channel_type>>(channel, SIGUSR1, counts);
  const ::pid_t child = ::fork();
  if (child == 0) {
    int told = 0;
    const callback<> here{.function = [](void* to) noexcept { ++*static_cast<int*>(to); }, .context = &told};
    {
      channel_type own;
      const call_on_signal another{own, SIGUSR1, here};
      inherited.reset();  // takes nothing away from that one
      ::raise(SIGUSR1);
      own.drain(call_wakes);
    }
    if (told == 1 && calls == 0) ::raise(SIGUSR1);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1) << status;
  ASSERT_EQ(::raise(SIGUSR1), 0);
  channel.drain(call_wakes);
  EXPECT_EQ(calls, 1) << "the parent's is as it was";
}

TEST_F(CallOnSignalTest, ItGoesWhileSignalsCome) {
  // By default these are ignored.
  std::atomic<bool> enough{false};
  std::thread other{[&] {
    while (!enough.load()) ::raise(SIGWINCH);  // its handler runs here
  }};
  for (int round = 0; round != 3000; ++round) {
    const call_on_signal on_winch{channel, SIGWINCH, counts};
    channel.drain(call_wakes);
  }
  enough.store(true);
  other.join();

  channel.drain(call_wakes);
  EXPECT_GE(calls, 0);
  EXPECT_EQ(std::signal(SIGWINCH, SIG_DFL), SIG_DFL) << "as before";
}

struct slow : signal_detail::told {
  slow() : told{[](told& self) noexcept { static_cast<slow&>(self).runs(); }} {}
  void runs() noexcept {
    has_entered.store(true);
    while (!is_ending.load()) std_sync::pause();
    for (int k = 0; k != 10'000; ++k) std_sync::yield();
    has_left.store(true);
  }
  std::atomic<bool> has_entered{false}, is_ending{false}, has_left{false};
};

TEST(CallOnSignalEndTest, WaitsForAHandlerThatRuns) {
  slow who;
  signal_detail::begin(SIGWINCH, who);
  std::thread other{[] { ::raise(SIGWINCH); }};
  while (!who.has_entered.load()) std_sync::yield();

  who.is_ending.store(true);
  signal_detail::end(SIGWINCH, who);

  EXPECT_TRUE(who.has_left.load());
  other.join();
}

std::string refused(channel_type& channel, int signal, std::error_code& code) {
  try {
    const call_on_signal never{channel, signal, {}};
  } catch (const std::system_error& error) {
    code = error.code();
    return error.what();
  }
  return {};
}

TEST_F(CallOnSignalTest, WhatCanNotBeHandledIsRefused) {
  std::error_code code;
  const call_on_signal first{channel, SIGUSR2, counts};

  EXPECT_NE(refused(channel, SIGUSR2, code).find("handles or ignores it already"), std::string::npos);
  EXPECT_EQ(code, std::errc::device_or_resource_busy);
  EXPECT_NE(refused(channel, SIGKILL, code).find("a call_on_signal of signal 9"), std::string::npos);
  EXPECT_EQ(code, std::errc::invalid_argument);
  EXPECT_NE(refused(channel, 0, code).find("no such signal"), std::string::npos);
  EXPECT_NE(refused(channel, 65, code).find("no such signal"), std::string::npos);
  ASSERT_EQ(::raise(SIGUSR2), 0);
  channel.drain(call_wakes);
  EXPECT_EQ(calls, 1) << "the first is there still";
}

}  // namespace
}  // namespace pinion::waker
