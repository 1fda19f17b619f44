// SPDX-License-Identifier: Apache-2.0
//
// What the samples of base speak of (tools/documentation/header_samples.py).
#pragma once
#include <poll.h>

#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/timer.hpp>

#include "common.hpp"

using namespace pinion::timer;
using pinion::iosubmit::uring_ring;
using pinion::preempt::stall;

struct task {};
std::uint64_t address_of(const kernel_time&);

struct world : common, std::enable_shared_from_this<world> {
  bool polling_;
  stall what;
  deferred_wheel<task> store{now};
  ::task task;
  histogram<36, 3> those_of_another_thread;
  ::pollfd watched;
  kernel_time end_;
  uring_ring ring{{}};
  int a_large_state;
  struct : my_log {
    void operator()(std::string_view);
  } log;
  void close();
};
