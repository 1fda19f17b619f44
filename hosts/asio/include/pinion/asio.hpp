// SPDX-License-Identifier: Apache-2.0
//
// pinion's parts dropped into Boost.Asio: yielding.
#pragma once

#include <pinion/asio/for_each.hpp>
#include <pinion/asio/sliced_executor.hpp>
#include <pinion/asio/slicer.hpp>
#include <pinion/asio/yield_if_needed.hpp>
#include <pinion/preempt.hpp>
