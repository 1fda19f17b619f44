// SPDX-License-Identifier: Apache-2.0
//
// ring: that an answer is found again by what an entry says of it, whatever the mark, and what the words mean
// unless told.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <pinion/base/ring.hpp>

namespace pinion {
namespace {

constexpr std::uint8_t marks = 8;

struct counting : ring_answer {
  counting()
      : ring_answer{
            [](ring_answer& self, std::int32_t r) noexcept { static_cast<counting&>(self).sum += r; }} {}
  std::int32_t sum = 0;
};

TEST(ring, AnAnswerIsFoundByItsUserDataWithEachMark) {
  std::array<counting, 3> answers;

  for (counting& each : answers) {
    for (std::uint8_t mark = 0; mark < marks; ++mark) {
      const std::uint64_t name = user_data_of(each, mark);

      EXPECT_EQ(&answer_of(name), &each) << "mark " << int{mark};
      EXPECT_EQ(mark_of(name), mark);
    }
  }
}

TEST(ring, NothingElseNamesAnAnswer) {
  const counting answer;
  const auto* const address = static_cast<const ring_answer*>(&answer);

  for (std::uint8_t mark = 0; mark < marks; ++mark) {
    for (std::uint8_t other = 0; other < marks; ++other)
      EXPECT_EQ(names_answer(user_data_of(answer, mark), other), mark == other);
    for (const std::uint64_t foreign :
         std::initializer_list<std::uint64_t>{0, 8, 1U << 20U, ~7ULL, (answer_tag ^ 1) << 48U})
      EXPECT_FALSE(names_answer(foreign | mark, mark)) << foreign;
    EXPECT_FALSE(names_answer(reinterpret_cast<std::uintptr_t>(address) | mark, mark));
  }
}

TEST(ring, AnAddressWithBitsWhereTheTagIsBreaksTheContract) {
  if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
  const auto* const tagged = std::bit_cast<const ring_answer*>(std::uintptr_t{1} << 60U | 64U);

  EXPECT_DEATH(static_cast<void>(user_data_of(*tagged, 0)), "bits above the 47th");
}

TEST(ring, MarksOfOneAnswerAreDifferentNames) {
  const counting answer;

  for (std::uint8_t mark = 1; mark < marks; ++mark) {
    EXPECT_NE(user_data_of(answer, mark), user_data_of(answer, 0));
    EXPECT_NE(user_data_of(answer, mark), user_data_of(answer, static_cast<std::uint8_t>(mark - 1)));
  }
}

TEST(ring, WhoIsFoundIsToldTheResult) {
  counting told, other;
  const std::array completions{ring_completion{user_data_of(told, 1), 7, 0},
                               ring_completion{user_data_of(told, 0), -2, ring_completion::more}};

  for (const ring_completion& each : completions)
    answer_of(each.user_data).answered(answer_of(each.user_data), each.result);

  EXPECT_EQ(told.sum, 5);
  EXPECT_EQ(other.sum, 0);
}

TEST(ring, AnEnterDoesNotWaitUnlessToldAndWaitsForEverIfToldNoMore) {
  const ring_wait none;
  const ring_wait one{.count = 1};

  EXPECT_EQ(none.count, 0U);
  EXPECT_FALSE(none.keeps_pending);
  EXPECT_EQ(one.timeout, forever);
  EXPECT_NE(one, none);
}

}  // namespace
}  // namespace pinion
