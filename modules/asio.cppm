// SPDX-License-Identifier: Apache-2.0
//
// import pinion.asio: what <pinion/asio.hpp> declares, the same entities. Boost's own names stay with its headers.
module;
#include <pinion/asio.hpp>

export module pinion.asio;

export import pinion.preempt;

export namespace pinion::asio {
using pinion::asio::async_yield;
using pinion::asio::for_each;
using pinion::asio::slice_start;
using pinion::asio::sliced_executor;
using pinion::asio::slicer;
using pinion::asio::slicer_options;
using pinion::asio::yield_if_needed;
}  // namespace pinion::asio
