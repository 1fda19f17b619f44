// SPDX-License-Identifier: Apache-2.0
//
// hog_work: what a task does that keeps its core: units of about 10 us, each the same number of steps that
// wait for each other, so that a unit is the same work whoever runs it, in any language. How long it is says
// the machine; the report shows it.
//
//   hog_work work{40'000};
//   while (!work.is_done()) { work.do_unit(); … }
//   … work.checksum() == hog_work::expected(40'000) …
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>

namespace pinion::preempt::bench {

class hog_work {
 public:
  explicit hog_work(std::size_t units) noexcept : left_(units) {}

  [[nodiscard]] bool is_done() const noexcept { return left_ == 0; }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  void do_unit() noexcept {
    --left_;
    checksum_ += steps(left_ % kinds);
  }
  /// The same for those who go through a range: its numbers, in any order.
  [[nodiscard]] auto numbers() const noexcept { return std::views::iota(std::size_t{0}, left_); }

  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  /// What that must be. There are a few kinds of units, so that this is quick.
  static std::uint64_t expected(std::size_t units) noexcept {
    std::array<std::uint64_t, kinds> sums{};
    for (std::size_t kind = 0; kind < kinds; ++kind) sums[kind] = steps(kind);
    std::uint64_t sum = 0;
    for (std::size_t unit = 0; unit < units; ++unit) sum += sums[unit % kinds];
    return sum;
  }

  /// So many steps from that number on; each waits for the one before it.
  [[gnu::noinline]] static std::uint64_t steps(std::uint64_t from,
                                               std::size_t count = steps_a_unit) noexcept {
    std::uint64_t x = from + 1;
    for (std::size_t k = 0; k < count; ++k) x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9;
    return x;
  }

 private:
  static constexpr std::size_t steps_a_unit = 8'500;
  static constexpr std::size_t kinds = 16;

  std::size_t left_;
  std::uint64_t checksum_ = 0;
};

}  // namespace pinion::preempt::bench
