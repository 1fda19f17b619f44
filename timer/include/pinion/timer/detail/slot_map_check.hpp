// SPDX-License-Identifier: Apache-2.0
//
// Part of slot_map.hpp, which includes it: the map's check of itself.
#pragma once

#include <pinion/timer/detail/invariant.hpp>
#include <vector>

namespace pinion::timer::inline PINION_MODE {

template <class Value, class Tag>
std::string slot_map<Value, Tag>::violated_invariant() const {
  using invariant_detail::broken;
  std::size_t taken = 0;
  for (std::uint32_t k = 0; k < made_; ++k) taken += is_taken(k) ? 1U : 0U;
  if (taken != size_) return broken(taken, " slots are taken, and the map counts ", size_);

  std::size_t free = 0;
  std::vector<bool> seen(made_);
  for (std::uint32_t k = free_; k != none; k = slots_[k].next_free) {
    if (k >= made_) return broken("the free list goes on in slot ", k, " of ", made_);
    if (is_taken(k)) return broken("slot ", k, " is taken, and in the free list");
    if (seen[k]) return broken("slot ", k, " is twice in the free list");
    seen[k] = true;
    ++free;
  }
  if (made_ != taken + free + retired_) {
    return broken(made_, " slots were made, and ", taken, " are taken, ", free, " free, ", retired_,
                  " retired");
  }
  return {};
}

}  // namespace pinion::timer::inline PINION_MODE
