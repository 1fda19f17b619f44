// SPDX-License-Identifier: Apache-2.0
//
// Executors that come and go under random loads: each task ends once (law E1), nothing is left, and none
// parks for ever though another thread has woken it. PINION_TEST_EXECUTORS says how many, PINION_TEST_BURNERS
// how many threads do nothing but keep processors busy meanwhile; what fails prints its seed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pinion/scheduler.hpp>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sanitized.hpp"

namespace pinion::scheduler {
namespace {

using namespace std::chrono_literals;
using the_executor = scheduler::executor;

std::uint64_t knob(const char* name, std::uint64_t usual) {
  const char* const given = std::getenv(name);
  return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}
std::uint64_t executors(std::uint64_t usual) { return knob("PINION_TEST_EXECUTORS", usual); }

// A loaded machine, as long as it lives.
class burners {
 public:
  burners() {
    for (std::uint64_t k = knob("PINION_TEST_BURNERS", 0); k != 0; --k)
      threads_.emplace_back([](const std::stop_token& end) {
        while (!end.stop_requested()) {
        }
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

std::uint64_t pages_of_this_process() {
  std::uint64_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  return pages;
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all{"/proc/self/fd"};
  return std::distance(begin(all), end(all));
}

// What ran, and what ended; a frame that is destroyed anywhere is one that ended.
struct account {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
};
class counted {
 public:
  explicit counted(account& in) : in_(&in) { ++in.begun; }
  counted(counted&& other) noexcept : in_(std::exchange(other.in_, nullptr)) {}
  counted& operator=(counted&&) = delete;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() {
    if (in_ != nullptr) ++in_->ended;
  }

 private:
  account* in_;
};

struct world {
  account all;
  std::mt19937_64 random;
  event shared;
  semaphore units{2};
  channel<std::uint64_t, 4> values;

  std::chrono::nanoseconds some_time() { return std::chrono::nanoseconds{random() % 2'000'000}; }
};

// Waits for something again and again, and spawns others that do, so many levels deep.
task<> lives(world& in, counted /*is*/, int depth) {
  std::vector<join_handle<>> others;
  for (int step = 0; step != 4; ++step) {
    switch (in.random() % 9) {
    case 0: co_await sleep_for(in.some_time()); break;
    case 1: co_await yield(); break;
    case 2:
      if (depth != 0) others.push_back(spawn(lives(in, counted{in.all}, depth - 1)));
      break;
    case 3:
      if (depth != 0) co_await with_timeout(in.some_time(), lives(in, counted{in.all}, depth - 1));
      break;
    case 4: {
      const auto units = co_await with_timeout(1ms, in.units.hold(1));
      co_await yield();
      break;
    }
    case 5: static_cast<void>(co_await with_timeout(100us, in.values.send(in.random()))); break;
    case 6: static_cast<void>(co_await with_timeout(100us, in.values.receive())); break;
    case 7:
      if (!others.empty()) others.back().cancel();
      break;
    default: {
      task_group group;
      if (depth != 0) {
        group.spawn(lives(in, counted{in.all}, depth - 1));
        group.spawn(lives(in, counted{in.all}, depth - 1));
      }
      if (in.random() % 2 == 0) group.cancel();
      co_await group.join();
    }
    }
  }
  while (!others.empty()) {
    if (in.random() % 2 == 0) co_await others.back();
    others.pop_back();
  }
}

TEST(executor_soak, EachTaskEndsOnceWheneverTheExecutorEnds) {
  const std::ptrdiff_t descriptors = open_descriptors();
  for (std::uint64_t seed = 1, count = executors(testing::is_sanitized ? 30 : 200); seed <= count; ++seed) {
    world in;
    in.random.seed(seed);
    {
      the_executor loop;
      for (int k = 0; k != 100; ++k) loop.spawn(lives(in, counted{in.all}, 3)).detach();
      const std::uint64_t rounds = in.random() % 100;
      std::uint64_t round = 0;
      if (rounds != 99)
        loop.run_until([&] { return round++ == rounds || loop.empty(); });
      else
        loop.run();
    }
    ASSERT_EQ(in.all.begun, in.all.ended) << "seed " << seed;
    ASSERT_GE(in.all.begun, 100U);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

// Ends it in the middle of ten thousand tasks that wait.
void loads_and_ends() {
  the_executor loop;
  for (int k = 0; k != 10'000; ++k)
    loop.spawn([]() -> task<> { static_cast<void>(co_await sleep_for(1h)); }()).detach();
  loop.run([]() -> task<> { static_cast<void>(co_await sleep_for(1ms)); }());  // as last: all others wait
  EXPECT_EQ(loop.size(), 10'000U);
}

TEST(executor_soak, LeaveNoDescriptorAndNoByte) {
  if (testing::is_sanitized) GTEST_SKIP() << "a sanitizer keeps what was freed, and looks for leaks itself";
  const burners load;
  for (int k = 0; k != 3; ++k) loads_and_ends();
  const std::ptrdiff_t descriptors = open_descriptors();
  const std::uint64_t pages = pages_of_this_process();

  for (std::uint64_t k = 0, count = executors(20); k != count; ++k) loads_and_ends();

  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_LE(pages_of_this_process(), pages + 16) << "one executor's tasks are some thousand pages";
}

TEST(executor_soak, NoneParksForEver) {
  const burners load;
  std::atomic<std::uint64_t> heard{0};
  std::atomic<bool> is_over{false};
  std::jthread watch{[&] {
    std::uint64_t seen = 0;
    for (int still = 0; !is_over.load() && still != 600; ++still) {
      std::this_thread::sleep_for(100ms);
      if (seen != heard.load()) still = 0;
      seen = heard.load();
    }
    if (!is_over.load()) {
      std::fprintf(stderr, "an executor parked for a minute after %llu wakes\n",
                   static_cast<unsigned long long>(seen));
      std::abort();
    }
  }};
  constexpr int wakes = 20;
  for (std::uint64_t k = 0, count = executors(testing::is_sanitized ? 50 : 500); k != count; ++k) {
    the_executor loop;
    waker::wake_event event{loop.channel()};
    std::atomic<int> next{0};
    std::jthread other{[&event, &next, sender = loop.channel().sender()] {
      for (int sent = 0; sent != wakes; ++sent) {
        next.wait(sent - 1, std::memory_order_acquire);
        sender.push(event);
      }
    }};
    const auto hears = [](auto& by, std::atomic<int>& told, std::atomic<std::uint64_t>& in_all) -> task<int> {
      int count_here = 0;
      while (count_here != wakes) {
        co_await by.wait();
        in_all.fetch_add(1, std::memory_order_relaxed);
        told.store(++count_here, std::memory_order_release);
        told.notify_one();
      }
      co_return count_here;
    };
    ASSERT_EQ(loop.run(hears(event, next, heard)), wakes);
  }
  is_over.store(true);
}

}  // namespace
}  // namespace pinion::scheduler
