// SPDX-License-Identifier: Apache-2.0
//
// report(): the one seam through which parts speak to whoever runs them.
//
// A part that falls back, ignores a setting or sees tuning due says so here and nowhere else. A program with
// a log of its own installs a sink; without one each place is printed once, on standard error:
//
//   pinion: warning: waker: the ring of 256 overflowed into its list; a larger ring would save the detour
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

namespace pinion {

/// How much a diagnostic matters: worth knowing, worth mending, or something does not work.
enum class severity : std::uint8_t { note, warning, error };

/// "note", "warning" or "error".
[[nodiscard]] std::string_view to_string(severity level) noexcept;

/// One thing a part has to say. The views are valid during the call of the sink.
struct diagnostic {
  severity level;
  std::string_view part;  ///< "timer", "waker", …
  std::string_view text;
  std::source_location place;  ///< where in the part; the same for each repetition
};

/// Receives diagnostics on whichever thread reports; several threads may be in it at once.
using diagnostic_sink = void (*)(const diagnostic&) noexcept;

/// Installs `sink`, or the default one for nullptr, and returns the one that stood before. Any thread, any
/// time. A report that began before the change may still be in the old sink, which therefore must stay
/// callable.
diagnostic_sink set_diagnostic_sink(diagnostic_sink sink) noexcept;

/// Hands a diagnostic to the sink. Any thread. Parts call it off their hot paths.
void report(severity level, std::string_view part, std::string_view text,
            std::source_location place = std::source_location::current()) noexcept;

}  // namespace pinion
