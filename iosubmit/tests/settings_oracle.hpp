// SPDX-License-Identifier: Apache-2.0
//
// What parse_settings() must make of any three texts, character by character: for its property, and for its
// fuzzer.
//
//   if (const violation wrong = judge({.mode = "balanced"})) …
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <pinion/iosubmit/policy/settings.hpp>
#include <string>
#include <string_view>

#include "violation.hpp"

namespace pinion::iosubmit::testing {

using pinion::testing::in_words;
using pinion::testing::violation;

/// Whether it is a number as it is printed, from 1 to that.
inline bool is_canonical(std::string_view text, std::uint64_t most) {
  if (text.empty() || text.size() > 9 || text[0] == '0') return false;
  std::uint64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    value = 10 * value + static_cast<std::uint64_t>(digit - '0');
  }
  return value <= most;
}

/// What is wrong with what parse_settings() says of those texts.
inline violation judge(const settings_text& text) {
  const bool has_good_mode = !text.mode || *text.mode == "low-latency" || *text.mode == "high-throughput" ||
                             *text.mode == "balanced" || *text.mode == "adaptive";
  const bool has_good_batch = !text.batch_size || is_canonical(*text.batch_size, 32'768);
  const bool has_good_wait = !text.max_wait_us || is_canonical(*text.max_wait_us, 1'000'000);
  const auto parsed = parse_settings(text);
  if (parsed.has_value() != (has_good_mode && has_good_batch && has_good_wait))
    return in_words(parsed ? "taken" : "refused", ": mode '", text.mode.value_or("(none)"), "', batch size '",
                    text.batch_size.value_or("(none)"), "', wait '", text.max_wait_us.value_or("(none)"),
                    "'");
  if (!parsed) {
    const auto expected =
        std::ranges::count(std::initializer_list<bool>{has_good_mode, has_good_batch, has_good_wait}, false);
    if (static_cast<std::ptrdiff_t>(parsed.error().size()) != expected)
      return in_words(parsed.error().size(), " were refused, and not ", expected);
    for (const refusal& one : parsed.error()) {
      for (const char c : to_string(one)) {
        if (c < ' ' || c > '~') return in_words("the message about ", one.asked, " is not printable");
      }
      if (to_string(one).size() > 250) return in_words("the message about ", one.asked, " repeats too much");
    }
    return {};
  }
  const bool has_mode = parsed->mode.has_value() == text.mode.has_value();
  const bool has_batch = parsed->batch_size.has_value() == text.batch_size.has_value();
  const bool has_wait = parsed->max_wait.has_value() == text.max_wait_us.has_value();
  if (!has_mode || !has_batch || !has_wait)
    return in_words("a value is there that was not given, or the other way round");
  if (text.mode && to_string(*parsed->mode) != *text.mode) return in_words("the mode became another one");
  if (text.batch_size && std::to_string(*parsed->batch_size) != *text.batch_size)
    return in_words("the batch size became ", *parsed->batch_size);
  if (text.max_wait_us && std::to_string(parsed->max_wait->ns) != std::string{*text.max_wait_us} + "000")
    return in_words("the wait became ", parsed->max_wait->ns, " ns");
  return {};
}

}  // namespace pinion::iosubmit::testing
