// SPDX-License-Identifier: Apache-2.0
//
// floor_loop: no timers, but the loop that touches what any keeper of timers must, to set the others beside.
//
// A timer is a node of 32 bytes, half a cache line, in the same pages as the stores' own. Arming takes the
// node that was freed last, or else the next one, and stores deadline and payload there; cancelling reads the
// payload and stores the link of the free list; pushing on stores the deadline. One node is touched each time
// and nothing else: no bucket, no order, no handle that goes stale. So it can't tell what is due, and takes
// part only where nothing fires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/timer/detail/slab.hpp>

namespace pinion::timer::bench {

class floor_loop {
  struct alignas(32) node {
    node(std::uint64_t deadline, std::uint64_t carried) noexcept : deadline_ns(deadline), payload(carried) {}
    std::uint64_t deadline_ns;
    std::uint64_t payload;
    std::uint64_t next_free;
  };

 public:
  explicit floor_loop(std::uint64_t /*start_ns*/) {}

  std::uint32_t arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    std::uint32_t number = free_;
    if (number != none) {
      free_ = static_cast<std::uint32_t>(nodes_[number].next_free);
    } else {
      number = made_++;
      nodes_.grow_to(made_);
    }
    std::construct_at(&nodes_[number], deadline_ns, payload);
    return number;
  }
  std::uint64_t cancel(std::uint32_t number) {
    node& n = nodes_[number];
    n.next_free = free_;
    free_ = number;
    return n.payload;
  }
  std::uint32_t push_on(std::uint32_t number, std::uint64_t deadline_ns, std::uint64_t /*payload*/) {
    nodes_[number].deadline_ns = deadline_ns;
    return number;
  }
  /// Nothing is ever due.
  template <class Fired>
  void advance(std::uint64_t /*now_ns*/, Fired) {}

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  slab<node> nodes_;
  std::uint32_t made_ = 0;
  std::uint32_t free_ = none;
};

}  // namespace pinion::timer::bench
