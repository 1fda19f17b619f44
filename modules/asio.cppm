// SPDX-License-Identifier: Apache-2.0
//
// import pinion.asio: what <pinion/asio.hpp> declares, the same entities. Boost's own names stay with its
// headers.
module;
#include <pinion/asio.hpp>

export module pinion.asio;

export import pinion.preempt;
export import pinion.scheduler;
export import pinion.timer;
export import pinion.waker;

export namespace pinion::asio {
using pinion::asio::async_yield;
using pinion::asio::call_wheel;
using pinion::asio::for_each;
using pinion::asio::hosted_store;
using pinion::asio::run_queue;
using pinion::asio::slice_start;
using pinion::asio::sliced_executor;
using pinion::asio::slicer;
using pinion::asio::slicer_options;
using pinion::asio::timer_call;
using pinion::asio::timer_queue;
using pinion::asio::turn;
using pinion::asio::yield_if_needed;
}  // namespace pinion::asio
