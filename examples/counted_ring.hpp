// SPDX-License-Identifier: Apache-2.0
//
// A ring that counts, for examples that say what they cost. Any type with a ring's calls is one. No part of
// pinion.
#pragma once

#include <cstddef>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit.hpp>

struct counted_ring : pinion::iosubmit::uring_ring {
  using pinion::iosubmit::uring_ring::basic_uring_ring;
  void put(const pinion::ring_entry& entry) noexcept {
    ++entries;
    pinion::iosubmit::uring_ring::put(entry);
  }
  pinion::ring_entered enter(const pinion::ring_wait& wait) noexcept {
    ++enters;
    return pinion::iosubmit::uring_ring::enter(wait);
  }
  std::size_t entries = 0, enters = 0;
};
