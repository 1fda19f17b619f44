// SPDX-License-Identifier: Apache-2.0
//
// microseconds: a duration as the texts of this part have it.
//
//   text.append(microseconds(policy.turn()));          // "12 us"
#pragma once

#include <cstdint>
#include <pinion/base/time.hpp>
#include <string>

namespace pinion::iosubmit {

/// Whole ones; what is less is left out.
inline std::string microseconds(duration time) { return std::to_string(time.ns / 1'000) + " us"; }

}  // namespace pinion::iosubmit
