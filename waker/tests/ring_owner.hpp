// SPDX-License-Identifier: Apache-2.0
//
// An owner with an io_uring around a msg_ring_notifier, as any loop would have it; behind the calls of a
// waiting_notifier, so that every law is asked of it. And the same, rung by threads that have rings
// themselves.
#pragma once

#include <pinion/waker.hpp>

#include "raw_ring.hpp"

namespace pinion::waker::testing {

using pinion::testing::raw_ring;
using pinion::testing::ring_of_this_thread;

class ring_owner {
 public:
  ring_owner() { ring_.put(bell_.watch()); }

  bool signal() noexcept { return bell_.signal(); }
  bool consume() noexcept { return bell_.consume(); }
  bool wait(instant until) noexcept {
    ring_.wait(until);
    ring_.reap([this](const raw_ring::completion& c) {
      if (msg_ring_notifier::watch_ended(c.result, c.flags)) ring_.put(bell_.watch());
    });
    return bell_.consume();
  }

 protected:
  [[nodiscard]] msg_ring_notifier& bell() noexcept { return bell_; }

 private:
  static constexpr std::uint64_t mark = 77;
  // As an executor would make it: one thread, work done when it asks for it.
  raw_ring ring_{raw_ring::one_issuer | raw_ring::deferred};
  msg_ring_notifier bell_{ring_, mark};
};

/// Each signal goes by an entry of the signalling thread's ring, which is submitted at once.
class ring_owner_among_rings : public ring_owner {
 public:
  bool signal() noexcept {
    raw_ring& own = ring_of_this_thread();
    const bool told = bell().signal(own);
    own.submit();
    own.reap();
    return told;
  }
};

}  // namespace pinion::waker::testing
