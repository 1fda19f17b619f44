// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/policy/settings.hpp>
#include <system_error>

#include "microseconds.hpp"

namespace pinion::iosubmit {
namespace {

constexpr const char* mode_variable = "PINION_SUBMIT_MODE";
constexpr const char* batch_size_variable = "PINION_SUBMIT_BATCH_SIZE";
constexpr const char* max_wait_variable = "PINION_SUBMIT_MAX_WAIT_US";

std::optional<submit_mode> mode_of(std::string_view text) noexcept {
  for (const submit_mode mode : submit_modes) {
    if (text == to_string(mode)) return mode;
  }
  return {};
}

/// A whole number from 1 on, as it is printed: from_chars knows neither signs nor spaces here, and a leading
/// zero is seen before it.
std::optional<std::uint32_t> number_of(std::string_view text, std::uint32_t most) noexcept {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || text.front() == '0') return {};
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || value > most) return {};
  return value;
}

std::optional<std::string_view> variable(const char* name) noexcept {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional<std::string_view>{text};
}

settings read_environment() {
  const auto asked = parse_settings({.mode = variable(mode_variable),
                                     .batch_size = variable(batch_size_variable),
                                     .max_wait_us = variable(max_wait_variable)});
  if (asked) return *asked;
  std::string all;
  for (const refusal& one : asked.error()) all.append(to_string(one)).append("; ");
  report(severity::error, "iosubmit", "environment",
         all.append("nothing that the environment says of submission is in effect"));
  return {};
}

template <class T>
setting_source overlay(std::optional<T>& into, const std::optional<T>& from_code,
                       const std::optional<T>& from_environment) noexcept {
  into = from_code ? from_code : from_environment;
  return from_code          ? setting_source::code
         : from_environment ? setting_source::environment
                            : setting_source::built_in;
}

refusal refused(const char* variable, std::string_view given, const char* valid) {
  constexpr std::size_t longest = 40;
  std::string shown{given.substr(0, longest)};
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  if (given.size() > longest) shown.append("...");
  return {.code = std::make_error_code(std::errc::invalid_argument),
          .asked = std::string{variable}.append(" is \"").append(shown).append("\""),
          .reason = "that is not valid",
          .remedy = std::string{"set it to "}.append(valid).append(", or unset it")};
}

}  // namespace

expected<settings, std::vector<refusal>> parse_settings(const settings_text& text) {
  settings asked;
  std::vector<refusal> all;
  if (text.mode) {
    asked.mode = mode_of(*text.mode);
    if (!asked.mode)
      all.push_back(refused(mode_variable, *text.mode, "low-latency, high-throughput, balanced or adaptive"));
  }
  if (text.batch_size) {
    asked.batch_size = number_of(*text.batch_size, settings::batch_size_max);
    if (!asked.batch_size)
      all.push_back(refused(batch_size_variable, *text.batch_size, "a whole number from 1 to 32768"));
  }
  if (text.max_wait_us) {
    if (const auto microseconds = number_of(*text.max_wait_us, settings::max_wait_us_max))
      asked.max_wait = duration{*microseconds * std::uint64_t{1'000}};
    else
      all.push_back(
          refused(max_wait_variable, *text.max_wait_us, "a whole number of microseconds from 1 to 1000000"));
  }
  if (!all.empty()) return unexpected<std::vector<refusal>>{std::move(all)};
  return asked;
}

const settings& settings_of_environment() {
  static const settings read = read_environment();
  return read;
}

std::string_view to_string(setting_source source) noexcept {
  switch (source) {
  case setting_source::built_in: return "built in";
  case setting_source::environment: return "environment";
  case setting_source::code: return "code";
  }
  return "nowhere";
}

std::string to_string(const effective_settings& all) {
  std::string text{"mode "};
  text.append(to_string(all.mode)).append(" (").append(to_string(all.mode_from)).append("), batch size ");
  if (all.batch_size)
    text.append(std::to_string(*all.batch_size))
        .append(" (")
        .append(to_string(all.batch_size_from))
        .append(")");
  else
    text.append("as the mode has it");
  text.append(", longest wait ");
  if (all.max_wait)
    text.append(microseconds(*all.max_wait)).append(" (").append(to_string(all.max_wait_from)).append(")");
  else
    text.append("as the mode has it");
  return text;
}

effective_settings effective(const settings& from_code, const settings& from_environment) noexcept {
  effective_settings all;
  std::optional<submit_mode> mode;
  all.mode_from = overlay(mode, from_code.mode, from_environment.mode);
  all.mode = mode.value_or(all.mode);
  all.batch_size_from = overlay(all.batch_size, from_code.batch_size, from_environment.batch_size);
  all.max_wait_from = overlay(all.max_wait, from_code.max_wait, from_environment.max_wait);
  if (all.batch_size == 0U) all.batch_size = 1;
  return all;
}

effective_settings effective(const settings& from_code) {
  const effective_settings all = effective(from_code, settings_of_environment());
  static std::mutex mutex;
  // Never destroyed: a policy may be made while the program exits.
  static auto& told = *new std::vector<effective_settings>;
  const std::lock_guard lock{mutex};
  if (std::ranges::find(told, all) == told.end()) {
    const std::string text = "submission: " + to_string(all);
    report(severity::note, "iosubmit", text, text);
    told.push_back(all);
  }
  return all;
}

}  // namespace pinion::iosubmit
