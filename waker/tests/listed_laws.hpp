// SPDX-License-Identifier: Apache-2.0
//
// A test for each law and backend.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "laws.hpp"
#include "listed_test.hpp"

namespace pinion::waker::testing {

using pinion::testing::add_test;
using pinion::testing::seed_from_environment;

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
