// SPDX-License-Identifier: Apache-2.0
//
// What a child of fork() finds: no thread of the ticker's, and slices that end all the same.
//
// In a program of its own, whose children are made where nothing but the ticker runs.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <pinion/base/diagnostic.hpp>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "real_ticks.hpp"

namespace pinion::preempt::testing {
namespace {

using namespace std::chrono_literals;

constexpr int was_right = 0;
constexpr int was_wrong = 1;
constexpr int cannot = 77;

// What the body, run in a child, says. What it throws ends the child, and runs no other test there.
int in_a_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) [&]() noexcept { ::_exit(body()); }();
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}
int right_if(bool is) { return is ? was_right : was_wrong; }

TEST(TickerForkTest, ASourceOfTheParentsServesTheChildToo) {
  ticker_source source;
  ASSERT_TRUE(is_ended_by(source, duration{}));

  source.rest();
  EXPECT_EQ(
      in_a_child([&] { return right_if(is_ended_by(source, duration{}) && is_ended_by(source, ceil(1ms))); }),
      was_right);

  EXPECT_TRUE(is_ended_by(source, duration{})) << "and its parent as before";
}

TEST(TickerForkTest, AChildThatWasForkedInASliceWithAnEndHasSlicesThatEnd) {
  ticker_source source;
  source.begin(monotonic_clock::now(), monotonic_clock::now() + ceil(1h));

  EXPECT_EQ(in_a_child([&] { return right_if(is_ended_by(source, duration{})); }), was_right);

  EXPECT_TRUE(is_ended_by(source, duration{}));
}

// Those with a source of the parent's find out by a slice that the thread is gone, those with one of their
// own as they make it.
TEST(TickerForkTest, ThreadsOfAChildMayAllBeTheFirst) {
  std::array<ticker_source, 3> sources;
  for (ticker_source& each : sources) ASSERT_TRUE(is_ended_by(each, duration{}));

  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(
        in_a_child([&] {
          std::array<bool, 4> is_ended{};
          std::atomic<std::uint32_t> there{0};
          std::vector<std::jthread> threads;
          for (std::size_t k = 0; k < 4; ++k) {
            threads.emplace_back([&, k] {
              // Relaxed: nothing is handed over. They are to begin as close together as they can.
              for (there.fetch_add(1, std::memory_order_relaxed); there.load(std::memory_order_relaxed) < 4;)
                std_sync::pause();
              if (k < sources.size()) {
                is_ended[k] = is_ended_by(sources[k], duration{});
              } else {
                ticker_source own;
                is_ended[k] = is_ended_by(own, duration{});
              }
            });
          }
          threads.clear();
          return right_if(is_ended == std::array{true, true, true, true} && ticker_threads().size() == 1);
        }),
        was_right);
  }
}

TEST(TickerForkTest, AGrandchildIsServed) {
  ticker_source source;
  ASSERT_TRUE(is_ended_by(source, duration{}));

  EXPECT_EQ(in_a_child([&] {
              if (!is_ended_by(source, duration{})) return was_wrong;
              return in_a_child([&] { return right_if(is_ended_by(source, duration{})); });
            }),
            was_right);
}

TEST(TickerForkTest, AChildMayEndWhatItWasGiven) {
  auto mine = std::make_unique<ticker>();
  auto source = std::make_unique<ticker_source>(*mine);
  ASSERT_TRUE(is_ended_by(*source, duration{}));

  EXPECT_EQ(in_a_child([&] {
              source.reset();
              mine.reset();
              ticker_source another;
              return right_if(is_ended_by(another, duration{}));
            }),
            was_right);

  EXPECT_TRUE(is_ended_by(*source, duration{}));
}

TEST(TickerForkTest, AForkFindsTheTickerWholeWhateverOthersDoToIt) {
  ticker mine{{.resolution = ceil(10us)}};
  ticker_source source{mine};
  ASSERT_TRUE(is_ended_by(source, duration{}));
  std::jthread comes_and_goes{[&mine](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      ticker_source another{mine};
      another.begin(monotonic_clock::now(), monotonic_clock::now());
    }
  }};

  for (int k = 0; k < 20; ++k)
    EXPECT_EQ(in_a_child([&] { return right_if(is_ended_by(source, duration{})); }), was_right);
}

// Counts what it is told, and then does not return until it is let go.
struct blocked_hook {
  std::atomic<int> told{0};
  std::latch let_go{1};
  stall_hook hook() {
    return {.function =
                [](void* self, const stall&) noexcept {
                  auto& mine = *static_cast<blocked_hook*>(self);
                  mine.told.fetch_add(1, std::memory_order_relaxed);
                  mine.let_go.wait();
                },
            .context = this};
  }
  [[nodiscard]] int count() const { return told.load(std::memory_order_relaxed); }
};

