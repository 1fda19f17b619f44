// SPDX-License-Identifier: Apache-2.0
//
// import pinion.sim: what <pinion/sim.hpp> declares, the same entities.
module;
#include <pinion/sim.hpp>

export module pinion.sim;
export import pinion.base;

export namespace pinion::sim {
using pinion::sim::exploration;
using pinion::sim::explore;
using pinion::sim::explored_sync;
using pinion::sim::limits;
using pinion::sim::network_event;
using pinion::sim::owner_of_virtual_ring;
using pinion::sim::replay;
using pinion::sim::require;
using pinion::sim::run_end;
using pinion::sim::run_result;
using pinion::sim::run_until;
using pinion::sim::run_until_idle;
using pinion::sim::scenario;
using pinion::sim::sleeper;
using pinion::sim::turn_function;
using pinion::sim::turns_usual;
using pinion::sim::virtual_answer;
using pinion::sim::virtual_clock;
using pinion::sim::virtual_network;
using pinion::sim::virtual_network_options;
using pinion::sim::virtual_notifier;
using pinion::sim::virtual_ring;
using pinion::sim::virtual_ring_counts;
using pinion::sim::virtual_ring_options;
}  // namespace pinion::sim
