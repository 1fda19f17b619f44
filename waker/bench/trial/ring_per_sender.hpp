// SPDX-License-Identifier: Apache-2.0
//
// ring_per_sender: a ring of pointers for each sender, as between each pair of cores. A trial, not shipped;
// what came of it stands in docs/design/waker.md.
//
// A push stores a pointer and a tail into lines that no other sender touches, and then has to know whether
// the owner sleeps. The owner says so in a word of its own, so both sides need a full barrier between what
// they write and what they look at. Either each push has one, or none has: the owner's arming makes one
// happen in every thread, by membarrier().
//
// Senders are registered, the owner looks at every ring, and a ring holds all the items there are: it can't
// overflow.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/waker.hpp>
#include <vector>

#include "../workloads/sleeper.hpp"
#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

/// Who pays for the barrier.
enum class barrier : std::uint8_t { of_each_push, of_the_arming };

template <barrier Barrier>
class ring_per_sender {
 public:
  struct alignas(64) item : wake_node {
    std::uint64_t payload = 0;
    std::size_t number = 0;
  };

 private:
  // Memory ordering. tail: its release publishes cell and item to the owner's acquire. Of a push and an
  // arming one sees the other: either all four accesses, to tail and asleep_, are seq_cst; or the push's are
  // in this order as compiled, and membarrier() stands between the owner's. A sender looks at no head: its
  // ring has room for all.
  static constexpr std::memory_order publishing =
      Barrier == barrier::of_each_push ? std::memory_order_seq_cst : std::memory_order_release;
  static constexpr std::memory_order looking =
      Barrier == barrier::of_each_push ? std::memory_order_seq_cst : std::memory_order_relaxed;

  struct ring {
    alignas(64) std::atomic<std::size_t> tail{0};
    std::vector<item*> cells;
    alignas(64) std::size_t head = 0;  // the owner's
  };

 public:
  class sender {
   public:
    explicit sender(ring_per_sender& to)
        : to_(&to), ring_(&to.rings_[to.senders_.fetch_add(1, std::memory_order_acq_rel)]) {}
    void push(item& each) {
      if (!each.claim()) return;
      const std::size_t tail = ring_->tail.load(std::memory_order_relaxed);
      ring_->cells[tail & to_->mask_] = &each;
      ring_->tail.store(tail + 1, publishing);
      if constexpr (Barrier == barrier::of_the_arming) std::atomic_signal_fence(std::memory_order_seq_cst);
      if (to_->asleep_.load(looking)) to_->wake();
    }

   private:
    ring_per_sender* to_;
    ring* ring_;
  };

  explicit ring_per_sender(std::size_t items_max) : mask_(std::bit_ceil(items_max) - 1) {
    for (ring& each : rings_) each.cells.resize(mask_ + 1);
    if constexpr (Barrier == barrier::of_the_arming) {
      if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0) give_up("membarrier() to be there");
    }
  }

  template <class Run>
  std::size_t drain(Run run) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < senders_.load(std::memory_order_acquire); ++k) {
      ring& from = rings_[k];
      for (const std::size_t end = from.tail.load(std::memory_order_acquire); from.head != end; ++count) {
        item& each = *from.cells[from.head++ & mask_];
        each.unclaim();
        run(each);
      }
    }
    return count;
  }
  template <class Run>
  void park(Run) {
    if (try_arm() && !bell_.wait(monotonic_clock::now() + ceil(std::chrono::seconds{60})))
      give_up("a signal");
    disarm();
  }

  bool try_arm() {
    asleep_.store(true, std::memory_order_seq_cst);
    if constexpr (Barrier == barrier::of_the_arming) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    for (std::size_t k = 0; k < senders_.load(std::memory_order_acquire); ++k) {
      if (rings_[k].tail.load(std::memory_order_seq_cst) == rings_[k].head) continue;
      disarm();
      return false;
    }
    return true;
  }
  bool disarm() { return asleep_.exchange(false, std::memory_order_relaxed); }

 private:
  static long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }
  void wake() {
    if (asleep_.exchange(false, std::memory_order_relaxed)) bell_.signal();
  }

  static constexpr std::size_t senders_max = 8;

  std::size_t mask_;
  std::array<ring, senders_max> rings_;
  std::atomic<std::size_t> senders_{0};
  alignas(64) std::atomic<bool> asleep_{false};
  counted_futex_notifier bell_;
};

}  // namespace pinion::waker::bench
