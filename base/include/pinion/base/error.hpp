// SPDX-License-Identifier: Apache-2.0
//
// errc, expected: how a part says no.
//
// What a caller can meet in normal use is a value: expected<T> holds a T or the errc that says why not. errc
// is a std::error_code enumeration, so it mixes with the errors of an executor that has its own:
//
//   pinion::expected<handle> armed = store.try_schedule(deadline, std::move(job));
//   if (!armed) return std::error_code{armed.error()};   // "the deadline has already passed: …"
//
// Broken contracts are not errors but assertions (assert.hpp); exhausted memory is std::bad_alloc.
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <type_traits>

namespace pinion {

/// Why a part refused. Values are stable: a new one is added at the end.
enum class errc : std::uint8_t {
  deadline_passed = 1,  ///< the deadline is not after the store's latest now
  deadline_too_far,     ///< the deadline lies beyond the range the store declares
  capacity_exceeded,    ///< as many entries live as handles can name
  overflow,             ///< the arithmetic left 64 bits
  invalid_handle,       ///< no entry was ever known by this handle here
  not_found,            ///< the entry was there, and has fired, been cancelled or been cleared
  closed,               ///< the gate or channel was closed before
};

/// What was refused, the likely cause and the remedy, in one sentence. For an unknown value says so.
PINION_EXPORT [[nodiscard]] std::string_view explain(errc code) noexcept;

/// The category "pinion" of error codes made from errc. `message()` is explain().
PINION_EXPORT [[nodiscard]] const std::error_category& error_category() noexcept;

/// Found by argument-dependent lookup when an errc becomes a std::error_code.
[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// A value, or why there is none. Always tl::expected, never std::expected: what a name means must not depend
/// on the language version that a translation unit is compiled with.
template <class T, class E = errc>
using expected = tl::expected<T, E>;

/// Wraps an error on its way into an expected.
template <class E>
using unexpected = tl::unexpected<E>;

}  // namespace pinion

template <>
struct std::is_error_code_enum<pinion::errc> : std::true_type {};
