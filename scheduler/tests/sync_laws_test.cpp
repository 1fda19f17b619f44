// SPDX-License-Identifier: Apache-2.0
//
// What holds for each wait of sync/: first in, first out; ended once, by what came first; nothing runs inside
// a call.
#include <gtest/gtest-death-test.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <pinion/base/resumption.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "allocations.hpp"
#include "small_executor.hpp"
#include "sync_waits.hpp"
#include "violation.hpp"

namespace pinion::scheduler {
namespace {

using pinion::testing::in_words;
using pinion::testing::small_executor;
using pinion::testing::task;
using pinion::testing::violation;
using testing::slotted_executor;
using testing::slotted_task;

// How a wait ended, and as which one of all.
struct ended {
  int place = -1;
  std::error_code error;

  [[nodiscard]] bool is_granted(int at) const { return place == at && !error; }
  [[nodiscard]] bool is_cancelled() const { return place >= 0 && error == std::errc::operation_canceled; }
};
std::ostream& operator<<(std::ostream& to, const ended& how) {
  return to << "ended as number " << how.place << ": " << how.error.message();
}

template <class Waits>
struct some_waits {
  small_executor loop;
  std::optional<Waits> of{std::in_place};
  std::deque<cancel_slot> slots;
  std::deque<ended> results;
  std::deque<task> tasks;
  int count = 0;
  int then_requests = -1;  // the slot that each requests when it goes on

  ~some_waits() {
    for (cancel_slot& slot : slots) slot.request();
    loop.run();
  }

