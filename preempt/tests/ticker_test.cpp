// SPDX-License-Identifier: Apache-2.0
//
// The ticker's thread itself. When slices are over is measured nowhere here: the laws and the board's tests
// do that in virtual time.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "real_ticks.hpp"

namespace pinion::preempt::testing {
namespace {

using namespace std::chrono_literals;

TEST(TickerTest, EndsSlicesAndNoneBeforeItsTime) {
  ticker mine;
  ticker_source source{mine};

  for (const duration length : {duration{}, duration{1'000}, ceil(200us), ceil(3ms)}) {
    const instant until = monotonic_clock::now() + length;
    source.begin(monotonic_clock::now(), until);
    ASSERT_TRUE(comes_true([&] { return source.word().is_due(); }));
    EXPECT_GE(monotonic_clock::now(), until);
  }
}

TEST(TickerTest, ServesManySourcesWithOneThread) {
  const std::size_t before = ticker_threads().size();
  ticker mine;
  std::deque<ticker_source> sources;
  for (int k = 0; k < 50; ++k) sources.emplace_back(mine);

  for (ticker_source& each : sources)
    each.begin(monotonic_clock::now(), monotonic_clock::now() + ceil(500us));

  for (ticker_source& each : sources) EXPECT_TRUE(comes_true([&] { return each.word().is_due(); }));
  EXPECT_EQ(ticker_threads().size(), before + 1);
}

TEST(TickerTest, HasNoThreadUntilASourceIsMadeAndNoneWhenItIsGone) {
  const std::size_t before = ticker_threads().size();
  {
    ticker mine;
    EXPECT_EQ(ticker_threads().size(), before);
    ticker_source source{mine};
    EXPECT_TRUE(is_ended_by(source, duration{}));
    EXPECT_EQ(ticker_threads().size(), before + 1);
  }
  // A thread that was joined may stand in the list for a moment more.
  EXPECT_TRUE(comes_true([&] { return ticker_threads().size() == before; }));
}

// What the kernel says of a thread, after that word.
std::string said_of(const std::filesystem::path& file, const std::string& word) {
  std::ifstream text{file};
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(word)) return line.substr(line.find_first_not_of(" \t", word.size()));
  return {};
}

TEST(TickerTest, ItsThreadTakesNoSignalOfTheProgramsAndWakesWhenItAskedTo) {
  ticker mine;
  ticker_source source{mine};
  ASSERT_TRUE(is_ended_by(source, duration{}));

  for (const std::filesystem::path& thread : ticker_threads()) {
    // All but those that can't be blocked, and the C library's two.
    const std::uint64_t blocked = std::stoull(said_of(thread / "status", "SigBlk:"), nullptr, 16);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGRTMIN, SIGRTMAX})
      EXPECT_NE(blocked >> (signal - 1) & 1U, 0U) << "signal " << signal;
    EXPECT_EQ(said_of("/proc" / thread.filename() / "timerslack_ns", ""), "1");
  }
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_FALSE(sigismember(&mask, SIGUSR1)) << "and who made it takes them as before";
}

TEST(TickerTest, OfAProcessIsOneAndServesWhoNamesNone) {
  ticker_source source;

  EXPECT_TRUE(is_ended_by(source, duration{}));
  EXPECT_EQ(&ticker::shared(), &ticker::shared());
  EXPECT_EQ(ticker::shared().options().resolution, ticker_options{}.resolution);
}

TEST(TickerTest, MayGoWhereverItIs) {
  for (int round = 0; round < 30; ++round) {
    ticker mine{{.resolution = ceil(50us)}};
    const auto source = std::make_unique<ticker_source>(mine);
    // While its thread begins; while it waits for a slice; in a slice that is over; at rest.
    if (round % 4 == 1) source->begin(monotonic_clock::now(), monotonic_clock::now() + ceil(1h));
    if (round % 4 == 2) {
      EXPECT_TRUE(is_ended_by(*source, duration{}));
    }
    if (round % 4 == 3) source->rest();
  }
}

TEST(TickerTest, MayLoseASourceWhoseSliceHasAnEnd) {
  ticker mine{{.resolution = ceil(20us)}};
  ticker_source stays{mine};

  for (int round = 0; round < 200; ++round) {
    auto goes = std::make_unique<ticker_source>(mine);
    goes->begin(monotonic_clock::now(), monotonic_clock::now() + ceil(20us));
    if (round % 2 == 0) stays.begin(monotonic_clock::now(), monotonic_clock::now());
    goes.reset();
  }

  EXPECT_TRUE(is_ended_by(stays, duration{}));
}

TEST(TickerTest, LooksAfterASliceThatBeganBefore) {
  ticker mine;
  ticker_source keeps_it_running{mine};
  ASSERT_TRUE(is_ended_by(keeps_it_running, duration{}));
  keeps_it_running.rest();
  ASSERT_TRUE(time_passes(3));
  ticked_slice slice;
  slice.begin(monotonic_clock::now());

  mine.add(slice);

  EXPECT_TRUE(comes_true([&] { return slice.word().is_due(); }));
  mine.remove(slice);
}

TEST(TickerTest, SleepsWhileAllRest) {
  ticker mine;
  ticker_source one{mine}, other{mine};
  ASSERT_TRUE(is_ended_by(one, duration{}) && is_ended_by(other, duration{}));
  const std::uint64_t before = mine.wakes();
  ASSERT_TRUE(time_passes(3));
  EXPECT_GT(mine.wakes(), before) << "it ticks as long as slices have ends";

  one.rest();
  other.rest();
  ASSERT_TRUE(time_passes(20));
  const std::uint64_t at_rest = mine.wakes();
  ASSERT_TRUE(time_passes(20));

  EXPECT_EQ(mine.wakes(), at_rest);
  EXPECT_TRUE(is_ended_by(one, duration{})) << "and begins again";
}

// Counts what it is told.
struct listener {
  std::atomic<int> told{0};
  std::atomic<const void*> who{nullptr};
  std::atomic<std::thread::id> on{};
  stall_hook hook() {
    return {.function =
                [](void* self, const stall& seen) noexcept {
                  auto& mine = *static_cast<listener*>(self);
                  mine.who.store(seen.who, std::memory_order_relaxed);
                  mine.on.store(std::this_thread::get_id(), std::memory_order_relaxed);
                  // Releases what stands above to who sees the count.
                  mine.told.fetch_add(1, std::memory_order_release);
                },
            .context = this};
  }
  [[nodiscard]] int count() const { return told.load(std::memory_order_acquire); }
};

TEST(TickerTest, TellsOfAStallOnItsOwnThreadOnceForEachSlice) {
  listener heard;
  ticker mine{{.resolution = ceil(100us)}};
  ticker_source source{mine, {.after = ceil(500us), .hook = heard.hook()}};

  for (int slice = 1; slice <= 3; ++slice) {
    source.begin(monotonic_clock::now(), monotonic_clock::now());
    ASSERT_TRUE(comes_true([&] { return heard.count() == slice; }));
    ASSERT_TRUE(time_passes(3));
    EXPECT_EQ(heard.count(), slice);
  }

  EXPECT_EQ(heard.who.load(std::memory_order_relaxed), &source);
  EXPECT_NE(heard.on.load(std::memory_order_relaxed), std::this_thread::get_id());
}

// A hook that doesn't return until it is let go.
struct blocked_hook {
  std::atomic<bool> is_called{false};
  std::latch let_go{1};
  stall_hook hook() {
    return {.function =
                [](void* self, const stall&) noexcept {
                  auto& mine = *static_cast<blocked_hook*>(self);
                  mine.is_called.store(true, std::memory_order_relaxed);
                  mine.let_go.wait();
                },
            .context = this};
  }
};

TEST(TickerTest, EndsTheSlicesOfAllWhileAStallsHookBlocks) {
  blocked_hook blocked;
  ticker mine;
  ticker_source stalls{mine, {.after = duration{}, .hook = blocked.hook()}};
  ticker_source other{mine};
  stalls.begin(monotonic_clock::now(), monotonic_clock::now());
  ASSERT_TRUE(comes_true([&] { return blocked.is_called.load(std::memory_order_relaxed); }));

  const bool is_ended = is_ended_by(other, ceil(1ms)) && is_ended_by(stalls, ceil(1ms));
  blocked.let_go.count_down();

  EXPECT_TRUE(is_ended);
}

TEST(TickerTest, OfASourceThatGoesTheHookHasReturned) {
  struct slow {
    std::atomic<bool> is_called{false};
    bool has_returned = false;
  } hook;
  ticker mine;
  auto source = std::make_unique<ticker_source>(
      mine, stall_watch{.after = duration{},
                        .hook = {.function =
                                     [](void* self, const stall&) noexcept {
                                       static_cast<slow*>(self)->is_called.store(true,
                                                                                 std::memory_order_relaxed);
                                       time_passes(5);
                                       static_cast<slow*>(self)->has_returned = true;
                                     },
                                 .context = &hook}});
  source->begin(monotonic_clock::now(), monotonic_clock::now());
  ASSERT_TRUE(comes_true([&] { return hook.is_called.load(std::memory_order_relaxed); }));

  source.reset();

  EXPECT_TRUE(hook.has_returned);
}

TEST(TickerTest, SourcesComeAndGoWhileTheHookOfAnotherBlocks) {
  blocked_hook blocked;
  listener heard;
  ticker mine;
  ticker_source stalls{mine, {.after = duration{}, .hook = blocked.hook()}};
  stalls.begin(monotonic_clock::now(), monotonic_clock::now());
  ASSERT_TRUE(comes_true([&] { return blocked.is_called.load(std::memory_order_relaxed); }));

  for (int round = 0; round < 3; ++round) {
    ticker_source another{mine, {.after = duration{}, .hook = heard.hook()}};
    EXPECT_TRUE(is_ended_by(another, duration{}));
    EXPECT_TRUE(time_passes(2)) << "its stall is seen, and goes with it";
  }
  EXPECT_EQ(heard.count(), 0);
  ticker_source stays{mine, {.after = duration{}, .hook = heard.hook()}};
  stays.begin(monotonic_clock::now(), monotonic_clock::now());
  blocked.let_go.count_down();

  EXPECT_TRUE(comes_true([&] { return heard.count() == 1; }));
  EXPECT_EQ(heard.who.load(std::memory_order_relaxed), &stays);
}

TEST(TickerTest, AHookMayMakeAndEndSourcesItsOwnToo) {
  struct owner {
    ticker mine;
    std::unique_ptr<ticker_source> source;
    std::unique_ptr<ticker_source> made;
    std::latch has_begun{1};
    std::latch is_done{1};
  } of;
  const stall_hook hook{.function =
                            [](void* self, const stall&) noexcept {
                              auto& its = *static_cast<owner*>(self);
                              its.has_begun.wait();  // a source doesn't end in the middle of begin()
                              its.made = std::make_unique<ticker_source>(its.mine);
                              its.source.reset();
                              its.is_done.count_down();
                            },
                        .context = &of};
  of.source = std::make_unique<ticker_source>(of.mine, stall_watch{.after = duration{}, .hook = hook});
  of.source->begin(monotonic_clock::now(), monotonic_clock::now());
  of.has_begun.count_down();

  ASSERT_TRUE(comes_true([&] { return of.is_done.try_wait(); }));

  EXPECT_TRUE(is_ended_by(*of.made, duration{}));
}

TEST(TickerTest, RefusesAResolutionOutOfRangeInWords) {
  for (const duration refused : {duration{}, duration{9'999}, duration{1'000'000'001}, forever, ceil(-1ms)}) {
    try {
      const ticker made{{.resolution = refused}};
      ADD_FAILURE() << refused.ns << " ns was taken";
    } catch (const std::system_error& why) {
      EXPECT_EQ(why.code(), std::errc::invalid_argument);
      EXPECT_NE(std::string{why.what()}.find("10 us to 1 s"), std::string::npos) << why.what();
    }
  }
  EXPECT_NO_THROW(ticker({.resolution = duration{10'000}}));
  EXPECT_NO_THROW(ticker({.resolution = duration{1'000'000'000}}));
}

// Owners on threads of their own, which begin, rest, come and go as they like. For ThreadSanitizer; and
// whoever isn't served fails.
TEST(TickerTest, ServesOwnersOnManyThreads) {
  ticker mine{{.resolution = ceil(20us)}};
  std::atomic<int> unserved{0};
  {
    std::vector<std::jthread> owners;
    for (int owner = 0; owner < 4; ++owner) {
      owners.emplace_back([&mine, &unserved, owner] {
        for (int round = 0; round < 5; ++round) {
          ticker_source source{mine};
          for (int slice = 0; slice < 20; ++slice) {
            if (!is_ended_by(source, duration{static_cast<std::uint64_t>(owner) * 7'000}))
              unserved.fetch_add(1, std::memory_order_relaxed);
            if ((slice + owner) % 3 == 0) source.rest();
          }
        }
      });
    }
  }

  EXPECT_EQ(unserved.load(std::memory_order_relaxed), 0);
}

}  // namespace
}  // namespace pinion::preempt::testing
