// SPDX-License-Identifier: Apache-2.0
//
// slice_log: quantiles, and a line for people.
#include <pinion/preempt/slice_log.hpp>

#include <cstdio>

namespace pinion::preempt {
namespace {

// The longest that is counted in that place.
std::uint64_t longest_in(std::size_t place) noexcept {
  constexpr std::size_t each = queue_slices::places_a_power;
  if (place < each) return place;
  return ((each + place % each + 1) << (place / each - 1)) - 1;
}

}  // namespace

duration queue_slices::quantile(std::uint32_t in_a_thousand) const noexcept {
  // The rank of that one, from 1; as many in a thousand of none are none.
  std::uint64_t left = std::max<std::uint64_t>((slices * std::min(in_a_thousand, 1000U) + 999) / 1000, 1);
  // Not the last place: it has all that are longer than fits.
  for (std::size_t place = 0; place + 1 < by_length.size(); ++place) {
    if (by_length[place] >= left) return std::min(duration{longest_in(place)}, longest);
    left -= by_length[place];
  }
  return longest;
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

}  // namespace pinion::preempt
