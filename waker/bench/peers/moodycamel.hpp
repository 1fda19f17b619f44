// SPDX-License-Identifier: Apache-2.0
//
// moodycamel: moodycamel::ConcurrentQueue of pointers, with a token for each sender and for the owner, as its
// author advises; the owner takes up to 256 at once. Tokens keep each sender's order, and none between
// senders.
#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <cstddef>

#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

class moodycamel_queue {
  using queue = moodycamel::ConcurrentQueue<plain_item*>;

 public:
  using item = plain_item;

  class sender {
   public:
    explicit sender(moodycamel_queue& to) : to_(&to), token_(to.queue_) {}
    void push(item& each) { to_->queue_.enqueue(token_, &each); }

   private:
    moodycamel_queue* to_;
    moodycamel::ProducerToken token_;
  };

  explicit moodycamel_queue(std::size_t items_max) : queue_(items_max) {}

  template <class Run>
  std::size_t drain(Run run) {
    std::array<item*, 256> taken;
    const std::size_t count = queue_.try_dequeue_bulk(token_, taken.begin(), taken.size());
    for (std::size_t k = 0; k < count; ++k) run(*taken[k]);
    return count;
  }

 private:
  queue queue_;
  moodycamel::ConsumerToken token_{queue_};
};

}  // namespace pinion::waker::bench
