// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pinion/base/error.hpp>
#include <set>
#include <string>
#include <system_error>

namespace pinion {
namespace {

constexpr errc all[] = {errc::deadline_passed, errc::deadline_too_far, errc::capacity_exceeded,
                        errc::overflow,        errc::invalid_handle,   errc::not_found,
                        errc::closed};

TEST(errc, BecomesAnErrorCodeOfOurCategory) {
  const std::error_code code = errc::not_found;

  EXPECT_EQ(code, errc::not_found);
  EXPECT_NE(code, errc::overflow);
  EXPECT_STREQ(code.category().name(), "pinion");
  EXPECT_EQ(code.message(), explain(errc::not_found));
}

TEST(errc, EachValueSaysWhatCauseAndRemedyInASentenceOfItsOwn) {
  std::set<std::string_view> sentences;

  for (const errc code : all) {
    const std::string_view text = explain(code);
    EXPECT_NE(text.find(':'), std::string_view::npos) << text;
    EXPECT_TRUE(sentences.insert(text).second) << "said twice: " << text;
  }
}

TEST(errc, AnUnknownValueSaysSo) {
  EXPECT_NE(explain(static_cast<errc>(200)).find("unknown"), std::string_view::npos);
  EXPECT_EQ(error_category().message(-1).find("unknown"), 0U);
}

TEST(expected, HoldsAValueOrTheReason) {
  const auto half = [](int n) -> expected<int> {
    if (n % 2 != 0) return unexpected<errc>{errc::overflow};
    return n / 2;
  };

  EXPECT_EQ(half(4).value(), 2);
  EXPECT_EQ(half(3).error(), errc::overflow);
}

}  // namespace
}  // namespace pinion
