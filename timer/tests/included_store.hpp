// SPDX-License-Identifier: Apache-2.0
//
// A function compiled with the headers and called by a test that imports.
#pragma once

#include <pinion/timer.hpp>

/// Polls `store` at `now` and returns what fired last, or -1.
int fire_through_header(pinion::timer::ordered_map<int>& store, pinion::instant now);
