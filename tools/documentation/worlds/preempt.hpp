// SPDX-License-Identifier: Apache-2.0
//
// What the samples of preempt speak of (tools/documentation/header_samples.py).
#pragma once
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>

#include "common.hpp"

using namespace pinion::preempt;

struct node {};
void hash(const block&);
void hash_all(const block&);
struct some_queue {
  pinion::preempt::queue_slices slices;
};
struct some_executor {
  const preempt::word& preempt_word() const noexcept;
  void yield(std::coroutine_handle<>) noexcept;
  pinion::preempt::slice_log& slices() noexcept;
};
template <class Result = void>
struct task : task_of<Result> {
  struct promise_type : task_of<Result>::promise_type {
    task get_return_object();
    some_executor& executor() noexcept;
  };
};
struct connection {};
struct request {};

struct world : common {
  using awaited = task<>;
  ticker_source source;
  some_executor executor;
  some_queue queue;
  pinion::preempt::slice_log log;
  my_log logger;
  node root;
  std::vector<std::coroutine_handle<>> ready;
  static void run(some_queue&, const preempt::word&);
  static void write_stack(void*, const stall&) noexcept;
};
