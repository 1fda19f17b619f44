// SPDX-License-Identifier: Apache-2.0
//
// posix_timer_source with the kernel's timers and signals.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>
#include <thread>

#include "real_timers.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration quantum{100'000};

class posix_timer_real_test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = no_timers(); !why.empty()) GTEST_SKIP() << why;
  }
};

void (*disposition_of(int signal))(int) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

TEST_F(posix_timer_real_test, EndsSliceAfterSlice) {
  posix_timer_source source;

  for (int slice = 0; slice < 20; ++slice) {
    begin(source, quantum);
    ASSERT_TRUE(becomes_due(source.word())) << slice;
  }
  source.rest();

  EXPECT_FALSE(source.word().is_due());
}

TEST_F(posix_timer_real_test, EndsTheSlicesOfTwoSourcesOnOneThread) {
  posix_timer_source outer;
  posix_timer_source inner;

  for (int slice = 0; slice < 10; ++slice) {
    begin(outer, quantum);
    begin(inner, duration{quantum.ns / 2});
    ASSERT_TRUE(becomes_due(inner.word())) << slice;
    ASSERT_TRUE(becomes_due(outer.word())) << slice;
  }
}

TEST_F(posix_timer_real_test, EndsSlicesOnEachThreadThatHasASource) {
  std::atomic<int> right{0};
  const auto owner = [&right] {
    posix_timer_source source;
    bool is_right = true;
    for (int slice = 0; slice < 10; ++slice) {
      begin(source, quantum);
      is_right = becomes_due(source.word()) && is_right;
    }
    if (is_right) ++right;
  };

  std::thread one{owner};
  std::thread another{owner};
  one.join();
  another.join();

  EXPECT_EQ(right.load(), 2);
}

// The kernel's own list of this process's timers; empty where it keeps none.
std::string listed_timers() {
  std::ifstream file{"/proc/self/timers"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST_F(posix_timer_real_test, HasOneTimerThatSignalsItsOwnThread) {
  std::string listed;
  std::string expected;

  std::thread{[&] {
    const posix_timer_source source;
    expected = "notify: signal/tid." + std::to_string(::syscall(SYS_gettid)) + "\nClockID: 1\n";
    listed = listed_timers();
  }}.join();
  if (listed.empty()) GTEST_SKIP() << "this kernel does not list timers (CONFIG_CHECKPOINT_RESTORE)";

  EXPECT_NE(listed.find(expected), std::string::npos) << listed;
  EXPECT_EQ(listed.find("\nID: "), std::string::npos) << "more than one: " << listed;
  EXPECT_EQ(listed_timers(), "");
}

TEST_F(posix_timer_real_test, EndsSlicesOfAThreadThatHasAllSignalsBlocked) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int signal = 0;
  {
    posix_timer_source source;
    signal = source.signal();
    begin(source, quantum);
    EXPECT_TRUE(becomes_due(source.word()));
  }
  sigset_t after;

  ::pthread_sigmask(SIG_SETMASK, &before, &after);

  EXPECT_EQ(::sigismember(&after, signal), 1);
}

TEST_F(posix_timer_real_test, GivesTheSignalBackWithTheLastSource) {
  auto first = std::make_unique<posix_timer_source>();
  auto last = std::make_unique<posix_timer_source>();
  const int signal = first->signal();
  EXPECT_NE(disposition_of(signal), SIG_DFL);

  first.reset();
  EXPECT_NE(disposition_of(signal), SIG_DFL);
  last.reset();

  EXPECT_EQ(disposition_of(signal), SIG_DFL);
}

TEST_F(posix_timer_real_test, LeavesAHandlerAloneThatWasSetOverIts) {
  const auto others = [](int) {};
  auto source = std::make_unique<posix_timer_source>();
  const int signal = source->signal();
  ::signal(signal, others);

  source.reset();

  EXPECT_EQ(disposition_of(signal), static_cast<void (*)(int)>(others));
  ::signal(signal, SIG_DFL);
}

// Nobody handles it any more when it is unblocked: by default it would end the process.
TEST_F(posix_timer_real_test, LeavesNoSignalBehindThatIsBlockedAsTheLastSourceEnds) {
  sigset_t one;
  sigset_t pending;
  ::sigemptyset(&one);
  auto source = std::make_unique<posix_timer_source>();
  const int signal = source->signal();
  ::sigaddset(&one, signal);
  ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
  ::pthread_kill(::pthread_self(), signal);
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, signal), 1);

  source.reset();

  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, signal), 0);
  if (::sigismember(&pending, signal) == 0) ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

TEST_F(posix_timer_real_test, KeepsErrnoAndTellsOfAStallOnTheThreadThatStalls) {
  static std::atomic<int> times{0};
  static std::atomic<pthread_t> where{};
  times.store(0);
  const stall_hook hook{.function = [](void*, const stall&) noexcept {
    where.store(::pthread_self());
    errno = EDOM;
    times.fetch_add(1);
  }};
  posix_timer_source source{{.stalls = {.after = quantum, .hook = hook}}};

  begin(source, quantum);
  errno = EXDEV;
  const bool was_told = comes_true([] { return times.load() != 0; });
  const int after = errno;

  EXPECT_TRUE(was_told);
  EXPECT_EQ(after, EXDEV);
  EXPECT_TRUE(::pthread_equal(where.load(), ::pthread_self()));
  EXPECT_TRUE(source.word().is_due());
}

TEST_F(posix_timer_real_test, EndsNoSliceForSignalsThatWereForged) {
  posix_timer_source source;
  begin(source, ceil(std::chrono::hours{1}));

  for (int times = 0; times < 100; ++times) ::pthread_kill(::pthread_self(), source.signal());

  EXPECT_FALSE(source.word().is_due());
}

TEST_F(posix_timer_real_test, SaysSoWhereAllRealTimeSignalsAreTaken) {
  const auto others = [](int) {};
  for (int each = SIGRTMIN; each <= SIGRTMAX; ++each) ::signal(each, others);

  const std::string why = no_timers();

  for (int each = SIGRTMIN; each <= SIGRTMAX; ++each) ::signal(each, SIG_DFL);
  EXPECT_NE(why.find("no free signal"), std::string::npos) << why;
  EXPECT_EQ(no_timers(), "");
}

}  // namespace
}  // namespace pinion::preempt::testing
