// SPDX-License-Identifier: Apache-2.0
//
// What tests of a ring over the real kernel share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <stdexcept>
#include <vector>

namespace pinion::iosubmit::testing {

/// Skipped, with the reason, where the machine makes no io_uring.
class on_real_rings : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto opened = uring_ring::open({.entries = 1, .completion_entries = 0});
    if (!opened) GTEST_SKIP() << to_string(opened.error());
  }
};

/// What a ring hands out now.
template <class Ring>
std::vector<ring_completion> reaped(Ring& from) {
  std::vector<ring_completion> all;
  from.reap([&](const ring_completion& one) noexcept { all.push_back(one); });
  return all;
}

/// An entry with a user_data of its own.
inline ring_entry named(ring_entry entry, std::uint64_t user_data) {
  entry.user_data = user_data;
  return entry;
}

/// Two ends, closed with it.
struct pipe_ends {
  pipe_ends() {
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  [[nodiscard]] int reader() const { return ends[0]; }
  void write_a_byte() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  std::array<int, 2> ends{-1, -1};
};

}  // namespace pinion::iosubmit::testing
