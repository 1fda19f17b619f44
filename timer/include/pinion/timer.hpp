// SPDX-License-Identifier: Apache-2.0
//
// pinion's timer part: the concepts with their laws, and every store.
#pragma once

#include <pinion/timer/concept.hpp>
#include <pinion/timer/default_store.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/ordered_map.hpp>
#include <pinion/timer/slot_map.hpp>
#include <pinion/timer/work_counter.hpp>
