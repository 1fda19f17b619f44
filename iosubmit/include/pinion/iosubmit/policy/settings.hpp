// SPDX-License-Identifier: Apache-2.0
//
// settings: what a program, or its environment, asks of a chosen_policy.
//
// Three values, each from code, else from the environment, else built in:
//
//   PINION_SUBMIT_MODE         low-latency, high-throughput, balanced or adaptive (built in)
//   PINION_SUBMIT_BATCH_SIZE   1 to 32768
//   PINION_SUBMIT_MAX_WAIT_US  1 to 1000000
//
// Batch size and longest wait take the place of the mode's own: in low-latency of its 1 and 100 us; in
// high-throughput of its 64 and 1000 us, which also bounds how long a wait gathers; in balanced of those that
// it picks from while it is not stressed (8, 32, 64; 200, 500, 1000 us); in adaptive of the most that it may
// come to, also of what a wait gathers.
//
// A value is taken as it must be written, or refused: nothing around it, no sign, no leading zero. Where one
// is refused none of the environment's counts, since they were meant together, and report() says which, what
// was given, and what is valid.
//
//   chosen_policy policy{effective({.mode = submit_mode::balanced})};  // the numbers: from the environment
//   std::puts(to_string(policy.settings()).c_str());  // "mode balanced (code), batch size 16 (env…"
#pragma once

#include <cstdint>
#include <optional>
#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pinion::iosubmit {

/// What is asked for; what is empty, is not.
struct settings {
  /// The bounds of what parse_settings() takes: the most entries that a ring can have, and a second.
  static constexpr std::uint32_t batch_size_max = 32'768;
  static constexpr std::uint32_t max_wait_us_max = 1'000'000;

  std::optional<submit_mode> mode = std::nullopt;
  std::optional<std::uint32_t> batch_size = std::nullopt;
  std::optional<duration> max_wait = std::nullopt;
  friend bool operator==(const settings&, const settings&) = default;
};

/// The same before it is parsed, as variables hold it; empty where there is no such variable.
struct settings_text {
  std::optional<std::string_view> mode = std::nullopt;
  std::optional<std::string_view> batch_size = std::nullopt;
  std::optional<std::string_view> max_wait_us = std::nullopt;
};

/// What those texts ask for; or a refusal for each of them that is not taken, with EINVAL. What was given is
/// shortened and made printable there. Nothing else decides: no environment, no locale.
PINION_EXPORT [[nodiscard]] expected<settings, std::vector<refusal>>
parse_settings(const settings_text& text);

/// What the environment of this process asks for, read by the first call, on any thread. Where something is
/// refused it is reported as an error, by that call, and nothing is asked for.
PINION_EXPORT [[nodiscard]] const settings& settings_of_environment();

/// Where a value is from.
enum class setting_source : std::uint8_t { built_in, environment, code };

/// "built in", "environment" or "code".
PINION_EXPORT [[nodiscard]] std::string_view to_string(setting_source source) noexcept;

/// What holds. A batch size or a wait that is empty is the mode's own.
struct effective_settings {
  submit_mode mode = submit_mode::adaptive;
  std::optional<std::uint32_t> batch_size = std::nullopt;
  std::optional<duration> max_wait = std::nullopt;
  setting_source mode_from = setting_source::built_in;
  setting_source batch_size_from = setting_source::built_in;
  setting_source max_wait_from = setting_source::built_in;
  friend bool operator==(const effective_settings&, const effective_settings&) = default;
};

/// One line for people, with where each value is from.
PINION_EXPORT [[nodiscard]] std::string to_string(const effective_settings& all);

/// Each value from code where it is there, else from the environment, else built in. As from code a batch
/// size of 0 is 1.
PINION_EXPORT [[nodiscard]] effective_settings effective(const settings& from_code,
                                                         const settings& from_environment) noexcept;

/// The same with this process's environment. What it says is reported as a note, each time that it says
/// something new.
PINION_EXPORT [[nodiscard]] effective_settings effective(const settings& from_code = {});

}  // namespace pinion::iosubmit
