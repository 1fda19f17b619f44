// SPDX-License-Identifier: Apache-2.0
//
// stall_watch: when to report a slice that goes on after its end, and which function is told (law Y3).
//
//   constexpr auto note = [](void* to, const stall& seen) noexcept { static_cast<my_log*>(to)->add(seen); };
//   const stall_watch watch{.after = ceil(25ms), .hook = {.function = note, .context = &logger}};
//   ticker_source source{ticker::shared(), watch};
//
// slice_log reports a slice that was too long to such a hook when the slice is over, with any source.
#pragma once

#include <cstdint>
#include <pinion/base/callback.hpp>
#include <pinion/base/time.hpp>

namespace pinion::preempt {

/// A slice that did not end when it should have.
struct stall {
  duration length{0};         ///< if the slice lasts still, how long ago it should have ended; else all of it
  bool lasts = false;         ///< seen from outside: by a source's thread, or from a signal
  const void* who = nullptr;  ///< the source that saw it, or the queue_slices
  std::uint32_t slice = 0;    ///< if it lasts still: its word's seen(), which is another one when it is over
};

/// The function that stalls are told to, once for each slice. Where `lasts`, it is called on a thread of the
/// source's or in a handler of signals, and the source says what it may do there; else on the owner's thread.
using stall_hook = callback<const stall&>;

/// What a source that sees stalls is to report.
struct stall_watch {
  duration after = forever;   ///< the end of the slice: how long it goes on before it is reported
  stall_hook hook{};          ///< empty: none is reported
  const void* who = nullptr;  ///< `stall::who`; a source puts itself there
};

}  // namespace pinion::preempt
