// SPDX-License-Identifier: Apache-2.0
//
// expect_each_order_is_needed: every order that some code writes down, made weaker one at a time: its
// scenarios have to see each.
//
//   using sync = weakening_sync<struct my_word>;
//   expect_each_order_is_needed<sync>([] { return what_breaks<sync>(); });      // explores; what broke, empty if nothing did
//
// What can't be seen stands in a list, with the reason why the order is written all the same.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "weakening_sync.hpp"

namespace pinion::sim::testing {

/// By what name_of() says of a weakening.
using reasons = std::map<std::string, const char*>;

template <class Sync, class WhatBreaks>
void expect_each_order_is_needed(WhatBreaks what_breaks, const reasons& invisible = {}) {
  ASSERT_EQ(what_breaks(), "") << "with the orders as they are written";
  const std::vector<order_site> sites = Sync::state.sites;
  std::size_t met = 0;
  for (const weakening& w : weakenings(sites)) {
    const std::string name = name_of(w, sites);
    Sync::state.in_force = &w;
    const std::string broken = what_breaks();
    Sync::state.in_force = nullptr;
    const std::string first_line = broken.substr(0, broken.find('\n'));
    std::cout << "mutant " << name << (broken.empty() ? ": not seen" : ", killed by ") << first_line << '\n';
    const auto reason = invisible.find(name);
    met += reason != invisible.end() ? 1U : 0U;
    if (reason == invisible.end()) {
      EXPECT_FALSE(broken.empty()) << name << " was not seen";
    } else {
      EXPECT_TRUE(broken.empty()) << name << " is not invisible: " << broken;
    }
  }
  EXPECT_EQ(met, invisible.size()) << "the list of what can't be seen names an order that is not there";
}

}  // namespace pinion::sim::testing
