// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/base/refusal.hpp>
#include <system_error>

namespace pinion {
namespace {

refusal no_ring() {
  return {.code = std::make_error_code(std::errc::operation_not_permitted),
          .asked = "an io_uring of 8 entries",
          .reason = "not permitted here",
          .remedy = "use epoll"};
}

TEST(refusal, IsOneSentenceOfWhatWasAskedTheReasonAndTheRemedy) {
  EXPECT_EQ(to_string(no_ring()), "an io_uring of 8 entries: not permitted here; use epoll");
}

TEST(refusal, LeavesOutWhatIsEmptyWithItsPunctuation) {
  EXPECT_EQ(to_string(refusal{.code = {}, .asked = "a queue", .reason = "", .remedy = "name it"}),
            "a queue; name it");
  EXPECT_EQ(to_string(refusal{}), "");
}

TEST(refusal, IsThrownAsItsCodeAndItsText) {
  try {
    throw_refusal(no_ring());
  } catch (const std::system_error& thrown) {
    EXPECT_EQ(thrown.code(), std::errc::operation_not_permitted);
    EXPECT_EQ(std::string_view{thrown.what()}, to_string(no_ring()));
    return;
  }
  FAIL() << "nothing was thrown";
}

}  // namespace
}  // namespace pinion
