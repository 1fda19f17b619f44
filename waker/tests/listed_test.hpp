// SPDX-License-Identifier: Apache-2.0
//
// Tests from lists: laws and backends are values and not code.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "laws.hpp"

namespace pinion::waker::testing {

inline std::uint64_t seed_from_environment() {
  const char* text = std::getenv("PINION_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

/// A test from a function, as laws and backends are lists and not code.
class listed_test : public ::testing::Test {
 public:
  explicit listed_test(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

inline void add_test(const std::string& suite, const std::string& name, std::function<void()> body) {
  ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [body = std::move(body)]() -> ::testing::Test* { return new listed_test{body}; });
}

inline void law_holds(const clause& c, const channel_factory& backend) {
  if (!backend.unavailable.empty()) GTEST_SKIP() << backend.unavailable;
  const violation what = c.check(backend);
  EXPECT_FALSE(what) << "law " << c.law << " is broken by " << backend.name << ": " << what.what();
}

/// One test for each of these laws and each backend.
inline void add_laws(const std::vector<clause>& laws, std::uint64_t seed) {
  for (const channel_factory& backend : backends()) {
    for (const clause& c : laws) {
      if (c.needs_w3 && !backend.keeps_w3) continue;
      channel_factory seeded = backend;
      seeded.seed = seed;
      add_test(backend.name, std::string{c.law} + c.name, [c, seeded] { law_holds(c, seeded); });
    }
  }
}

}  // namespace pinion::waker::testing
