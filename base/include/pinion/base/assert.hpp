// SPDX-License-Identifier: Apache-2.0
//
// PINION_ASSERT: contracts, checked where the build says so.
//
// A build configured with PINION_ASSERT=ON is called *checked*: a broken contract reaches the violation
// handler, by default a line on standard error and abort(). In an unchecked build the condition is not
// evaluated. The choice is the build's (config.hpp), never NDEBUG's, and names the inline namespace
// PINION_MODE that every type whose layout or code depends on it lives in, so that a checked and an unchecked
// build can share one program.
//
//   PINION_ASSERT(!polling_, "poll() was called from inside a sink: return from the sink first");
//
// Tests install a handler that throws, and expect the violation.
#pragma once

#include <pinion/base/export.hpp>
#include <pinion/config.hpp>
#include <source_location>
#include <string_view>

namespace pinion {

/// One broken contract: the condition that did not hold, what it means, and where.
struct contract_violation {
  std::string_view condition;
  std::string_view meaning;
  std::source_location place;
};

/// Receives violations, on the thread that met one. It may throw or not return; when it returns, the program
/// is aborted: nothing after a broken contract can be relied on. A throw out of a noexcept function
/// terminates.
using violation_handler = void (*)(const contract_violation&);

/// Installs `handler`, or the default one for nullptr, and returns the one that stood before. Any thread, any
/// time.
PINION_EXPORT violation_handler set_violation_handler(violation_handler handler) noexcept;

namespace assert_detail {
PINION_EXPORT [[noreturn]] void violated(std::string_view condition, std::string_view meaning,
                                         std::source_location place);
}  // namespace assert_detail

}  // namespace pinion

#if PINION_CHECKED
#define PINION_ASSERT(condition, meaning)                                                                    \
  ((condition) ? static_cast<void>(0)                                                                        \
               : ::pinion::assert_detail::violated(#condition, meaning, ::std::source_location::current()))
#else
#define PINION_ASSERT(condition, meaning) static_cast<void>(sizeof(!(condition)))
#endif
