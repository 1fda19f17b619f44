// SPDX-License-Identifier: Apache-2.0
//
// The fixed share of the differential: so many operations on every backend, and the proof that it finds known
// defects. With arguments of its own it is a program that plays as long as it is told:
//
//   timer_differential                                                     the tests
//   timer_differential --backend deferred_wheel --seed 7 --operations 5000000
//   timer_differential --list                                              their names
//   timer_differential --operations 1000000                                so many on each backend
//   PINION_TEST_SEED=7 timer_differential                                  the tests with other numbers
//
// Seed S plays episodes S, S + 1, …; a difference is printed with the seed of its episode, which alone
// replays it.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "differential.hpp"
#include "historic_wheel.hpp"
#include "listed_test.hpp"
#include "mutants.hpp"

namespace pinion::timer::testing {
namespace {

constexpr std::uint64_t fixed_share = is_checked ? 200'000 : 500'000;

std::string replay(const opponent& against, const finding& f) {
  return f.found.what + "\nreplay: timer_differential --backend " + against.name + " --seed " +
         std::to_string(f.seed) + " --operations " + std::to_string(f.found.operations);
}

class differential : public ::testing::TestWithParam<std::size_t> {};

TEST_P(differential, DoesWhatOrderedMapDoes) {
  const opponent& backend = opponents()[GetParam()];

  const finding f = play_on(backend, seed_from_environment(), fixed_share);

  EXPECT_FALSE(f.found) << replay(backend, f);
  EXPECT_EQ(f.operations, fixed_share);
}

INSTANTIATE_TEST_SUITE_P(backends, differential, ::testing::Range<std::size_t>(0, opponents().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& which) {
                           return opponents()[which.param].name;
                         });

TEST(differential_of_mutants, FindsKnownDefects) {
  for (const char* name :
       {"RoundsDeadlinesDown", "ServesAStallModuloATurn", "ForgetsWhatTheBudgetLeft",
        "SleepsPastADeadlineAtACascade", "RenamesWhatCascades", "CascadesWhatIsDueUpwards"}) {
    const auto known =
        std::ranges::find_if(mutants(), [&](const mutant& m) { return m.factory.name == name; });
    ASSERT_NE(known, mutants().end()) << name;
    const opponent wrong = opponent_of(known->factory);

    const finding f = play_on(wrong, seed_from_environment(), 1'000'000);

    EXPECT_TRUE(f.found) << "a million operations did not show " << name;
    std::cout << name << ", found after " << f.operations
              << " operations: " << f.found.what.substr(0, f.found.what.find('\n')) << '\n';
  }
}

TEST(differential_of_mutants, FindsNothingWhereNothingIsWrong) {
  // Otherwise what is found in a mutant could be the frame's doing.
  const opponent right =
      opponent_of({"historic_wheel", [](const setup& how) { return std::make_unique<historic_wheel>(how); }});

  const finding f = play_on(right, seed_from_environment(), fixed_share);

  EXPECT_FALSE(f.found) << replay(right, f);
}

TEST(differential_of_mutants, ReplaysWhatItFoundFromSeedAndOperations) {
  const opponent wrong =
      opponent_of({"rounds down", [](const setup& how) {
                     return std::make_unique<historic_wheel>(how, defect::rounds_deadlines_down);
                   }});
  const finding first = play_on(wrong, seed_from_environment(), 1'000'000);
  ASSERT_TRUE(first.found);

  const finding again = play_on(wrong, first.seed, first.found.operations);

  EXPECT_EQ(again.found.what, first.found.what);
  EXPECT_EQ(again.operations, first.found.operations);
}

// ---- The program

/// A crash or a broken contract ends the program inside an episode: tell which.
void tell_where(int signal_number) {
  const position& here = where_it_is();
  std::fprintf(stderr, "\nreplay: timer_differential --backend %s --seed %llu --operations %llu\n",
               here.opponent, static_cast<unsigned long long>(here.seed),
               static_cast<unsigned long long>(here.operations));
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

struct order_to_play {
  std::string backend;
  std::uint64_t seed = 1;
  std::uint64_t operations = 1'000'000;
};

int play(const order_to_play& told) {
  std::uint64_t played = 0;
  for (const opponent& backend : opponents()) {
    if (!told.backend.empty() && told.backend != backend.name) continue;
    const finding f = play_on(backend, told.seed, told.operations);
    if (f.found) {
      std::cerr << backend.name << ": " << replay(backend, f) << '\n';
      return 1;
    }
    std::cout << backend.name << ": " << f.operations << " operations from seed " << told.seed << '\n'
              << std::flush;
    ++played;
  }
  if (played == 0) std::cerr << "no backend is called " << told.backend << '\n';
  return played == 0 ? 2 : 0;
}

}  // namespace
}  // namespace pinion::timer::testing

int main(int argc, char** argv) {
  using namespace pinion::timer::testing;
  std::signal(SIGABRT, tell_where);
  std::signal(SIGSEGV, tell_where);
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 1) return RUN_ALL_TESTS();
  if (std::string_view{argv[1]} == "--list") {
    for (const opponent& backend : opponents()) std::cout << backend.name << '\n';
    return 0;
  }
  order_to_play told;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string_view name = argv[k];
    if (name == "--backend") told.backend = argv[k + 1];
    if (name == "--seed") told.seed = std::strtoull(argv[k + 1], nullptr, 10);
    if (name == "--operations") told.operations = std::strtoull(argv[k + 1], nullptr, 10);
  }
  return play(told);
}
