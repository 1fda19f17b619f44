// SPDX-License-Identifier: Apache-2.0
#include "explore_memory.hpp"

namespace pinion::sim::explore_detail {

ordered_set total_order::closure(const ordered_set& from) const {
  ordered_set result = from;
  for (std::size_t number = 0; number < count_; ++number) {
    if (from.has(number)) result |= after_[number];
  }
  return result;
}

void total_order::connect(const ordered_set& from, const ordered_set& to) {
  if (from.empty() || to.empty()) return;
  const ordered_set reached = closure(to);
  for (std::size_t number = 0; number < count_; ++number) {
    if (from.has(number) || after_[number].meets(from)) after_[number] |= reached;
  }
}

void total_order::remember_fence(std::size_t number, const knowledge& known) {
  if (fences_ == fence_records_.size()) fence_records_.emplace_back();
  fence_records_[fences_].number = number;
  fence_records_[fences_].known = known;
  ++fences_;
}

ordered_set total_order::fences_beyond(std::size_t word, stamp at) const {
  ordered_set result;
  for (std::size_t index = 0; index < fences_; ++index) {
    if (fence_records_[index].known.at(word) > at) result.add(fence_records_[index].number);
  }
  return result;
}

}  // namespace pinion::sim::explore_detail
