// SPDX-License-Identifier: Apache-2.0
//
// p5_inbox: the waker queue of design 004 P5, a ring, a counter of what is pending and a flag, with each of
// its four defects on demand.
//
// Without any it is right, so that each exploration shows what one defect does. As the text has it (its words
// in quotes):
//
//   never_asks_again      "compare_exchange(true, false)" in notify(), "store(false)" in drain(), and nothing that sets the flag:
//                         after the first notification nobody is notified
//   counts_after_pushing  "ring.push(waker)", then "pending.fetch_add(1)": drain subtracts what is not added yet, the counter
//                         wraps, and who pushes next finds it different from 0 and does not notify
//   looks_without_fence   "Ordering::Relaxed" on the flag: nothing keeps the look at it behind the publishing, and both sides
//                         miss the other. (Acquire and release, as here, do not either; so it is the lost wake that shows.)
//   drops_on_overflow     "drop oldest waker": a wake is lost by design
#pragma once

#include <array>
#include <cstdint>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/wake_node.hpp>
#include <utility>

namespace pinion::waker::testing {

enum p5_defect : unsigned {
  as_it_should_be = 0,
  never_asks_again = 1,
  counts_after_pushing = 2,
  looks_without_fence = 4,
  drops_on_overflow = 8,
};

template <sync_traits Sync, unsigned Defects>
class p5_inbox {
 public:
  using node_type = basic_wake_node<Sync>;

  p5_inbox() noexcept {
    Sync::name(pending_, "pending");
    Sync::name(should_notify_, "should_notify");
    Sync::name(tail_, "tail");
    for (auto& slot : ring_) Sync::name(slot, "slot");
  }
  p5_inbox(const p5_inbox&) = delete;
  p5_inbox& operator=(const p5_inbox&) = delete;
  ~p5_inbox() {
    drain([](node_type&) {});
  }

  push_result push(node_type& node) noexcept {
    if (!node.claim()) return push_result::queued;
    const std::uint64_t place = tail_.fetch_add(1, std::memory_order_relaxed);
    node_type* const oldest =
        ring_[place % ring_.size()].exchange(&node, weak_or_seq_cst(std::memory_order_acq_rel));
    if (oldest != nullptr) oldest->unclaim();
    if (has(counts_after_pushing) && pending_.fetch_add(1, std::memory_order_release) != 0) {
      return push_result::queued;  // "only write eventfd on first wakeup"
    }
    bool asked = true;
    return should_notify_.compare_exchange_strong(asked, false, weak_or_seq_cst(std::memory_order_acq_rel),
                                                  weak_or_seq_cst(std::memory_order_acquire))
               ? push_result::signal
               : push_result::queued;
  }

  template <class Sink>
  std::size_t drain(Sink&& sink) {
    should_notify_.store(false, std::memory_order_relaxed);
    std::size_t count = 0;
    for (;; ++count, ++head_) {
      node_type* const node = ring_[head_ % ring_.size()].exchange(nullptr, std::memory_order_acq_rel);
      if (node == nullptr) return count;
      if (has(counts_after_pushing)) pending_.fetch_sub(1, std::memory_order_acquire);
      node->unclaim();
      sink(*node);
    }
  }

  // What the text leaves out: asking to be notified, and looking once more. Where a push came in between, its
  // signal is on its way, and the wait ends by it.
  bool try_arm() noexcept {
    if (!has(never_asks_again) || !std::exchange(asked_, true))
      should_notify_.store(true, weak_or_seq_cst(std::memory_order_release));
    const node_type* const next =
        ring_[head_ % ring_.size()].load(weak_or_seq_cst(std::memory_order_acquire));
    return next == nullptr || !disarm();
  }
  bool disarm() noexcept { return should_notify_.exchange(false, std::memory_order_relaxed); }
  [[nodiscard]] bool has_wakes() const noexcept {
    return ring_[head_ % ring_.size()].load(std::memory_order_relaxed) != nullptr;
  }

 private:
  static constexpr bool has(p5_defect which) { return (Defects & which) != 0; }
  static constexpr std::memory_order weak_or_seq_cst(std::memory_order weak) {
    return has(looks_without_fence) ? weak : std::memory_order_seq_cst;
  }

  std::array<typename Sync::template atomic<node_type*>, has(drops_on_overflow) ? 2 : 8> ring_{};
  typename Sync::template atomic<std::uint64_t> tail_{0};
  typename Sync::template atomic<std::uint64_t> pending_{0};
  typename Sync::template atomic<bool> should_notify_{false};
  std::uint64_t head_ = 0;
  bool asked_ = false;
};

}  // namespace pinion::waker::testing
