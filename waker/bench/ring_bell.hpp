// SPDX-License-Identifier: Apache-2.0
//
// ring_bell: msg_ring_notifier for an owner that waits in an io_uring of its own and for nothing else: its
// sleep is io_uring_enter(), and a signal from a thread without a ring one io_uring_register(), which is
// counted.
//
// It is made by the thread that owns it: the ring serves that one alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <pinion/waker/msg_ring_notifier.hpp>

#include "../../base/tests/raw_ring.hpp"
#include "workloads/sleeper.hpp"

namespace pinion::waker::bench {

using pinion::testing::raw_ring;

/// msg_ring_calls that counts the system calls which wake and write nothing.
struct counting_ring_calls : msg_ring_calls {
  static int send(int ring, std::uint64_t user_data) noexcept {
    counted_signals.fetch_add(1, std::memory_order_relaxed);
    return msg_ring_calls::send(ring, user_data);
  }
};

class ring_bell {
 public:
  ring_bell() { ring_.put(bell_.watch()); }

  bool signal() noexcept { return bell_.signal(); }
  bool consume() noexcept { return bell_.consume(); }
  bool wait(instant until) noexcept {
    ring_.wait(until);
    ring_.reap([this](const raw_ring::completion& each) {
      if (bell::watch_ended(each.result, each.flags)) ring_.put(bell_.watch());
    });
    return bell_.consume();
  }

 private:
  using bell = basic_msg_ring_notifier<counting_ring_calls, std_sync>;
  static constexpr std::uint64_t mark = 77;

  raw_ring ring_{raw_ring::one_issuer | raw_ring::deferred};
  bell bell_{ring_, mark};
};

}  // namespace pinion::waker::bench
