// SPDX-License-Identifier: Apache-2.0
//
// What the samples of timer speak of (tools/documentation/header_samples.py).
#pragma once
#include <sys/epoll.h>

#include <pinion/timer.hpp>

#include "common.hpp"

using namespace pinion::timer;

struct task {
  void run();
};
using task_type = task;
struct server {
  void send_beat(tick);
};
using Store = deferred_wheel<task>;
struct tag {};
struct node {};

struct world : common, std::enable_shared_from_this<world> {
  timer_queue<deferred_wheel<inline_function<void()>>> timers;
  cancel_slot shutdown;
  int worker;
  handle h;
  epoll_event* events;
  instant start;
  std::uint32_t seventh;
  void close();
  void send_beat(instant);
};
