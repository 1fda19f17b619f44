// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of sim open with, word for word, and what each claims. Those that need
// another part are in that part's tests.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <pinion/sim.hpp>

namespace pinion {
namespace {

using namespace std::chrono_literals;

constexpr auto seq_cst = std::memory_order_seq_cst;  // with anything less it finds "both are in"
struct flags {
  sim::explored_sync::atomic<int> left{0}, right{0};
  bool saw_none[2]{};
};

TEST(samples, ExploringFlagsThatAreInOneOrderFindsNothing) {
  sim::scenario<flags> dekker;
  dekker.thread("left", [](flags& f) {
    f.left.store(1, seq_cst);
    f.saw_none[0] = f.right.load(seq_cst) == 0;
  });
  dekker.thread("right", [](flags& f) {
    f.right.store(1, seq_cst);
    f.saw_none[1] = f.left.load(seq_cst) == 0;
  });
  dekker.finally([](flags& f) { sim::require(!(f.saw_none[0] && f.saw_none[1]), "both are in"); });
  const sim::exploration found = sim::explore(dekker);
  EXPECT_TRUE(found) << found.report();
  EXPECT_TRUE(found.is_complete);  // or the limits ended the search, and a part was not seen
}

TEST(samples, AWordThatIsExploredIsAnAtomic) {
  using flag =
      sim::explored_sync::atomic<bool>;  // in a test; code that is shipped says typename Sync::template …
  struct state {
    flag is_set{false};
  };
  sim::scenario<state> one;
  one.thread("sets", [](state& s) { s.is_set.store(true, seq_cst); });
  one.finally([](state& s) { sim::require(s.is_set.load(seq_cst), "it is set"); });

  EXPECT_TRUE(sim::explore(one));
}

template <class Clock>
struct my_loop {
  explicit my_loop(Clock clock) : clock_(clock) {}
  [[nodiscard]] instant now() const { return clock_.now(); }

 private:
  Clock clock_;
};

TEST(samples, AVirtualClockDoesWhatRealOnesDoAtTheWorstMoment) {
  const std::uint64_t seed = 7;

  sim::virtual_clock clock{instant{0}};
  my_loop<sim::virtual_clock::view> loop{clock};  // in production my_loop<monotonic_clock>
  clock.advance_by(ceil(30s));                    // time passes
  clock.jump_to(
      instant{std::uint64_t{1} << 36});  // the machine slept; or, to an earlier time, the clock went back
  clock.stand_still(3);                  // the next three readings show no progress
  clock.tick(ceil(2ms), seed);           // from now on, time passes between any two readings
  for (int reading = 0; reading < 3; ++reading) EXPECT_EQ(loop.now(), instant{std::uint64_t{1} << 36});
  const instant before = loop.now();
  for (int reading = 0; reading < 100; ++reading) static_cast<void>(loop.now());

  EXPECT_GT(loop.now(), before);
}

}  // namespace
}  // namespace pinion
