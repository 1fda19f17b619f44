// SPDX-License-Identifier: Apache-2.0
//
// slice_log: quantiles, and a line for people.
#include <pinion/preempt/slice_log.hpp>

#include <cstdio>
#include <pinion/base/diagnostic.hpp>

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

void slice_log_detail::tell_of_check_outside() noexcept {
  report(severity::error, "preempt", "check-outside-slice",
         "a task checked whether to yield while no slice runs, so it is never told to: it was resumed by "
         "something other "
         "than its executor's queue, or the executor does not tell its slice_log of slices. Give the promise "
         "an executor(), "
         "so that what it awaits makes it ready; and begin a slice before a task runs (slicer::begin)");
}

}  // namespace pinion::preempt::inline PINION_MODE
