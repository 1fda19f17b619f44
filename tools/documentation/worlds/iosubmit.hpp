// SPDX-License-Identifier: Apache-2.0
//
// What the samples of iosubmit speak of (tools/documentation/header_samples.py).
#pragma once
#include <pinion/iosubmit.hpp>

#include "common.hpp"

using namespace pinion::iosubmit;
using namespace pinion::iosubmit::epoll_detail;
using namespace pinion::iosubmit::policy_detail;
using namespace pinion::iosubmit::submission_detail;

template <class Result = void>
using task = task_of<Result>;

struct world : common {
  submission<default_policy, uring_ring> io{uring_ring{{}}};
  queue_state state;
  balanced policy;
  cancel_slot slot;
  uring_ring ring{{}};
  flight_count in_flight;
  operation_backlog backlog;
  ring_entered entered;
  operation& what;
  static void accepted(ring_answer&, std::int32_t) noexcept;
  static void stopped(ring_answer&, std::int32_t) noexcept;
};
