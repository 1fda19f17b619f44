// SPDX-License-Identifier: Apache-2.0
//
// cause: why the system says no to a call, and what to do about it; for the refusals of all rings.
//
//   const auto why = cause_of_no_descriptor(-EMFILE, 1024);
//   return refused_by("epoll_create1", -EMFILE, "an epoll_ring of 256 entries", *why);
#pragma once

#include <cstdint>
#include <optional>
#include <pinion/base/refusal.hpp>
#include <string>
#include <string_view>

namespace pinion::iosubmit {

/// The likely one, and the remedy in the imperative.
struct cause {
  std::string why;
  std::string remedy;
};

/// "; the limit in force is 1024 descriptors", or "none".
[[nodiscard]] std::string limit_in_force(std::uint64_t limit, std::string_view unit);

/// Of EMFILE and ENFILE, negative, where a descriptor was to be made; empty for another error.
[[nodiscard]] std::optional<cause> cause_of_no_descriptor(int error, std::uint64_t limit);

/// What `call` refused with that negative errno, which is also the refusal's code unless another one is
/// given.
[[nodiscard]] refusal refused_by(std::string_view call, int error, std::string asked, cause likely);
[[nodiscard]] refusal refused_by(std::string_view call, int error, std::string asked, cause likely, int code);

}  // namespace pinion::iosubmit
