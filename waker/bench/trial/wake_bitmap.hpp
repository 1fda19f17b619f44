// SPDX-License-Identifier: Apache-2.0
//
// wake_bitmap: a bit for each task, and a word whose bits say in which words there are any. A trial, not
// shipped; what came of it stands in docs/design/waker.md.
//
// A wake sets the task's bit, and where its word was empty the word's bit in `summary_`, whose top bit is
// that the owner sleeps. The task itself is not touched until it runs. The owner takes a word at a time, and
// runs its tasks in the order of their numbers.
//
// Tasks are numbered and known to the owner before they are woken, 4,032 of them at most. No order is kept. A
// sender that is descheduled between the two words holds up all that is woken in its word meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <pinion/waker.hpp>

#include "../workloads/sleeper.hpp"
#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

class wake_bitmap {
 public:
  using item = plain_item;
  static constexpr bool keeps_order = false;

  class sender {
   public:
    explicit sender(wake_bitmap& to) : to_(&to) {}
    void push(item& each) {
      if (to_->set(each.number)) to_->bell_.signal();
    }

   private:
    wake_bitmap* to_;
  };

  explicit wake_bitmap(std::size_t items_max) {
    if (items_max > words * word_bits) give_up("more bits");
  }

  /// Tells the owner of a task, before it is woken.
  void enlist(item& each) { tasks_[each.number] = &each; }

  template <class Run>
  std::size_t drain(Run run) {
    if (summary_.load(std::memory_order_relaxed) == 0) return 0;
    std::size_t count = 0;
    for (std::uint64_t some = summary_.exchange(0, std::memory_order_acquire) & ~asleep; some != 0;
         some &= some - 1) {
      const auto number = static_cast<std::size_t>(std::countr_zero(some));
      for (std::uint64_t woken = woken_[number].exchange(0, std::memory_order_acq_rel); woken != 0;
           woken &= woken - 1) {
        run(*tasks_[number * word_bits + static_cast<std::size_t>(std::countr_zero(woken))]);
        ++count;
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
    std::uint64_t seen = 0;
    return summary_.compare_exchange_strong(seen, asleep, std::memory_order_release,
                                            std::memory_order_relaxed) ||
           seen == asleep;
  }
  bool disarm() {
    std::uint64_t seen = asleep;
    return summary_.compare_exchange_strong(seen, 0, std::memory_order_relaxed, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t words = 63;
  static constexpr std::uint64_t asleep = std::uint64_t{1} << words;

  /// Whether the owner is to be signalled. Memory ordering. A task's word: acq_rel on both sides, so that
  /// also a wake that finds the bit set is seen by the run. summary_: release pairs with the owner's acquire;
  /// acquire is for who finds it asleep.
  bool set(std::size_t task) {
    const std::size_t number = task / word_bits;
    const std::uint64_t bit = std::uint64_t{1} << task % word_bits;
    if (woken_[number].fetch_or(bit, std::memory_order_acq_rel) != 0) return false;
    std::uint64_t seen = summary_.load(std::memory_order_relaxed);
    while (!summary_.compare_exchange_weak(seen, (seen | std::uint64_t{1} << number) & ~asleep,
                                           std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    return (seen & asleep) != 0;
  }

  alignas(64) std::atomic<std::uint64_t> summary_{0};
  alignas(64) std::array<std::atomic<std::uint64_t>, words> woken_{};
  alignas(64) std::array<item*, words * word_bits> tasks_{};  // the owner's
  counted_futex_notifier bell_;
};

}  // namespace pinion::waker::bench
