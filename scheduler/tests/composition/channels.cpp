// SPDX-License-Identifier: Apache-2.0
//
// The inboxes and notifiers. Those of a loop with a ring are the shipped ones, over the world's system calls;
// a loop without one waits in a futex of the world's, or in sim's notifier.
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/waker.hpp>

#include "channel_of.hpp"

namespace pinion::scheduler::testing {
namespace {

using eventfd = waker::basic_eventfd_notifier<world_calls>;
using msg_ring = waker::basic_msg_ring_notifier<world_calls, std_sync>;
using futex = waker::basic_futex_notifier<world_sync, world_time>;

template <class Inbox>
void add_with_ring(std::vector<inbox_and_notifier>& to, const char* inbox) {
  to.push_back(channel_value<Inbox, eventfd>(inbox, "eventfd"));
  to.push_back(channel_value<Inbox, msg_ring>(inbox, "msg_ring"));
  to.push_back(channel_value<Inbox, msg_ring>(inbox, "msg_ring by an older kernel", false));
}
template <class Inbox>
void add_without(std::vector<inbox_and_notifier>& to, const char* inbox) {
  to.push_back(channel_value<Inbox, futex>(inbox, "futex"));
  to.push_back(channel_value<Inbox, sim::virtual_notifier>(inbox, "virtual_notifier"));
}

}  // namespace

const std::vector<inbox_and_notifier>& all_channels() {
  static const std::vector<inbox_and_notifier> all = [] {
    std::vector<inbox_and_notifier> list;
    add_with_ring<waker::tagged_inbox>(list, "tagged_inbox");
    add_with_ring<waker::bounded_inbox<2>>(list, "bounded_inbox");  // small: what overflows matters
    add_with_ring<waker::mutex_inbox>(list, "mutex_inbox");
    return list;
  }();
  return all;
}

const std::vector<inbox_and_notifier>& all_waiting_channels() {
  static const std::vector<inbox_and_notifier> all = [] {
    std::vector<inbox_and_notifier> list;
    add_without<waker::tagged_inbox>(list, "tagged_inbox");
    add_without<waker::bounded_inbox<2>>(list, "bounded_inbox");
    add_without<waker::mutex_inbox>(list, "mutex_inbox");
    return list;
  }();
  return all;
}

}  // namespace pinion::scheduler::testing
