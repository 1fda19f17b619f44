// SPDX-License-Identifier: Apache-2.0
//
// hashed_wheel: one ring of 4,096 slots of a millisecond, a timer in the slot of its deadline whatever the
// turn, as Netty's and many home-grown timers are (Varghese and Lauck's scheme 6). Ours, for comparison only.
//
// Arming and cancelling link and unlink a node. Each tick looks at all timers of its slot, those of later
// turns too: with timers over a minute 15 times for each that fires. When the next one is due is not known
// without looking at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/timer/detail/slab.hpp>
#include <utility>

namespace pinion::timer::bench {

class hashed_wheel {
  static constexpr std::uint64_t slots = 4'096;
  static constexpr std::uint64_t tick_ns = 1'000'000;

  struct links {
    links* next = this;
    links* previous = this;
  };
  struct timer : links {
    std::uint64_t tick = 0;
    std::uint64_t payload = 0;
    bool is_armed = false;
  };

 public:
  explicit hashed_wheel(std::uint64_t start_ns) : now_(start_ns / tick_ns) {}
  hashed_wheel(const hashed_wheel&) = delete;
  hashed_wheel& operator=(const hashed_wheel&) = delete;

  timer* arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    if (free_ == nullptr) add_timers();
    timer* const t = static_cast<timer*>(std::exchange(free_, free_->next));
    t->payload = payload;
    put(t, deadline_ns);
    return t;
  }
  std::uint64_t cancel(timer* t) {
    if (!t->is_armed) return 0;
    unlink(t);
    return release(t);
  }
  timer* push_on(timer* t, std::uint64_t deadline_ns, std::uint64_t payload) {
    if (!t->is_armed) return arm(deadline_ns, payload);
    unlink(t);
    put(t, deadline_ns);
    return t;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    const std::uint64_t target = now_ns / tick_ns;
    // After a whole turn every slot was seen.
    const std::uint64_t first = target - now_ > slots ? target - slots : now_;
    for (std::uint64_t tick = first + 1; tick <= target; ++tick) {
      links& slot = ring_[tick % slots];
      for (links* at = slot.next; at != &slot;) {
        timer* const t = static_cast<timer*>(std::exchange(at, at->next));
        if (t->tick > target) continue;
        unlink(t);
        fired(release(t));
      }
    }
    now_ = target;
  }

 private:
  void put(timer* t, std::uint64_t deadline_ns) noexcept {
    const std::uint64_t tick = (deadline_ns + tick_ns - 1) / tick_ns;
    t->tick = tick > now_ ? tick : now_ + 1;
    t->is_armed = true;
    links& slot = ring_[t->tick % slots];
    t->next = &slot;
    t->previous = std::exchange(slot.previous, t);
    t->previous->next = t;
  }
  static void unlink(timer* t) noexcept {
    t->previous->next = t->next;
    t->next->previous = t->previous;
  }
  std::uint64_t release(timer* t) noexcept {
    t->is_armed = false;
    t->next = std::exchange(free_, t);
    return t->payload;
  }
  void add_timers() {
    const auto first = static_cast<std::uint32_t>(made_);
    timers_.grow_to(made_ + 1);
    made_ += decltype(timers_)::page_size;
    for (auto k = static_cast<std::uint32_t>(made_); k-- > first;) {
      timer* const t = std::construct_at(&timers_[k]);
      t->next = std::exchange(free_, t);
    }
  }

  std::uint64_t now_;
  slab<timer> timers_;
  std::size_t made_ = 0;
  links* free_ = nullptr;
  std::array<links, slots> ring_;
};

}  // namespace pinion::timer::bench
