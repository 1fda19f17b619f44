// SPDX-License-Identifier: Apache-2.0
//
// pinion's parts dropped into Boost.Asio: a turn of timers, wakes and tasks; yielding.
#pragma once

#include <pinion/asio/for_each.hpp>
#include <pinion/asio/run_queue.hpp>
#include <pinion/asio/sliced_executor.hpp>
#include <pinion/asio/slicer.hpp>
#include <pinion/asio/timers.hpp>
#include <pinion/asio/turn.hpp>
#include <pinion/asio/yield_if_needed.hpp>
#include <pinion/preempt.hpp>
