// SPDX-License-Identifier: Apache-2.0
//
// The whole iosubmit part: when to enter the kernel.
#pragma once

#include <pinion/iosubmit/adaptive.hpp>
#include <pinion/iosubmit/awaiting.hpp>
#include <pinion/iosubmit/balanced.hpp>
#include <pinion/iosubmit/batch_or_idle.hpp>
#include <pinion/iosubmit/batch_rule.hpp>
#include <pinion/iosubmit/cancel_slot.hpp>
#include <pinion/iosubmit/chosen_policy.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/default_policy.hpp>
#include <pinion/iosubmit/default_ring.hpp>
#include <pinion/iosubmit/either_ring.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/epoll_ring.hpp>
#include <pinion/iosubmit/errors.hpp>
#include <pinion/iosubmit/high_throughput.hpp>
#include <pinion/iosubmit/latency_window.hpp>
#include <pinion/iosubmit/low_latency.hpp>
#include <pinion/iosubmit/message_sink.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <pinion/iosubmit/operation_backlog.hpp>
#include <pinion/iosubmit/settings.hpp>
#include <pinion/iosubmit/statistics.hpp>
#include <pinion/iosubmit/submission.hpp>
#include <pinion/iosubmit/submission_recorder.hpp>
#include <pinion/iosubmit/submit_mode.hpp>
#include <pinion/iosubmit/uring_options.hpp>
#include <pinion/iosubmit/uring_ring.hpp>
