// SPDX-License-Identifier: Apache-2.0
//
// default_store: the store a build recommends, chosen by the option PINION_TIMER_DEFAULT.
//
// An alias and nothing else: whatever is compiled on it names the concrete type, so two builds with different
// defaults have different symbols.
#pragma once

#include <pinion/config.hpp>
#include PINION_TIMER_DEFAULT_HEADER

namespace pinion::timer::inline PINION_MODE {

template <class Value>
using default_store = PINION_TIMER_DEFAULT<Value>;

}  // namespace pinion::timer::inline PINION_MODE
