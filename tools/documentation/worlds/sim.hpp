// SPDX-License-Identifier: Apache-2.0
//
// What the samples of sim speak of (tools/documentation/header_samples.py).
#pragma once
#include <gtest/gtest.h>
#include <pinion/iosubmit.hpp>
#include <pinion/sim.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

#include "common.hpp"

using namespace pinion::iosubmit;
using namespace pinion::waker;

struct task {};
template <class Clock>
struct my_loop {
  explicit my_loop(Clock);
};

struct world : common {
  wake_sender<tagged_inbox, sim::virtual_notifier> sender;
  wake_node node;
  static void run(timer::handle, instant, task&&);
};
