// SPDX-License-Identifier: Apache-2.0
//
// latency_window: the last N latencies, their average at any time, their percentiles when somebody asks.
//
// A ring beside a running sum: a push is a store and two additions, the average one division. Percentiles are
// taken from a copy on the stack, so they cost what a selection among N costs, and are asked for at a
// re-adjustment, not at a decision. They are by nearest rank: of n held, the P99 is the ceil(0.99 n)-th
// smallest, one that was seen. Of 128 that is the second worst, and with fewer than 101 the worst: who
// decides by it asks size() first.
//
//   latency_window window;
//   window.push(duration{80'000});
//   const bool is_slow = window.size() >= 101 && window.percentiles().p99 > duration{50'000'000};
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <pinion/base/time.hpp>

namespace pinion::iosubmit::policy_detail {

/// Of what a window holds, by nearest rank. All 0 where it holds nothing.
struct latency_percentiles {
  duration p50{0};
  duration p99{0};
  duration p999{0};
  friend constexpr bool operator==(const latency_percentiles&, const latency_percentiles&) noexcept = default;
};

/// The last N latencies. A value; never allocates.
template <std::uint32_t N = 128>
class latency_window {
  static_assert(N != 0, "a window of no latencies has no average");

 public:
  /// A longer one is held as this (four years, for 128), so that the sum can't overflow.
  static constexpr duration longest{forever.ns / N};

  /// Holds another, in the place of the one that was pushed N pushes ago.
  constexpr void push(duration latency) noexcept {
    const std::uint64_t held = std::min(latency, longest).ns;
    sum_ += held - held_[next_];
    held_[next_] = held;
    next_ = next_ + 1 == N ? 0 : next_ + 1;
    if (size_ != N) ++size_;
  }

  /// How many are held, at most N.
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return size_; }

  /// Of those held, rounded down. 0 where there is none.
  [[nodiscard]] constexpr duration average() const noexcept {
    if (size_ == N) return duration{sum_ / N};
    return duration{size_ == 0 ? 0 : sum_ / size_};
  }

  /// Of those held.
  [[nodiscard]] constexpr latency_percentiles percentiles() const noexcept {
    if (size_ == 0) return {};
    std::array<std::uint64_t, N> ordered = held_;
    // From the highest down: below the place of one, all are smaller or equal to it, and the next is sought
    // there alone.
    auto* end = ordered.data() + size_;
    const auto select = [&](std::uint64_t permille) {
      auto* place = ordered.data() + (size_ * permille + 999) / 1000 - 1;
      if (place < end) std::nth_element(ordered.data(), place, end);
      end = place;
      return duration{*place};
    };
    const duration p999 = select(999);
    const duration p99 = select(990);
    const duration p50 = select(500);
    return {.p50 = p50, .p99 = p99, .p999 = p999};
  }

  friend constexpr bool operator==(const latency_window&, const latency_window&) noexcept = default;

 private:
  std::array<std::uint64_t, N> held_{};  // 0 where nothing was pushed yet
  std::uint64_t sum_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace pinion::iosubmit::policy_detail
