// SPDX-License-Identifier: Apache-2.0
//
// import pinion.waker: what <pinion/waker.hpp> declares, the same entities.
module;
#include <pinion/waker.hpp>

export module pinion.waker;
export import pinion.base;

export namespace pinion::waker {
using pinion::waker::attachable_notifier;
using pinion::waker::attachment_of;
using pinion::waker::bounded_inbox;
using pinion::waker::call_on_signal;
using pinion::waker::call_wakes;
using pinion::waker::default_channel;
using pinion::waker::default_inbox;
using pinion::waker::default_notifier;
using pinion::waker::epoll_set;
using pinion::waker::epoll_watch;
using pinion::waker::eventfd_notifier;
using pinion::waker::futex_notifier;
using pinion::waker::inbox;
using pinion::waker::inbox_core;
using pinion::waker::msg_ring_notifier;
using pinion::waker::mutex_inbox;
using pinion::waker::notifier;
using pinion::waker::park_end;
using pinion::waker::parker;
using pinion::waker::parking_io;
using pinion::waker::push_result;
using pinion::waker::ring_notifier;
using pinion::waker::ring_watch;
using pinion::waker::slot_on_stop;
using pinion::waker::spin_budget;
using pinion::waker::spin_options;
using pinion::waker::spin_statistics;
using pinion::waker::spinner;
using pinion::waker::stop_on_slot;
using pinion::waker::tagged_inbox;
using pinion::waker::value_inbox;
using pinion::waker::waiting_notifier;
using pinion::waker::wake_call;
using pinion::waker::wake_channel;
using pinion::waker::wake_event;
using pinion::waker::wake_node;
using pinion::waker::wake_sender;
}  // namespace pinion::waker