TEST(TickerForkTest, AChildThatIsMadeWhileAHookRunsDoesWithoutItAndTellsOfItsOwnStalls) {
  blocked_hook blocked;
  ticker mine;
  auto source =
      std::make_unique<ticker_source>(mine, stall_watch{.after = duration{}, .hook = blocked.hook()});
  source->begin(monotonic_clock::now(), monotonic_clock::now());
  ASSERT_TRUE(comes_true([&] { return blocked.count() == 1; }));

  EXPECT_EQ(in_a_child([&] {
              source.reset();
              ticker_source own{mine, {.after = duration{}, .hook = blocked.hook()}};
              own.begin(monotonic_clock::now(), monotonic_clock::now());
              const bool is_told = comes_true([&] { return blocked.count() == 2; });
              blocked.let_go.count_down();
              return right_if(is_told);
            }),
            was_right);
  blocked.let_go.count_down();

  EXPECT_TRUE(is_ended_by(*source, duration{}));
}

TEST(TickerForkTest, ASourceOfTheParentsTellsOfStallsInTheChildToo) {
  blocked_hook told;
  told.let_go.count_down();
  ticker mine;
  ticker_source source{mine, {.after = duration{}, .hook = told.hook()}};
  EXPECT_EQ(in_a_child([&] {
              source.begin(monotonic_clock::now(), monotonic_clock::now());
              return right_if(comes_true([&] { return told.count() != 0; }));
            }),
            was_right);
}

TEST(TickerForkTest, AHookMayForkAChildThatExits) {
  struct forking {
    std::atomic<int> said{-2};
  } hook;
  ticker mine;
  ticker_source source{mine,
                       {.after = duration{},
                        .hook = {.function =
                                     [](void* self, const stall&) noexcept {
                                       static_cast<forking*>(self)->said.store(
                                           in_a_child([] { return was_right; }), std::memory_order_relaxed);
                                     },
                                 .context = &hook}}};

  source.begin(monotonic_clock::now(), monotonic_clock::now());

  EXPECT_TRUE(comes_true([&] { return hook.said.load(std::memory_order_relaxed) == was_right; }));
}

// Sources of static duration end after main(), in an order that nobody chose.
TEST(TickerForkTest, OfTheProcessOutlivesWhatIsStatic) {
  EXPECT_EQ(in_a_child([] {
              static ticker_source source;
              if (!is_ended_by(source, duration{})) return was_wrong;
              source.begin(monotonic_clock::now(), monotonic_clock::now() + ceil(1h));
              std::exit(was_right);
            }),
            was_right);
}

// A limit on threads doesn't bind root, so root becomes somebody else first.
bool allow_no_more_threads() {
  constexpr rlimit none{.rlim_cur = 1, .rlim_max = 1};
  constexpr uid_t nobody = 65534;
  return ::setrlimit(RLIMIT_NPROC, &none) == 0 &&
         (::geteuid() != 0 || ::setresuid(nobody, nobody, nobody) == 0);
}

TEST(TickerForkTest, WhereThereCanBeNoThreadASourceSaysSoInWords) {
  const int said = in_a_child([] {
    if (!allow_no_more_threads()) return cannot;
    ticker mine;
    try {
      const ticker_source source{mine};
      return was_wrong;
    } catch (const std::system_error& why) {
      return right_if(std::string{why.what()}.find("tsc_budget") != std::string::npos &&
                      why.code() == std::errc::resource_unavailable_try_again);
    }
  });
  if (said == cannot) GTEST_SKIP() << "this user can't be limited to no more threads";

  EXPECT_EQ(said, was_right);
}

TEST(TickerForkTest, WhereThereCanBeNoThreadForStallsASourceThatWatchesForNoneIsMade) {
  const int said = in_a_child([] {
    ticker mine;
    const ticker_source first{mine};
    if (!allow_no_more_threads()) return cannot;
    try {
      const ticker_source watching{mine, {.hook = {.function = [](void*, const stall&) noexcept {}}}};
      return was_wrong;
    } catch (const std::system_error& why) {
      if (std::string{why.what()}.find("tells of stalls") == std::string::npos) return was_wrong;
    }
    ticker_source second{mine};
    return right_if(is_ended_by(second, duration{}));
  });
  if (said == cannot) GTEST_SKIP() << "this user can't be limited to no more threads";

  EXPECT_EQ(said, was_right);
}

std::atomic<int> reports{0};

TEST(TickerForkTest, AChildWithoutAThreadIsToldOnceAndRunsOn) {
  ticker_source source;
  ASSERT_TRUE(is_ended_by(source, duration{}));

  const int said = in_a_child([&] {
    if (!allow_no_more_threads()) return cannot;
    set_diagnostic_sink([](const diagnostic&) noexcept { reports.fetch_add(1, std::memory_order_relaxed); });
    for (int slice = 0; slice < 5; ++slice) source.begin(monotonic_clock::now(), monotonic_clock::now());
    return right_if(reports.load(std::memory_order_relaxed) == 1 && !source.word().is_due());
  });
  if (said == cannot) GTEST_SKIP() << "this user can't be limited to no more threads";

  EXPECT_EQ(said, was_right);
}

}  // namespace
}  // namespace pinion::preempt::testing
