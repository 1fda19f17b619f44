// SPDX-License-Identifier: Apache-2.0
//
// mutexed_deque: a std::deque of pointers behind a std::mutex; the owner takes all of it by a swap.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>

#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

class mutexed_deque {
 public:
  using item = plain_item;

  class sender {
   public:
    explicit sender(mutexed_deque& to) : to_(&to) {}
    void push(item& each) {
      const std::lock_guard lock{to_->mutex_};
      to_->queue_.push_back(&each);
    }

   private:
    mutexed_deque* to_;
  };

  explicit mutexed_deque(std::size_t /*items_max*/) {}

  template <class Run>
  std::size_t drain(Run run) {
    {
      const std::lock_guard lock{mutex_};
      taken_.swap(queue_);
    }
    const std::size_t count = taken_.size();
    for (item* const each : taken_) run(*each);
    taken_.clear();
    return count;
  }

 private:
  std::mutex mutex_;
  std::deque<item*> queue_;
  std::deque<item*> taken_;  // the owner's
};

}  // namespace pinion::waker::bench
