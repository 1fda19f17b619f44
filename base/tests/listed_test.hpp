// SPDX-License-Identifier: Apache-2.0
//
// Tests from lists: laws, backends and mutants are values and not code.
//
//   for (const clause& c : laws()) add_test("my_store", c.name, [c] { EXPECT_FALSE(c.check(my_store)); });
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

namespace pinion::testing {

/// What PINION_TEST_SEED says, else 1.
inline std::uint64_t seed_from_environment() {
  const char* text = std::getenv("PINION_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

/// A test whose body is a function.
class listed_test : public ::testing::Test {
 public:
  explicit listed_test(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

/// To be called before RUN_ALL_TESTS().
inline void add_test(const std::string& suite, const std::string& name, std::function<void()> body) {
  ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [body = std::move(body)]() -> ::testing::Test* { return new listed_test{body}; });
}

}  // namespace pinion::testing
