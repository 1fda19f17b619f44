// SPDX-License-Identifier: Apache-2.0
//
// slice_log: quantiles, and a line for people.
#include <pinion/preempt/slice_log.hpp>

#include <cstdio>

namespace pinion::preempt::inline PINION_MODE {

duration queue_slices::quantile(std::uint32_t in_a_thousand) const noexcept {
#if PINION_COUNTED
  return std::min(duration{by_length.quantile(in_a_thousand)}, longest);
#else
  static_cast<void>(in_a_thousand);
  return longest;
#endif
}

std::string to_string(const queue_slices& of) {
  const auto us = [](duration length) { return static_cast<double>(length.ns) / 1e3; };
  const auto each = [&](std::uint64_t count) {
    return of.slices == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of.slices);
  };
  char text[200];
  std::snprintf(text, sizeof text,
                "%llu slices, %.1f checks and %.1f yields each; P50 %.1f us, P99 %.1f us, longest %.1f us",
                static_cast<unsigned long long>(of.slices), each(of.checks), each(of.yields),
                us(of.quantile(500)), us(of.p99()), us(of.longest));
  return text;
}

}  // namespace pinion::preempt::inline PINION_MODE
