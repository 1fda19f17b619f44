// SPDX-License-Identifier: Apache-2.0
//
// pinion's base: the few words that all parts share.
#pragma once

#include <pinion/base/assert.hpp>
#include <pinion/base/callback.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/diagnostic.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/event_counter.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/histogram.hpp>
#include <pinion/base/inline_function.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/memory.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
