// SPDX-License-Identifier: Apache-2.0
//
// boost_lockfree: boost::lockfree::queue of pointers, with nodes for all items from the beginning, so that a
// push allocates nothing.
#pragma once

#include <boost/lockfree/queue.hpp>
#include <cstddef>

#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

class boost_lockfree {
 public:
  using item = plain_item;

  class sender {
   public:
    explicit sender(boost_lockfree& to) : to_(&to) {}
    void push(item& each) { to_->queue_.push(&each); }

   private:
    boost_lockfree* to_;
  };

  explicit boost_lockfree(std::size_t items_max) : queue_(items_max) {}

  /// What is there, and no more than were there at most: senders may go on meanwhile.
  template <class Run>
  std::size_t drain(Run run) {
    constexpr std::size_t most = 256;
    std::size_t count = 0;
    for (item* each = nullptr; count < most && queue_.pop(each); ++count) run(*each);
    return count;
  }

 private:
  boost::lockfree::queue<item*> queue_;
};

}  // namespace pinion::waker::bench
