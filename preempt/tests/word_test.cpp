// SPDX-License-Identifier: Apache-2.0
//
// The word: what sets it, what doesn't, and what a late end does.
#include <gtest/gtest.h>

#include <pinion/preempt.hpp>

namespace pinion::preempt {
namespace {

TEST(WordTest, IsDueFromTheEndOfASliceUntilTheNextBegins) {
  slice_word word;
  word.begin();
  EXPECT_FALSE(word.is_due());

  EXPECT_TRUE(word.end(word.seen()));

  EXPECT_TRUE(word.is_due());
  word.begin();
  EXPECT_FALSE(word.is_due());
  word.end_now();
  EXPECT_TRUE(word.is_due());
}

TEST(WordTest, IsNotDueByAnEndThatComesAfterTheNextSliceBegan) {
  slice_word word;
  word.begin();
  const std::uint32_t seen = word.seen();
  word.begin();

  EXPECT_FALSE(word.end(seen));

  EXPECT_FALSE(word.is_due());
}

TEST(WordTest, EndsASliceOnce) {
  slice_word word;
  word.begin();
  const std::uint32_t seen = word.seen();
  ASSERT_TRUE(word.end(seen));

  EXPECT_FALSE(word.end(seen));
  EXPECT_FALSE(word.end(word.seen()));
  EXPECT_TRUE(slice_word::is_over(word.seen()));
}

struct counting_word : asking_word {
  counting_word() : asking_word(&look) {}
  static bool look(asking_word& self) noexcept { return ++static_cast<counting_word&>(self).asked == 3; }
  int asked = 0;
};

TEST(WordTest, AsksItsSourceAtEachCheckWhereThatWantsTo) {
  counting_word asking;
  const word& seen = asking;

  EXPECT_FALSE(seen.is_due());
  EXPECT_FALSE(seen.is_due());
  EXPECT_TRUE(seen.is_due());

  EXPECT_EQ(asking.asked, 3);
}

}  // namespace
}  // namespace pinion::preempt
