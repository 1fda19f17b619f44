// SPDX-License-Identifier: Apache-2.0
//
// callback: a function and what it is about, in two words. It owns nothing and never allocates.
//
//   callback<const stall&> seen{
//       .function = [](void* to, const stall& s) noexcept { static_cast<my_log*>(to)->add(s); },
//       .context = &log};
//   if (seen) seen(what);
#pragma once

#include <utility>

namespace pinion {

/// A function that is told of `Args`, and its context. Empty by default. The context must outlive the last
/// call.
template <class... Args>
struct callback {
  void (*function)(void* context, Args... args) noexcept = nullptr;
  void* context = nullptr;

  /// Whether there is a function to call.
  [[nodiscard]] explicit operator bool() const noexcept { return function != nullptr; }
  /// Calls it. Not on an empty one.
  void operator()(Args... args) const noexcept { function(context, std::forward<Args>(args)...); }
};

}  // namespace pinion
