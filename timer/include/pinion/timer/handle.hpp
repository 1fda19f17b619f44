// SPDX-License-Identifier: Apache-2.0
//
// handle: names one armed timer of one store, in 64 bits that only the store can read.
//
// One type for all stores, so that code which keeps a handle does not change when the backend does. A handle
// may be kept for ever: once its timer has fired, been cancelled or been cleared, the store refuses it (law
// T5).
#pragma once

#include <cstdint>

namespace pinion::timer {

class handle {
 public:
  /// Names no timer; every store refuses it.
  constexpr handle() noexcept = default;

  /// For stores, and for carrying a handle through a 64-bit word and back.
  [[nodiscard]] static constexpr handle from_bits(std::uint64_t bits) noexcept {
    handle h;
    h.bits_ = bits;
    return h;
  }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }

  /// False for a default-constructed handle. True says nothing about whether the timer is still armed.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return bits_ != 0; }

  friend constexpr bool operator==(handle, handle) noexcept = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace pinion::timer
