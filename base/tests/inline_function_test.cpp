// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <pinion/base.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "allocations.hpp"

namespace pinion {
namespace {

using callback = inline_function<void()>;

struct three_words {
  std::array<void*, 3> words;
  void operator()() const {}
};
struct four_words {
  std::array<void*, 4> words;
  void operator()() const {}
};
struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) noexcept(false) {}
  void operator()() const {}
};
struct alignas(2 * sizeof(void*)) wants_alignment {
  void operator()() const {}
};

static_assert(sizeof(callback) == 4 * sizeof(void*));
static_assert(std::is_nothrow_move_constructible_v<callback> && std::is_nothrow_move_assignable_v<callback>);
static_assert(!std::copy_constructible<callback> && !std::is_copy_assignable_v<callback>);
static_assert(std::constructible_from<callback, three_words>);
static_assert(!std::constructible_from<callback, four_words>, "what does not fit does not compile");
static_assert(std::constructible_from<inline_function<void(), sizeof(four_words)>, four_words>);
static_assert(std::constructible_from<callback, boxed_function<four_words>>);
static_assert(!std::constructible_from<callback, throws_when_moved>);
static_assert(std::constructible_from<callback, boxed_function<throws_when_moved>>);
static_assert(!std::constructible_from<callback, wants_alignment>);
static_assert(!std::constructible_from<callback, void (*)(int)>, "it must be callable as the signature says");
static_assert(!std::constructible_from<inline_function<int()>, void (*)()>);
static_assert(std::constructible_from<inline_function<void()>, int (*)()>, "a result may be dropped");
static_assert(!std::constructible_from<callback, std::unique_ptr<int>>);

TEST(inline_function, CallsWhatItHoldsAndNeverAllocates) {
  int sum = 0;
  const std::size_t before = testing::allocations_so_far();

  inline_function<int(int)> add{[&sum](int by) { return sum += by; }};
  inline_function<int(int)> moved{std::move(add)};
  const int first = moved(2);
  const int second = moved(3);

  EXPECT_EQ(testing::allocations_so_far(), before);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 5);
  EXPECT_TRUE(moved);
  EXPECT_FALSE(add);  // NOLINT: that moving empties is what is tested
}

TEST(inline_function, OwnsWhatItHoldsThroughMovesAndAssignments) {
  auto shared = std::make_shared<int>(7);
  const auto holder = [&shared] { return inline_function<int()>{[copy = shared] { return *copy; }}; };

  auto a = holder();
  auto b = holder();
  EXPECT_EQ(shared.use_count(), 3);
  a = std::move(b);
  EXPECT_EQ(shared.use_count(), 2) << "what it held before is destroyed";
  inline_function<int()> c{std::move(a)};
  EXPECT_EQ(shared.use_count(), 2);
  EXPECT_EQ(c(), 7);
  auto& same = c;
  c = std::move(same);
  ASSERT_TRUE(c);
  EXPECT_EQ(c(), 7);
  c = {};

  EXPECT_EQ(shared.use_count(), 1);
}

TEST(inline_function, DestroysWhatItHeldAsOftenAsItWasMade) {
  struct counted {
    int* alive;
    explicit counted(int& count) noexcept : alive(&count) { ++*alive; }
    counted(counted&& other) noexcept : alive(other.alive) { ++*alive; }
    counted& operator=(counted&&) = delete;
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive; }
    void operator()() const {}
  };
  int alive = 0;
  {
    callback a{counted{alive}};
    callback b{std::move(a)};
    a = std::move(b);

    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(inline_function, TakesArgumentsThatOnlyMoveAndPassesReferencesOn) {
  inline_function<std::string(std::unique_ptr<std::string>, int&)> join{
      [](std::unique_ptr<std::string> text, int& n) { return *text + std::to_string(++n); }};
  int n = 1;

  EXPECT_EQ(join(std::make_unique<std::string>("a"), n), "a2");
  EXPECT_EQ(n, 2);
}

TEST(inline_function, WhatIsTooLargeGoesToTheHeapWhereThatIsSaid) {
  std::array<int, 100> large{};
  large[99] = 9;
  const std::size_t before = testing::allocations_so_far();

  inline_function<int()> last{boxed([large] { return large[99]; })};
  inline_function<int()> moved{std::move(last)};

  EXPECT_EQ(testing::allocations_so_far(), before + 1);
  EXPECT_EQ(moved(), 9);
}

TEST(inline_function, CallingAnEmptyOneIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  callback empty;

  EXPECT_DEATH(empty(), "an empty inline_function was called");
}

}  // namespace
}  // namespace pinion
