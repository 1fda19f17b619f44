// SPDX-License-Identifier: Apache-2.0
//
// Whether a sanitizer watches this program: then each operation takes ten times as long or more, and large
// tests do less.
#pragma once

namespace pinion::testing {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
inline constexpr bool is_sanitized = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace pinion::testing
