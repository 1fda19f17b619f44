// SPDX-License-Identifier: Apache-2.0
//
// report(): the one seam through which parts speak to the person who runs a program.
//
// A part that falls back, ignores a setting or sees tuning due says so here and nowhere else. A program with
// a log of its own installs a sink, which gets everything. The default sink prints on standard error, from a
// threshold on, and each key once:
//
//   pinion: warning: waker: the ring of 256 overflowed into its list; a larger ring would save the detour
//
// The threshold is `error`, so a program that works prints nothing. The environment sets another one:
// PINION_LOG is `error`, `warning` or `note`. What the program says counts for more:
//
//   set_diagnostic_threshold(severity::warning);
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <string_view>

namespace pinion {

/// How much a diagnostic matters: worth knowing, worth mending, or something does not work. In ascending
/// order.
enum class severity : std::uint8_t { note, warning, error };

/// "note", "warning" or "error".
PINION_EXPORT [[nodiscard]] std::string_view to_string(severity level) noexcept;

/// One thing a part has to say. The views are valid during the call of the sink.
struct diagnostic {
  severity level;
  std::string_view part;  ///< "timer", "waker", …
  std::string_view key;   ///< what it is about, for programs: "inbox-overflow". Repetitions have it in common
  std::string_view text;  ///< what happened, why, and what to do, for people
};

/// Receives diagnostics on the thread that reports; several threads may be in it at once.
using diagnostic_sink = void (*)(const diagnostic&) noexcept;

/// Installs `sink`, or the default one for nullptr, and returns the one that stood before. Any thread, any
/// time. A report that began before the change may still be in the old sink, which therefore must stay
/// callable. A sink gets every diagnostic: neither threshold nor key keeps one back.
PINION_EXPORT diagnostic_sink set_diagnostic_sink(diagnostic_sink sink) noexcept;

/// From here on the default sink prints what is at least that severe. Returns the threshold that stood
/// before. Any thread, any time. Until it is called, PINION_LOG decides, and without that `error`. The
/// environment is read once: by this call, or with the first diagnostic that meets the default sink. A value
/// other than `error`, `warning` and `note` is itself printed as an error, and `error` stands.
PINION_EXPORT severity set_diagnostic_threshold(severity least) noexcept;

/// Hands a diagnostic to the sink. Any thread. Parts call it off their hot paths. The default sink prints it
/// if it is at least as severe as the threshold, and nothing of the same part and key was printed before. The
/// default sink waits for no thread, so a child of fork() may report, too.
PINION_EXPORT void report(severity level, std::string_view part, std::string_view key,
                          std::string_view text) noexcept;

}  // namespace pinion
