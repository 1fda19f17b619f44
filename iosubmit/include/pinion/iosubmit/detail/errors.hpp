// SPDX-License-Identifier: Apache-2.0
//
// errors: what the kernel answers to an enter, why, and what to do about it.
//
// Five answers pass by themselves, and what is queued is kept: EINTR (a signal), EAGAIN (no memory for
// requests just now), EBUSY (completions overflowed: reap first), ETIME (the wait is over), EBADR
// (completions are lost, and the ring goes on). Any other means that this ring takes nothing more: it is
// reported once, and what is queued is answered with it.
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <string_view>

namespace pinion::iosubmit::errors {

/// EBADR, negative: the kernel had no memory to keep some completions, whose operations will not be answered.
inline constexpr std::int32_t completions_lost = -53;

/// Whether this negative errno of an enter passes by itself.
PINION_EXPORT [[nodiscard]] bool is_passing(std::int32_t error) noexcept;

/// What was refused, the likely cause and the remedy, for a negative errno of an enter.
PINION_EXPORT [[nodiscard]] std::string_view explain_enter(std::int32_t error) noexcept;

/// Says it through report().
PINION_EXPORT void complain(std::int32_t error) noexcept;

/// Says that a completion was dropped, as it names no answer and has no sink's mark.
PINION_EXPORT void complain_of_stranger(std::uint64_t user_data) noexcept;

/// Says that so many operations are not answered, which answers queued while their submission was destroyed.
PINION_EXPORT void complain_of_let_go(std::uint32_t count) noexcept;

}  // namespace pinion::iosubmit::errors
