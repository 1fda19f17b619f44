// SPDX-License-Identifier: Apache-2.0
//
// The whole iosubmit part: when to enter the kernel.
#pragma once

#include <pinion/iosubmit/acceptor.hpp>
#include <pinion/iosubmit/awaiting.hpp>
#include <pinion/iosubmit/buffer_group.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/default_policy.hpp>
#include <pinion/iosubmit/default_ring.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <pinion/iosubmit/policy/adaptive.hpp>
#include <pinion/iosubmit/policy/balanced.hpp>
#include <pinion/iosubmit/policy/batch_or_idle.hpp>
#include <pinion/iosubmit/policy/batch_rule.hpp>
#include <pinion/iosubmit/policy/chosen_policy.hpp>
#include <pinion/iosubmit/policy/each_turn.hpp>
#include <pinion/iosubmit/policy/high_throughput.hpp>
#include <pinion/iosubmit/policy/low_latency.hpp>
#include <pinion/iosubmit/policy/settings.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <pinion/iosubmit/receiver.hpp>
#include <pinion/iosubmit/registered_files.hpp>
#include <pinion/iosubmit/registered_memory.hpp>
#include <pinion/iosubmit/ring/either_ring.hpp>
#include <pinion/iosubmit/ring/epoll_ring.hpp>
#include <pinion/iosubmit/ring/uring_options.hpp>
#include <pinion/iosubmit/ring/uring_ring.hpp>
#include <pinion/iosubmit/send_all.hpp>
#include <pinion/iosubmit/send_zc.hpp>
#include <pinion/iosubmit/statistics.hpp>
#include <pinion/iosubmit/submission.hpp>
