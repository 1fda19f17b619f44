// SPDX-License-Identifier: Apache-2.0
//
// schedule: when operations are asked for, and when there is other work, whoever is measured: drawn
// beforehand, so that a contestant that is slow meets the same load as one that is not.
//
//   schedule load;
//   load.add_operations(begin, end, 20'000);        // at random moments, one in 20 us on the average
//   load.add_work(begin, end, 100'000, 70'000);     // other work of 70 us on the average, one in 100 us
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine.hpp"

namespace pinion::iosubmit::bench {

/// Times are nanoseconds from the beginning.
struct schedule {
  struct work {
    std::uint64_t at = 0;
    std::uint64_t length = 0;
  };

  std::vector<std::uint64_t> operations{};
  std::vector<work> others{};
  std::uint64_t slice = 5'000;  ///< what a turn does of them at most

  /// Operations that come independently of each other.
  void add_operations(std::uint64_t begin, std::uint64_t end, double mean_gap) {
    for (std::uint64_t at = begin + drawn(mean_gap); at < end; at += drawn(mean_gap))
      operations.push_back(at);
  }
  /// Other work that comes so, of lengths that vary alike.
  void add_work(std::uint64_t begin, std::uint64_t end, double mean_gap, double mean_length) {
    for (std::uint64_t at = begin + drawn(mean_gap); at < end; at += drawn(mean_gap)) {
      others.push_back({at, drawn(mean_length)});
    }
  }

 private:
  /// Exponential.
  std::uint64_t drawn(double mean) noexcept {
    const double part = (static_cast<double>(random_.next() >> 11U) + 1) * 0x1p-53;  // (0, 1]
    return static_cast<std::uint64_t>(-std::log(part) * mean);
  }

  random_numbers random_{2'026};
};

}  // namespace pinion::iosubmit::bench
