// SPDX-License-Identifier: Apache-2.0
//
// doorbell<Queue>: a queue that knows no sleep, an eventfd and a pending flag beside it: how it is most often
// written by hand.
//
// Whoever pushes sets the flag, and writes to the eventfd if it was not set. The owner looks at the eventfd,
// and where that is readable reads it, clears the flag, and drains: so a busy owner makes a system call each
// turn, and is written to about as often.
//
// Memory ordering. pending_: exchanges, acq_rel on both sides. A push either finds the flag cleared, and
// writes; or its exchange comes before the owner's, which then sees what was pushed before it, as that drains
// afterwards.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

template <class Queue>
class doorbell {
 public:
  using item = typename Queue::item;

  class sender {
   public:
    explicit sender(doorbell& to) : inner_(to.queue_), to_(&to) {}
    void push(item& each) {
      inner_.push(each);
      to_->ring();
    }

   private:
    typename Queue::sender inner_;
    doorbell* to_;
  };

  explicit doorbell(std::size_t items_max)
      : queue_(items_max), descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) give_up("an eventfd");
  }
  doorbell(const doorbell&) = delete;
  doorbell& operator=(const doorbell&) = delete;
  ~doorbell() { ::close(descriptor_); }

  template <class Run>
  std::size_t drain(Run run) {
    std::uint64_t count = 0;
    if (::read(descriptor_, &count, sizeof count) != sizeof count) return 0;
    pending_.exchange(false, std::memory_order_acq_rel);
    std::size_t drained = 0;
    // All of it: what stayed would have no flag.
    for (std::size_t some = 0; (some = queue_.drain(run)) != 0;) drained += some;
    return drained;
  }
  template <class Run>
  void park(Run) {
    pollfd watched{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, 60'000) == 0) give_up("the eventfd");
  }

 private:
  void ring() {
    if (pending_.exchange(true, std::memory_order_acq_rel)) return;
    const std::uint64_t one = 1;
    if (::write(descriptor_, &one, sizeof one) != sizeof one) give_up("the eventfd to be written");
  }

  Queue queue_;
  alignas(64) std::atomic<bool> pending_{false};
  int descriptor_;
};

}  // namespace pinion::waker::bench
