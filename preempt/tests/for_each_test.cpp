// SPDX-License-Identifier: Apache-2.0
//
// for_each: what it visits, when it looks and yields, what comes out of it, and what it costs.
#include <gtest/gtest.h>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <pinion/preempt.hpp>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "turn_loop.hpp"

namespace pinion::preempt {
namespace {

using pinion::testing::allocations_so_far;
using testing::task;
using testing::turn_loop;

// Runs that one task to its end, and lets out what it threw.
void run(turn_loop& loop, task one) {
  loop.spawn(one);
  loop.run();
  EXPECT_TRUE(one.is_done());
  one.rethrow();
}

// One test, with the executor and by the promise: `each` is for_each with that first argument, or without.
template <std::uint32_t N>
struct on_executor {
  turn_loop& loop;
  auto operator()(auto&& range, auto function) const {
    return for_each<N>(loop, std::forward<decltype(range)>(range), std::move(function));
  }
};
template <std::uint32_t N>
struct by_promise {
  explicit by_promise(turn_loop&) {}
  auto operator()(auto&& range, auto function) const {
    return for_each<N>(std::forward<decltype(range)>(range), std::move(function));
  }
};

template <class Form>
class ForEachTest : public ::testing::Test {};

struct with_executor {
  template <std::uint32_t N = 1>
  static on_executor<N> on(turn_loop& loop) {
    return {loop};
  }
};
struct with_promise {
  template <std::uint32_t N = 1>
  static by_promise<N> on(turn_loop& loop) {
    return by_promise<N>{loop};
  }
};
using forms = ::testing::Types<with_executor, with_promise>;
TYPED_TEST_SUITE(ForEachTest, forms);

TYPED_TEST(ForEachTest, VisitsAllInOneTurnWhileNothingIsDue) {
  never_due source;
  turn_loop loop{source};
  std::vector<int> visited;
  constexpr auto body = [](auto each, std::vector<int>& into) -> task {
    const std::array values{1, 2, 3};
    co_await each(values, [&](int value) { into.push_back(value); });
  };

  run(loop, body(TypeParam::on(loop), visited));

  EXPECT_EQ(visited, (std::vector{1, 2, 3}));
  EXPECT_EQ(loop.turns, 1U);
}

TYPED_TEST(ForEachTest, OthersRunBeforeTheElementAtWhichItIsDue) {
  scripted_source source{1, 3};
  turn_loop loop{source};
  std::string said;
  constexpr auto visits = [](auto each, std::string& into) -> task {
    co_await each(std::views::iota(0, 4), [&](int value) { into += std::to_string(value); });
    into += '.';
  };
  constexpr auto two_words = [](turn_loop& on, std::string& into) -> task {
    into += 'a';
    co_await yield_now(on);
    into += 'b';
  };
  task one = visits(TypeParam::on(loop), said), other = two_words(loop, said);
  loop.spawn(one);
  loop.spawn(other);

  loop.run();

  EXPECT_EQ(said, "a01b23.");
  EXPECT_EQ(source.checks(), 4U);
}

TYPED_TEST(ForEachTest, YieldsBeforeEachElementWhereAllChecksAreDue) {
  always_due source;
  turn_loop loop{source};
  int sum = 0;
  constexpr auto body = [](auto each, int& into) -> task {
    co_await each(std::views::iota(1, 5), [&](int value) { into += value; });
  };

  run(loop, body(TypeParam::on(loop), sum));

  EXPECT_EQ(sum, 10);
  EXPECT_EQ(loop.turns, 1U + 4U);
}

TYPED_TEST(ForEachTest, LooksBeforeTheFirstAndEachThirdAfterIt) {
  scripted_source source{3};
  turn_loop loop{source};
  std::vector<std::uint64_t> checks;
  constexpr auto body = [](auto each, const scripted_source& looked_at,
                           std::vector<std::uint64_t>& into) -> task {
    co_await each(std::views::iota(0, 8), [&](int) { into.push_back(looked_at.checks()); });
  };

  run(loop, body(TypeParam::template on<3>(loop), source, checks));

  EXPECT_EQ(checks, (std::vector<std::uint64_t>{1, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(loop.turns, 2U);
}

TYPED_TEST(ForEachTest, LooksAtNothingInAnEmptyRange) {
  scripted_source source{1};
  turn_loop loop{source};
  constexpr auto body = [](auto each) -> task {
    co_await each(std::vector<int>{}, [](int) { ADD_FAILURE() << "there is nothing to visit"; });
    EXPECT_TRUE(co_await each(std::vector<int>{}, [](int) { return false; }));
  };

  run(loop, body(TypeParam::on(loop)));

  EXPECT_EQ(source.checks(), 0U);
  EXPECT_EQ(loop.turns, 1U);
}

TYPED_TEST(ForEachTest, StopsInAnEndlessRangeWhenItIsTold) {
  for (const bool yields : {false, true}) {
    never_due never;
    always_due always;
    turn_loop loop = yields ? turn_loop{always} : turn_loop{never};
    int last = -1;
    constexpr auto body = [](auto each, int& into) -> task {
      EXPECT_FALSE(co_await each(std::views::iota(0), [&](int value) {
        into = value;
        return value < 5;
      }));
      EXPECT_TRUE(co_await each(std::views::iota(0, 3), [](int) { return true; }));
    };

    run(loop, body(TypeParam::on(loop), last));

    EXPECT_EQ(last, 5);
    EXPECT_EQ(loop.turns, yields ? 1U + 6U + 3U : 1U);
  }
}

struct refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TYPED_TEST(ForEachTest, LetsOutWhatTheFunctionThrows) {
  for (const bool yields : {false, true}) {
    never_due never;
    always_due always;
    turn_loop loop = yields ? turn_loop{always} : turn_loop{never};
    int visited = 0;
    constexpr auto body = [](auto each, int& into) -> task {
      EXPECT_THROW(co_await each(std::views::iota(0, 9),
                                 [&](int value) {
                                   if (value == 2) throw refused{"two"};
                                   ++into;
                                 }),
                   refused);
      into += 10;
      co_await each(std::views::iota(0, 9), [](int) { throw refused{"nobody catches it"}; });
    };

    EXPECT_THROW(run(loop, body(TypeParam::on(loop), visited)), refused);

    EXPECT_EQ(visited, 12);
  }
}

TYPED_TEST(ForEachTest, VisitsWhatCanOnlyBeMovedOrReadOnce) {
  always_due source;
  turn_loop loop{source};
  int sum = 0;
  constexpr auto body = [](auto each, int& into) -> task {
    std::vector<std::unique_ptr<int>> owned;
    owned.push_back(std::make_unique<int>(1));
    owned.push_back(std::make_unique<int>(2));
    co_await each(owned, [&](std::unique_ptr<int>& value) { into += *value; });
    auto taken = owned | std::views::transform([](std::unique_ptr<int>& value) { return std::move(value); });
    co_await each(taken, [&](std::unique_ptr<int> value) { into += *value; });
    std::istringstream text{"10 20 30"};
    auto adds = [&into, only = std::make_unique<int>(1)](int value) { into += value * *only; };
    co_await each(std::views::istream<int>(text), std::move(adds));
    std::vector<bool> bits{true, false, true};
    co_await each(bits, [](auto&& bit) { bit = !bit; });
    EXPECT_EQ(bits, (std::vector<bool>{false, true, false}));
  };

  run(loop, body(TypeParam::on(loop), sum));

  EXPECT_EQ(sum, 3 + 3 + 60);
}

// One whose elements tell when they are gone, for a temporary that must not be.
struct watched {
  explicit watched(int& alive) : alive_(&alive) { ++*alive_; }
  watched(const watched& other) : alive_(other.alive_) { ++*alive_; }
  watched& operator=(const watched&) = default;
  ~watched() { --*alive_; }
  int* alive_;
};

std::vector<watched> three(int& alive) {
  std::vector<watched> all;
  for (int i = 0; i < 3; ++i) all.emplace_back(alive);
  return all;
}

TYPED_TEST(ForEachTest, ATemporaryRangeLivesUntilItIsThrough) {
  always_due source;
  turn_loop loop{source};
  int alive = 0;
  std::vector<int> seen;
  constexpr auto body = [](auto each, int& count, std::vector<int>& into) -> task {
    co_await each(three(count), [&](const watched& one) { into.push_back(*one.alive_); });
    EXPECT_EQ(count, 0);
  };

  run(loop, body(TypeParam::on(loop), alive, seen));

  EXPECT_EQ(seen, (std::vector{3, 3, 3}));
}

TYPED_TEST(ForEachTest, EndsWithTheCoroutineThatIsDestroyedInTheMiddle) {
  always_due source;
  turn_loop loop{source};
  const auto held = std::make_shared<int>(0);
  constexpr auto body = [](auto each, const std::shared_ptr<int>& value) -> task {
    auto adds = [value](const std::shared_ptr<int>& one) { ++*one; };
    co_await each(std::vector(3, value), std::move(adds));
  };
  const std::size_t alive = pinion::testing::allocations_alive();
  {
    task visits = body(TypeParam::on(loop), held);
    loop.spawn(visits);
    loop.turn();
    loop.turn();
    ASSERT_EQ(*held, 1);
    ASSERT_GT(held.use_count(), 1 + 3) << "the range has three, and the function one or more";
  }

  EXPECT_FALSE(loop.turn());
  EXPECT_EQ(*held, 1);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(pinion::testing::allocations_alive(), alive);
}

TYPED_TEST(ForEachTest, AllocatesOnceAndOnlyWhenItYields) {
  for (const bool yields : {false, true}) {
    never_due never;
    always_due always;
    turn_loop loop = yields ? turn_loop{always} : turn_loop{never};
    std::size_t allocated = 0;
    constexpr auto body = [](auto each, std::size_t& into) -> task {
      const std::size_t before = allocations_so_far();
      co_await each(std::views::iota(0, 8), [](int) {});
      into = allocations_so_far() - before;
    };

    run(loop, body(TypeParam::on(loop), allocated));

    EXPECT_EQ(allocated, yields ? 1U : 0U);
  }
}

TYPED_TEST(ForEachTest, LetsOutThatThereIsNoMemoryToYieldWith) {
  scripted_source source{3};
  turn_loop loop{source};
  int visited = 0;
  constexpr auto body = [](auto each, int& into) -> task {
    pinion::testing::fail_allocation(1);
    co_await each(std::views::iota(0, 8), [&](int) { ++into; });
  };

  EXPECT_THROW(run(loop, body(TypeParam::on(loop), visited)), std::bad_alloc);

  pinion::testing::fail_allocation(0);
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(loop.turns, 1U);
}

TYPED_TEST(ForEachTest, CountsWhatItLooksAt) {
  if (!is_counted) GTEST_SKIP() << "checks and yields are counted in builds with statistics only";
  scripted_source source{2};
  turn_loop loop{source};
  constexpr auto body = [](auto each) -> task { co_await each(std::views::iota(0, 5), [](int) {}); };

  run(loop, body(TypeParam::on(loop)));

  EXPECT_EQ(loop.counts.checks, 5U);
  EXPECT_EQ(loop.counts.yields, 1U);
}

// What is refused.
template <class Function>
concept may_visit_ints = requires(turn_loop& loop, std::vector<int>& values, Function function) {
  for_each(loop, values, function);
  for_each(values, function);
};
template <std::uint32_t N>
concept may_look_each = requires(turn_loop& loop, std::vector<int>& values, void (*function)(int)) {
  for_each<N>(loop, values, function);
};
template <class Awaited>
concept can_be_awaited = requires(Awaited&& awaited) { std::forward<Awaited>(awaited).operator co_await(); };
using by_a_name =
    decltype(for_each(std::declval<turn_loop&>(), std::declval<std::vector<int>&>(), [](int) {}));

static_assert(may_visit_ints<void (*)(int)> && may_visit_ints<bool (*)(const int&)>);
static_assert(!may_visit_ints<task (*)(int)>, "nobody would await the task");
static_assert(!may_visit_ints<int (*)(int)>, "is 0 a wish to stop?");
static_assert(!may_visit_ints<void (*)(std::string)>);
static_assert(may_look_each<1> && !may_look_each<0>);
static_assert(can_be_awaited<by_a_name> && !can_be_awaited<by_a_name&>, "the range may be gone");
static_assert(!std::is_move_constructible_v<by_a_name>);

}  // namespace
}  // namespace pinion::preempt
