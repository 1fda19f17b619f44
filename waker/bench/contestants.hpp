// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's inboxes and notifiers, joined by a wake_channel, behind the interface of
// workloads/wakes.hpp. A new one joins by a line in waker_bench.cpp. Who is measured beside them stands in
// peers/.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <pinion/waker.hpp>

#include "workloads/sleeper.hpp"
#include "workloads/wakes.hpp"

namespace pinion::waker::bench::inline PINION_MODE {

/// How an owner parks: by polling for as long as a parker has learned to, or not at all.
enum class spin : std::uint8_t { as_learned, never };

template <inbox Inbox, waiting_notifier Notifier, spin Spin = spin::as_learned>
class channel_contestant {
  using channel_type = wake_channel<Inbox, Notifier>;

 public:
  struct alignas(64) item : wake_node {
    std::uint64_t payload = 0;
    std::size_t number = 0;
  };

  class sender {
   public:
    explicit sender(channel_contestant& to) : sender_(to.channel_.sender()) {}
    void push(item& each) { sender_.push(each); }

   private:
    typename channel_type::sender_type sender_;
  };

  explicit channel_contestant(std::size_t /*items_max*/) {}

  template <class Run>
  std::size_t drain(Run run) {
    return channel_.drain([&](wake_node& node) { run(static_cast<item&>(node)); });
  }
  template <class Run>
  void park(Run) {
    const instant limit = monotonic_clock::now() + ceil(std::chrono::seconds{60});
    if (parker_(limit) == park_end::timeout && monotonic_clock::now() >= limit) give_up("a signal");
  }

  bool try_arm() { return channel_.try_arm(); }
  bool disarm() { return channel_.disarm(); }

 private:
  static spin_options options() {
    return Spin == spin::never ? spin_options{.most = duration{0}}
                               : spin_options{.cores = static_cast<unsigned>(usable_cores().size())};
  }

  channel_type channel_;
  parker<channel_type> parker_{channel_, options()};
};

}  // namespace pinion::waker::bench::inline PINION_MODE
