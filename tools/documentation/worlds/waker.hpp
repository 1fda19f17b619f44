// SPDX-License-Identifier: Apache-2.0
//
// What the samples of waker speak of (tools/documentation/header_samples.py).
#pragma once
#include <sys/epoll.h>

#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

#include "common.hpp"

using namespace pinion::waker;

struct job {
  void operator()();
};

struct world : common {
  tagged_inbox inbox;
  eventfd_notifier bell;
  wake_channel<tagged_inbox, eventfd_notifier> channel;
  timer::deferred_wheel<job> timers{now};
  wake_node task, node;
  bool caught;
  struct {
    void push_back(wake_node&);
  } ready;
  static void run(wake_node&);
  static void fire(timer::handle, instant, job&&);
  static void to_ready(wake_node&);
};
