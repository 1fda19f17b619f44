// SPDX-License-Identifier: Apache-2.0
//
// pinion's waker part: the concepts with their laws, every inbox and notifier, and what joins them.
#pragma once

#include <pinion/waker/attachment.hpp>
#include <pinion/waker/bounded_inbox.hpp>
#include <pinion/waker/call_on_signal.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/default_inbox.hpp>
#include <pinion/waker/eventfd_notifier.hpp>
#include <pinion/waker/futex_notifier.hpp>
#include <pinion/waker/msg_ring_notifier.hpp>
#include <pinion/waker/mutex_inbox.hpp>
#include <pinion/waker/parker.hpp>
#include <pinion/waker/spin_budget.hpp>
#include <pinion/waker/spinner.hpp>
#include <pinion/waker/stop_token.hpp>
#include <pinion/waker/tagged_inbox.hpp>
#include <pinion/waker/value_inbox.hpp>
#include <pinion/waker/wake_channel.hpp>
#include <pinion/waker/wake_event.hpp>
#include <pinion/waker/wake_node.hpp>
