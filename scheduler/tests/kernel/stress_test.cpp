// SPDX-License-Identifier: Apache-2.0
//
// Owners on threads of their own, more than there are cores, with engines that come and go (world.hpp):
// nothing that was sent, armed or asked is lost, and nothing stands still.
//
// PINION_TEST_SECONDS says for how long in all, PINION_TEST_SEED begins with that one; what fails prints its
// own.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <pinion/base/diagnostic.hpp>
#include <pinion/config.hpp>
#include <string>

#include "sanitized.hpp"
#include "watchdog.hpp"
#include "world.hpp"

namespace pinion::scheduler::testing {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// A quarter of a minute under a sanitizer, half of one in a checked build that counts nothing; else it is
// only tried.
std::uint64_t seconds() {
  const std::uint64_t usual = pinion::testing::is_sanitized ? 15 : is_checked && !is_counted ? 30 : 3;
  return number_of("PINION_TEST_SECONDS", usual);
}

std::uint64_t first_seed() {
  static const std::uint64_t seed =
      number_of("PINION_TEST_SEED",
                static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  return seed;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// All ways, or some: then nothing else ends the waits for these.
world_options drawn(std::uint64_t seed, std::size_t owners) {
  dice numbers{seed};
  world_options options{.seed = seed, .owners = owners};
  options.tokens = 1 + numbers.below(static_cast<std::uint32_t>(owners) << numbers.below(8));
  options.moves = 100 + numbers.below(static_cast<std::uint32_t>(4'000 * owners));
  options.ways_allowed = (1U << ways) - 1;
  if (numbers.one_in(2)) options.ways_allowed &= static_cast<std::uint32_t>(numbers.draw());
  if (numbers.one_in(4)) options.ways_allowed &= static_cast<std::uint32_t>(numbers.draw() & numbers.draw());
  if (numbers.one_in(4)) options.fails_one_in = 64;
  return options;
}

class StressTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    set_diagnostic_sink([](const diagnostic&) noexcept {});
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }
};

TEST_P(StressTest, NothingIsLostBetweenOwnersOfEnginesThatComeAndGo) {
  std::mutex mutex;
  const world* playing = nullptr;
  watchdog watched{std::chrono::seconds{60}, [&] {
                     const std::lock_guard lock{mutex};
                     return playing != nullptr ? playing->state() : std::string{"between two"};
                   }};
  const instant end = monotonic_clock::now() + ceil(std::chrono::seconds{seconds()} / 3);
  std::uint64_t seed = first_seed(), episodes = 0;
  std::array<std::uint64_t, ways> gone{};
  std::string wrong;
  do {
    const std::size_t descriptors = open_descriptors();
    {
      world one{drawn(seed, GetParam()), watched};
      const auto shown = [&](const world* now) {
        const std::lock_guard lock{mutex};
        playing = now;
      };
      shown(&one);
      wrong = one.play();
      shown(nullptr);
      for (std::size_t how = 0; how != ways; ++how) gone[how] += one.gone()[how];
      if (!wrong.empty()) wrong += one.state();
    }
    if (open_descriptors() != descriptors) wrong += "descriptors stay open";
    ++seed, ++episodes;
  } while (wrong.empty() && monotonic_clock::now() < end);

  std::printf("%llu episodes from seed %llu on:", static_cast<unsigned long long>(episodes),
              static_cast<unsigned long long>(first_seed()));
  for (std::size_t how = 0; how != ways; ++how)
    std::printf(" %llu %s%s", static_cast<unsigned long long>(gone[how]), to_string(static_cast<way>(how)),
                how + 1 == ways ? "\n" : ";");
  EXPECT_EQ(wrong, "") << "PINION_TEST_SEED=" << seed - 1;
}

INSTANTIATE_TEST_SUITE_P(Owners, StressTest, ::testing::Values(2, 4, 8), ::testing::PrintToStringParamName{});

}  // namespace
}  // namespace pinion::scheduler::testing
