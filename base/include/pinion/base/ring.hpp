// SPDX-License-Identifier: Apache-2.0
//
// ring_wait, ring_entered, ring_completion: what passes between a ring and whoever owns it.
//
// A ring takes entries (ring_port.hpp), hands them to the kernel in one call that may also wait, and gives back completions. These
// are the words of that talk, the same for the kernel's ring, for one that is made of readiness calls, and for one in virtual time.
//
//   const ring_entered done = ring.enter({.count = 1, .timeout = deadline - now});
//   ring.reap([](const ring_completion& c) { answer_of(c.user_data).answered(answer_of(c.user_data), c.result); });
#pragma once

#include <bit>
#include <cstdint>
#include <pinion/base/ring_port.hpp>
#include <pinion/base/time.hpp>

namespace pinion {

/// How long an enter stays in the kernel. The default does not wait.
struct ring_wait {
  std::uint32_t count = 0;     ///< until that many completions are there …
  duration gather{0};          ///< … but not longer than this for more than one; unused if count is below 2
  duration timeout = forever;  ///< and in no case longer than this
  bool keeps_pending = false;  ///< without handing over what is pending, which was refused
  friend constexpr bool operator==(const ring_wait&, const ring_wait&) noexcept = default;
};

/// What became of an enter.
struct ring_entered {
  std::uint32_t accepted = 0;  ///< so many entries are the kernel's now; the others are still pending
  std::int32_t error = 0;      ///< 0, or the negative errno; ETIME is none
  friend constexpr bool operator==(const ring_entered&, const ring_entered&) noexcept = default;
};

/// One completion: the entry's user_data, or what another ring sent.
struct ring_completion {
  std::uint64_t user_data;
  std::int32_t result;  ///< negative is an error
  std::uint32_t flags;  ///< the kernel's; 0 from others

  /// The kernel's flag that says: this entry will be answered again.
  static constexpr std::uint32_t more = 2;
};

/// How an answer is named in an entry's user_data: its address, and a mark in the three bits that are free there. An entry that
/// cancels another one says this, too.
[[nodiscard]] inline std::uint64_t user_data_of(const ring_answer& answer, std::uint8_t mark) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&answer)) | mark;
}
/// The answer that such a user_data names.
[[nodiscard]] inline ring_answer& answer_of(std::uint64_t user_data) noexcept {
  return *std::bit_cast<ring_answer*>(static_cast<std::uintptr_t>(user_data & ~std::uint64_t{7}));
}
/// The mark of such a user_data, 0 to 7.
[[nodiscard]] constexpr std::uint8_t mark_of(std::uint64_t user_data) noexcept {
  return static_cast<std::uint8_t>(user_data & 7U);
}
static_assert(alignof(ring_answer) >= 8, "three bits of an answer's address are a mark");

}  // namespace pinion
