// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of timer's stores open with, word for word, and what each claims.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pinion/timer.hpp>
#include <pinion/timer/detail/compaction_pace.hpp>
#include <pinion/timer/detail/slot_map.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace pinion::timer {
namespace {

using namespace std::chrono_literals;

struct task {
  static inline int runs = 0;
  static void run() { ++runs; }
  std::unique_ptr<int> owned;  // a value that only moves, as most tasks do
};

class samples : public ::testing::Test {
 protected:
  void SetUp() override { task::runs = 0; }

  static void run(handle, instant, task&& due) { due.run(); }

  const instant now = monotonic_clock::now();
};

TEST_F(samples, AStoreArmsPushesOnFiresAndTakesBack) {
  ordered_map<task> store{monotonic_clock::now()};
  handle h = store.schedule(now + ceil(30s), task{});  // arm
  store.reschedule(h, now + ceil(60s));                // push on, same handle
  instant next = store.next_wakeup();                  // sleep until then
  store.poll(now, 64, [](handle, instant, task&& due) { due.run(); });
  std::optional<task> back = store.cancel(h);  // take back

  EXPECT_EQ(next, now + ceil(60s));
  EXPECT_TRUE(back);
  EXPECT_EQ(task::runs, 0);
}

TEST_F(samples, ARefusalIsAnErrorCodeForExecutorsThatHaveTheirOwn) {
  deferred_wheel<task> store{now};
  const auto arm = [&](instant deadline) {
    task job;
    pinion::expected<handle> armed = store.try_schedule(deadline, std::move(job));
    if (!armed) return std::error_code{armed.error()};  // "the deadline has already passed: …"
    return std::error_code{};
  };

  EXPECT_FALSE(arm(now + ceil(1s)));
  EXPECT_EQ(arm(now - ceil(1ns)), errc::deadline_passed);
  EXPECT_EQ(arm(now - ceil(1ns)).message().find("the deadline has already passed: "), 0U);
}

TEST_F(samples, AnOrderedMapFiresToTheNanosecond) {
  ordered_map<task> timers{monotonic_clock::now()};
  handle h = timers.schedule(now + ceil(30s), task{});
  timers.poll(now, unlimited, [](handle, instant, task&& t) { t.run(); });
  timers.poll(now + ceil(30s) - duration{1}, unlimited, run);
  EXPECT_EQ(task::runs, 0);
  timers.poll(now + ceil(30s), unlimited, run);

  EXPECT_EQ(task::runs, 1);
  EXPECT_FALSE(timers.cancel(h));
}

TEST_F(samples, AStoreIsToldHowManySlotsItMayHave) {
  deferred_wheel<task> timers{monotonic_clock::now(), {.slots_max = 100'000}};

  EXPECT_NO_THROW(timers.reserve(100'000));
  EXPECT_THROW(timers.reserve(100'001), std::length_error);
}

TEST_F(samples, ATimerCallKnowsWhatToCall) {
  call_wheel timers{monotonic_clock::now()};
  task job;
  timer_call wake{[](timer_call& c) { static_cast<task*>(c.context)->run(); }, &job};
  timers.schedule(wake, now + ceil(30s));
  timers.poll(now + ceil(31s), [](timer_call& due) { due.waker(due); });

  EXPECT_EQ(task::runs, 1);
}

TEST_F(samples, AHookIsABaseOfTheCallersObject) {
  struct connection : timer_hook {
    bool is_open = true;
  };
  deferred_hook_wheel<connection> timers{now};
  {
    connection client;
    timers.schedule(client, now + ceil(1s));
    EXPECT_TRUE(client.is_armed() && client.is_open);
  }

  EXPECT_EQ(timers.size(), 0U);
}

TEST_F(samples, ABitmapWheelCallsTheWakersOfItsEntries) {
  bitmap_wheel timers{monotonic_clock::now()};
  task job;
  bitmap_wheel::entry wake{[](bitmap_wheel::entry& e) { static_cast<task*>(e.context)->run(); }, &job};
  timers.schedule(wake, now + ceil(30s));  // never allocates, never fails
  timers.poll(now);                        // calls the wakers of what is due
  EXPECT_EQ(task::runs, 0);
  timers.poll(now + ceil(31s));

  EXPECT_EQ(task::runs, 1);
}

TEST_F(samples, ADeferredHookWheelPushesAConnectionOn) {
  struct connection : timer_hook {
    void close() { is_open = false; }
    bool is_open = true;
  };
  deferred_hook_wheel<connection> timers{monotonic_clock::now()};
  connection client;
  timers.schedule(client, now + ceil(60s));
  timers.reschedule(client, now + ceil(60s));  // for each request
  timers.poll(now, [](connection& c) { c.close(); });
  EXPECT_TRUE(client.is_open);
  timers.poll(now + ceil(61s), [](connection& c) { c.close(); });

  EXPECT_FALSE(client.is_open);
}

TEST_F(samples, ADeferredWheelPushesATimerOn) {
  deferred_wheel<task> timers{monotonic_clock::now()};
  handle idle = timers.schedule(now + ceil(60s), task{});
  timers.reschedule(idle, now + ceil(60s));  // for each request: one store
  timers.poll(now + ceil(61s), unlimited, run);

  EXPECT_EQ(task::runs, 1);
}

TEST_F(samples, AHookWheelClosesAConnectionThatIsDue) {
  struct connection : timer_hook {
    void close() { is_open = false; }
    bool is_open = true;
  };
  hook_wheel<connection, nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4>> timers{now};
  connection client;
  timers.schedule(client, now + ceil(30s));
  timers.poll(now, unlimited, [](connection& due) { due.close(); });
  EXPECT_TRUE(client.is_open);
  timers.poll(now + ceil(31s), unlimited, [](connection& due) { due.close(); });

  EXPECT_FALSE(client.is_open);
}

TEST_F(samples, NestedLevelsSayWhichBucketIsServedNext) {
  const instant deadline = now + ceil(30s);
  using levels_of_six = nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4>;
  levels_of_six::occupancy_type occupied;

  nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4> levels;  // tick of 2^20 ns, bits of each level
  levels.start(now);
  const std::uint16_t bucket = levels.place(levels.tick_at_or_after(deadline), false);
  occupied.set(bucket);
  const auto next = levels.next(occupied);  // the bucket that is served next, and when

  EXPECT_EQ(next.bucket, bucket);
  EXPECT_LE(next.tick, levels.tick_at_or_after(deadline));
  EXPECT_GT(next.tick, levels.hand());
}

TEST_F(samples, AnOverflowWheelFiresWhatIsDue) {
  overflow_wheel<task> timers{monotonic_clock::now()};
  handle h = timers.schedule(now + ceil(30s), task{});
  timers.poll(now + ceil(31s), unlimited, run);

  EXPECT_EQ(task::runs, 1);
  EXPECT_FALSE(timers.cancel(h));
}

TEST_F(samples, OverlappingLevelsHaveAGeometryThatIsAValue) {
  overlapping_levels levels{{.shifts = {20, 30, 36}, .level_count = 3, .slots = 1024, .stationary = true}};

  EXPECT_EQ(levels.lateness_bound(ceil(1ms)), duration{1 << 20});
  EXPECT_EQ(levels.coverage_of(0), duration{1 << 20} * 1024);
}

TEST_F(samples, ASlabWheelTakesAnyLevels) {
  slab_wheel<task, nested_levels<1'000'000, 8, 6, 6, 6>> timers{monotonic_clock::now()};
  timers.schedule(now + ceil(30s), task{});
  timers.poll(now + ceil(31s), unlimited, run);

  EXPECT_EQ(task::runs, 1);
}

TEST_F(samples, AStationaryWheelsHandleIsKeptAsAnId) {
  stationary_wheel<task> timers{monotonic_clock::now()};
  const std::uint64_t id = timers.id_of(timers.schedule(now + ceil(1h), task{}));
  const unsigned ring = stationary_id::decode(id).level;
  timers.cancel(timers.handle_of(id));

  EXPECT_EQ(ring, 2U);
  EXPECT_EQ(timers.size(), 0U);
}

TEST_F(samples, AStationaryWheelIsMadeOfOtherRings) {
  const std::uint32_t worker = 7;
  const auto make = [&]() -> std::error_code {
    constexpr duration tick{1U << 20};  // 1.05 ms
    expected<level_geometry> rings = rings_of({tick, tick * 64, tick * 4096}, 256);
    if (!rings) return rings.error();
    stationary_wheel<task> timers{now, worker, *rings, {.min_capacity = 256}};
    EXPECT_EQ(timers.coverage(0), tick * 256);
    EXPECT_EQ(timers.worker_id(), worker);
    return {};
  };

  EXPECT_FALSE(make());
}

TEST_F(samples, BestFitSaysForWhenItArmed) {
  stationary_wheel<task> timers{monotonic_clock::now()};
  auto [h, wheel_deadline] = timers.schedule_best_fit(now + ceil(168h), task{});

  EXPECT_LE(wheel_deadline, now + ceil(168h));
  EXPECT_TRUE(timers.cancel(h));
}

TEST_F(samples, ATwoLevelWheelFiresWhatIsDue) {
  two_level_wheel<task> timers{monotonic_clock::now()};
  handle h = timers.schedule(now + ceil(30s), task{});
  timers.poll(now + ceil(31s), unlimited, run);

  EXPECT_EQ(task::runs, 1);
  EXPECT_FALSE(timers.cancel(h));
}

TEST_F(samples, AStoreChecksItself) {
  deferred_wheel<task> timers{now};
  std::string reported;
  const auto report = [&](const std::string& broken) { reported = broken; };
  timers.schedule(now + ceil(1s), task{});

  if (const std::string broken = timers.violated_invariant(); !broken.empty()) report(broken);

  EXPECT_EQ(reported, "");
}

TEST_F(samples, ASlotMapFindsAValueByItsHandleUntilItIsErased) {
  slot_map<task> slots;
  const handle h = slots.name(slots.insert(task{}));  // may throw; the task is then untouched
  if (const std::uint32_t slot = slots.find(h); slot != slots.none) slots.erase(slot).run();

  EXPECT_EQ(task::runs, 1);
  EXPECT_EQ(slots.find(h), slots.none);
}

struct levels : nested_levels<1'000'000, 8, 8> {
  static constexpr compaction_pace pace{.looks = 8};
};

TEST_F(samples, LevelsMayStateTheirPace) {
  slab_wheel<task, levels> timers{now};
  timers.schedule(now + ceil(1s), task{});

  EXPECT_EQ(pace_of<levels>().looks, 8);
  EXPECT_EQ(timers.size(), 1U);
}

}  // namespace
}  // namespace pinion::timer
