// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <pinion/base/callback.hpp>
#include <utility>

namespace pinion {
namespace {

TEST(callback, CallsItsFunctionWithItsContextAndTheArguments) {
  int sum = 0;
  const callback<int, int> add{
      .function = [](void* context, int a, int b) noexcept { *static_cast<int*>(context) += a * b; },
      .context = &sum};

  add(6, 7);

  EXPECT_TRUE(add);
  EXPECT_EQ(sum, 42);
}

TEST(callback, MovesAnArgumentThatCannotBeCopied) {
  int seen = 0;
  const callback<std::unique_ptr<int>> take{
      .function = [](void* context,
                     std::unique_ptr<int> value) noexcept { *static_cast<int*>(context) = *value; },
      .context = &seen};

  take(std::make_unique<int>(7));

  EXPECT_EQ(seen, 7);
}

TEST(callback, IsEmptyUntilItHasAFunction) { EXPECT_FALSE(callback<>{}); }

}  // namespace
}  // namespace pinion
