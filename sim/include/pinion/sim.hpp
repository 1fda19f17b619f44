// SPDX-License-Identifier: Apache-2.0
//
// pinion's sim part: what stands in for the world in a test.
#pragma once

#include <pinion/sim/explore.hpp>
#include <pinion/sim/explored_sync.hpp>
#include <pinion/sim/run_until.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_network.hpp>
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/sim/virtual_ring.hpp>
