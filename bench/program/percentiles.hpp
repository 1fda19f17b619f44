// SPDX-License-Identifier: Apache-2.0
//
// percentiles: how single operations are spread, where a mean would hide it.
//
//   const percentiles spread = percentiles_of(samples);   // sorts them
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pinion::bench {

/// Of an operation, in nanoseconds of wall time.
struct percentiles {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
};

/// Sorts the samples.
inline percentiles percentiles_of(std::vector<double>& samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double part) {
    const auto place = static_cast<std::size_t>(part * static_cast<double>(samples.size()));
    return samples[std::min(place, samples.size() - 1)];
  };
  return {at(0.5), at(0.99), at(0.999)};
}

}  // namespace pinion::bench