  static task body(some_waits& all, std::size_t which) {
    auto result = co_await all.of->begin(all.slots[which]);
    ended& to = all.results[which];
    to.place = all.count++;
    if (result)
      all.of->keep(std::move(result));
    else
      to.error = result.error();
    if (all.then_requests >= 0) all.slots[static_cast<std::size_t>(all.then_requests)].request();
  }
  // One more, which has not begun.
  void spawn() {
    slots.emplace_back();
    results.emplace_back();
    loop.spawn(tasks.emplace_back(body(*this, results.size() - 1)));
  }
  // So many wait.
  void begin(int waits) {
    for (int k = 0; k != waits; ++k) spawn();
    loop.run();
  }
  void grant_and_run() {
    of->grant();
    loop.run();
  }
};

template <class Waits>
violation first_in_first_out() {
  some_waits<Waits> all;
  all.begin(3);
  for (int k = 0; k != 3; ++k) {
    all.of->grant();
    if (all.count != (Waits::ends_all && k != 0 ? 3 : k)) return in_words("a task ran inside of grant ", k);
    all.loop.run();
  }
  for (int k = 0; k != 3; ++k) {
    const ended& how = all.results[static_cast<std::size_t>(k)];
    if (!how.is_granted(k)) return in_words("wait ", k, ' ', how);
  }
  return {};
}

// The one that is cancelled ends in its turn and has taken nothing; the others, and one that begins then, are
// granted in their order.
template <class Waits>
violation cancelled_at(std::size_t which) {
  some_waits<Waits> all;
  all.begin(3);
  all.slots[which].request();
  all.slots[which].request();
  if (all.count != 0) return in_words("a task ran inside of request()");
  all.loop.run();
  if (all.count != 1 || !all.results[which].is_cancelled()) return in_words(which, ' ', all.results[which]);
  all.begin(1);
  for (int k = 0; k != (Waits::ends_all ? 1 : 3); ++k) all.grant_and_run();
  int place = 1;
  for (std::size_t k = 0; k != 4; ++k)
    if (k != which && !all.results[k].is_granted(place++))
      return in_words(which, " was cancelled, and ", k, ' ', all.results[k]);
  return {};
}

template <class Waits>
violation a_grant_stands() {
  some_waits<Waits> all;
  all.begin(2);
  all.of->grant();
  for (cancel_slot& slot : all.slots) slot.request();
  all.loop.run();
  if (!all.results[0].is_granted(0))
    return in_words("granted before it was cancelled, the first ", all.results[0]);
  if (Waits::ends_all ? !all.results[1].is_granted(1) : !all.results[1].is_cancelled())
    return in_words("the second ", all.results[1]);
  return {};
}

template <class Waits>
violation a_cancelled_wait_is_granted_nothing() {
  some_waits<Waits> all;
  all.begin(2);
  all.slots[0].request();
  all.of->grant();
  all.loop.run();
  if (!all.results[0].is_cancelled())
    return in_words("cancelled before the grant, the first ", all.results[0]);
  if (!all.results[1].is_granted(1)) return in_words("the second ", all.results[1]);
  return {};
}

template <class Waits>
violation cancelled_behind_its_end_nothing_happens() {
  some_waits<Waits> all;
  all.begin(1);
  all.grant_and_run();
  const std::size_t before = all.loop.ready_count;
  all.slots[0].request();
  if (all.loop.ready_count != before) return in_words("a task is ready that does not wait");
  if (!all.results[0].is_granted(0)) return in_words("it ", all.results[0]);
  return {};
}

template <class Waits>
violation under_a_requested_slot_it_fails_in_its_turn() {
  some_waits<Waits> all;
  all.of->grant();  // so another wait would be granted at once
  all.spawn();
  all.slots[0].request();
  all.loop.turn();
  if (all.count != 0 || !all.loop.has_ready()) return in_words("it did not suspend, or is not ready");
  all.loop.run();
  if (!all.results[0].is_cancelled()) return in_words("it ", all.results[0]);
  all.begin(1);
  if (!Waits::grants_ahead) all.grant_and_run();
  if (!all.results[1].is_granted(1)) return in_words("what it left is not there: the next ", all.results[1]);
  return {};
}

template <class Waits>
violation cancelled_by_one_that_goes_on() {
  some_waits<Waits> all;
  all.begin(3);
  all.then_requests = 1;
  all.grant_and_run();
  const ended& second = all.results[1];
  if (!all.results[0].is_granted(0)) return in_words("the first ", all.results[0]);
  if (Waits::ends_all ? !second.is_granted(1) : !second.is_cancelled())
    return in_words("the second ", second);
  if (!Waits::ends_all) all.grant_and_run();
  if (!all.results[2].is_granted(2)) return in_words("the third ", all.results[2]);
  return {};
}

// Every second one is cancelled from the middle outwards, the others are granted.
template <class Waits>
violation ten_thousand_wait_without_allocation() {
  constexpr int waits = 10'000;
  some_waits<Waits> all;
  for (int k = 0; k != waits; ++k) all.spawn();
  const std::size_t before = pinion::testing::allocations_so_far();
  all.loop.run();
  for (std::size_t k = 0; k != waits / 2; k += 2) {
    all.slots[waits / 2 + k].request();
    all.slots[waits / 2 - 2 - k].request();
  }
  all.loop.run();
  for (int k = 0; k != (Waits::ends_all ? 1 : waits / 2); ++k) all.grant_and_run();
  if (const std::size_t more = pinion::testing::allocations_so_far() - before; more != 0)
    return in_words(more, " allocations");
  int place = waits / 2;
  for (std::size_t k = 0; k != waits; ++k)
    if (k % 2 == 0 ? !all.results[k].is_cancelled() : !all.results[k].is_granted(place++))
      return in_words("wait ", k, ' ', all.results[k]);
  return {};
}

template <class Waits>
violation all_under_one_slot_are_cancelled_together() {
  constexpr int waits = 1'000;
  small_executor loop;
  Waits of;
  cancel_slot slot;
  int cancelled = 0;
  std::deque<task> tasks;
  const auto body = [&]() -> task {
    const auto result = co_await of.begin(slot);
    cancelled += result ? 0 : 1;
  };
  for (int k = 0; k != waits; ++k) loop.spawn(tasks.emplace_back(body()));
  loop.run();
  slot.request();
  loop.run();
  if (cancelled != waits) return in_words(cancelled, " of ", waits, " were cancelled");
  return {};
}

template <class Waits>
violation without_its_slot_it_waits_on() {
  small_executor loop;
  Waits of;
  std::optional<cancel_slot> slot{std::in_place};
  bool is_granted = false;
  const auto body = [&]() -> task {
    auto result = co_await of.begin(*slot);
    is_granted = result.has_value();
  };
  task one = body();
  loop.spawn(one);
  loop.run();
  slot.reset();
  if (loop.has_ready()) return in_words("it is ready");
  of.grant();
  loop.run();
  if (!is_granted) return in_words("it was not granted");
  return {};
}

template <class Waits>
slotted_task waits_without_a_name(slotted_executor& /*by*/, Waits& of, ended& to) {
  auto result = co_await of.begin();
  to.place = 0;
  if (!result) to.error = result.error();
}
template <class Waits>
slotted_task waits_under(slotted_executor& /*by*/, Waits& of, cancel_slot& slot, ended& to) {
  auto result = co_await of.begin(slot);
  to.place = 0;
  if (!result) to.error = result.error();
}

template <class Waits>
violation without_a_slot_the_executors_counts() {
  slotted_executor loop;
  Waits of;
  cancel_slot another;
  ended first, under_another, later;
  const slotted_task one = waits_without_a_name(loop, of, first);
  const slotted_task two = waits_under(loop, of, another, under_another);
  loop.run();
  loop.slot().request();
  if (first.place >= 0) return in_words("a task ran inside of request()");
  loop.run();
  if (!first.is_cancelled()) return in_words("it ", first);
  if (two.is_done()) return in_words("the executor's slot ended a wait under another: it ", under_another);
  const slotted_task three = waits_without_a_name(loop, of, later);
  loop.run();
  if (!later.is_cancelled()) return in_words("begun under the executor's requested slot it ", later);
  another.request();
  loop.run();
  if (!under_another.is_cancelled()) return in_words("under a slot of its own it ", under_another);
  return {};
}

template <class Waits>
violation without_any_slot_it_waits_for_its_grant() {
  small_executor loop;
  Waits of;
  bool is_granted = false;
  const auto body = [&]() -> task {
    auto result = co_await of.begin();
    is_granted = result.has_value();
  };
  task one = body();
  loop.spawn(one);
  loop.run();
  if (is_granted || one.is_done()) return in_words("it did not wait");
  of.grant();
  loop.run();
  if (!is_granted) return in_words("it was not granted");
  return {};
}

template <class Waits>
struct Sync : ::testing::Test {};

struct name_of {
  template <class Waits>
  static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest's
    return Waits::name;
  }
};
using all_waits = ::testing::Types<testing::event_waits, testing::mutex_waits, testing::semaphore_waits,
                                   testing::unit_waits, testing::gate_waits, testing::receiver_waits<0>,
                                   testing::receiver_waits<2>, testing::sender_waits>;
TYPED_TEST_SUITE(Sync, all_waits, name_of);

TYPED_TEST(Sync, IsFirstInFirstOut) { EXPECT_EQ(first_in_first_out<TypeParam>().what(), ""); }

TYPED_TEST(Sync, TheFirstOneInTheMiddleAndTheLastCanBeCancelled) {
  for (std::size_t which = 0; which != 3; ++which) EXPECT_EQ(cancelled_at<TypeParam>(which).what(), "");
}

TYPED_TEST(Sync, AGrantStandsWhateverIsCancelledAfterwards) {
  EXPECT_EQ(a_grant_stands<TypeParam>().what(), "");
}

TYPED_TEST(Sync, ACancelledWaitIsGrantedNothing) {
  EXPECT_EQ(a_cancelled_wait_is_granted_nothing<TypeParam>().what(), "");
}

TYPED_TEST(Sync, CancelledBehindItsEndNothingHappens) {
  EXPECT_EQ(cancelled_behind_its_end_nothing_happens<TypeParam>().what(), "");
}

TYPED_TEST(Sync, UnderARequestedSlotItFailsInItsTurn) {
  EXPECT_EQ(under_a_requested_slot_it_fails_in_its_turn<TypeParam>().what(), "");
}

TYPED_TEST(Sync, ATaskThatGoesOnCancelsAnother) {
  EXPECT_EQ(cancelled_by_one_that_goes_on<TypeParam>().what(), "");
}

TYPED_TEST(Sync, TenThousandWaitWithoutAllocation) {
  EXPECT_EQ(ten_thousand_wait_without_allocation<TypeParam>().what(), "");
}

TYPED_TEST(Sync, AllUnderOneSlotAreCancelledTogether) {
  EXPECT_EQ(all_under_one_slot_are_cancelled_together<TypeParam>().what(), "");
}

TYPED_TEST(Sync, WithoutItsSlotItWaitsOn) { EXPECT_EQ(without_its_slot_it_waits_on<TypeParam>().what(), ""); }

TYPED_TEST(Sync, WithoutASlotTheExecutorsCounts) {
  EXPECT_EQ(without_a_slot_the_executors_counts<TypeParam>().what(), "");
}

TYPED_TEST(Sync, WithoutAnySlotItWaitsForItsGrant) {
  EXPECT_EQ(without_any_slot_it_waits_for_its_grant<TypeParam>().what(), "");
}

TYPED_TEST(Sync, ToDestroyWhatATaskWaitsForIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  some_waits<TypeParam> all;
  all.begin(1);

  EXPECT_DEATH(std::destroy_at(&all.of->of), "destroyed while");
}

TYPED_TEST(Sync, ToDestroyATaskThatWaitsIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "this build checks no contracts (PINION_ASSERT=OFF)";
  some_waits<TypeParam> all;
  all.begin(1);

  EXPECT_DEATH(all.tasks.clear(), "a coroutine was destroyed while it waits");
}

}  // namespace
}  // namespace pinion::scheduler
