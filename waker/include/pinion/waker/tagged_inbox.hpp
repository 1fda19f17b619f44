// SPDX-License-Identifier: Apache-2.0
//
// tagged_inbox: a list of nodes, and whether its owner sleeps, in one word. The default inbox.
//
// The word is the newest node, whose chain leads to the oldest; or one of three tags:
//
//   empty      nothing is here, the owner is awake
//   sleeping   nothing is here, the owner has armed: who replaces this is told to signal
//   closed     for good
//
//   tagged_inbox inbox;
//   if (inbox.push(task) == push_result::signal) bell.signal();       // any thread
//   inbox.drain(run);  if (inbox.try_arm()) bell.wait(until);          // the owner
//
// A push links its node before the word's and puts it there by a compare-exchange: no memory, no waiting, no
// second word, so no fence between "publish" and "does it sleep?", which are one operation here. The owner
// takes all by one exchange and turns the chain round, which gives first in, first out, even across
// producers. Nodes are only ever taken all at once, so a word that is the same node again stands for a chain
// that is right (no ABA).
//
// Memory ordering, all on head_. push: compare_exchange acq_rel. Release publishes the node, its link and
// whatever the pusher did before; later pushes are read-modify-writes and continue the release sequence, so
// the owner's one acquire sees every chain below. Acquire is for the push that replaces `sleeping` and is
// told to signal: it pairs with try_arm's release. On failure relaxed: the value is only compared. drain:
// exchange acquire, the other half of push; drain publishes nothing. try_arm: release on success, nothing is
// read but the tag. That try_arm can't miss a push, nor a push the tag, needs no order: those that succeed
// are read-modify-writes of one word, each sees the one before it; one that fails, which may go by an old
// value, is tried again (push), or its owner drains again (try_arm). close: exchange acq_rel; release pairs
// with the load acquire of a push that is refused, so a pusher that is refused sees what the owner did before
// closing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/detail/taken_wakes.hpp>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// Over any sync_traits.
template <sync_traits Sync>
class basic_tagged_inbox {
 public:
  /// What it keeps, and what a drain takes out.
  using node_type = basic_wake_node<Sync>;
  using taken_type = basic_taken_wakes<Sync>;

  /// Empty, and awake.
  basic_tagged_inbox() noexcept { Sync::name(head_, "head"); }
  basic_tagged_inbox(const basic_tagged_inbox&) = delete;
  basic_tagged_inbox& operator=(const basic_tagged_inbox&) = delete;
  /// Nobody may push any more. Nodes that are still here are let go without being delivered.
  ~basic_tagged_inbox() {
    close([](node_type&) {});
  }

  /// Queues the node unless it is queued. Any thread; lock-free; see push_result for what to do next.
  [[nodiscard]] push_result push(node_type& node) noexcept;

  /// The owner: hands out what is here, oldest first, and ends being armed. Returns how many. A drain within
  /// the sink takes over what the outer drain has left.
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    collect();
    return taken_.run(sink);
  }

  /// The owner: as drain(), but for running later. Until all is run, pushes of these nodes merge into what
  /// was taken.
  taken_type take() noexcept { return collect() ? std::move(taken_) : taken_type{}; }

  /// The owner, before it sleeps: from now on the first push is told to signal. False if there is something
  /// to drain, or the inbox is closed. Arming twice is arming once.
  [[nodiscard]] bool try_arm() noexcept {
    if (!taken_.empty()) return false;
    std::uintptr_t seen = empty;
    return head_.compare_exchange_strong(seen, sleeping, std::memory_order_release,
                                         std::memory_order_relaxed) ||
           seen == sleeping;
  }

  /// The owner: takes the arming back. True if the inbox was armed and stays unsignalled; false if it was not
  /// armed, or a push came first, whose signal is on its way.
  bool disarm() noexcept {
    std::uintptr_t seen = sleeping;
    return head_.compare_exchange_strong(seen, empty, std::memory_order_relaxed, std::memory_order_relaxed);
  }

  /// The owner: whether a drain would find something. One load.
  [[nodiscard]] bool has_wakes() const noexcept {
    return !taken_.empty() || is_node(head_.load(std::memory_order_relaxed));
  }

  /// The owner: refuses every push from now on and hands what is here to the sink. Returns how many. Twice
  /// does no harm; after a sink that threw, the next drain or close hands out the rest.
  template <class Sink>
  std::size_t close(Sink&& sink) {
    const std::uintptr_t seen = head_.exchange(closed, std::memory_order_acq_rel);
    if (is_node(seen)) taken_.append_newest_first(node_of(seen));
    return taken_.run(sink);
  }

  /// The owner: whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return head_.load(std::memory_order_relaxed) == closed; }

 private:
  static constexpr std::uintptr_t empty = 0;
  static constexpr std::uintptr_t sleeping = 1;
  static constexpr std::uintptr_t closed = 2;

  static bool is_node(std::uintptr_t word) noexcept { return word > closed; }
  static node_type* node_of(std::uintptr_t word) noexcept {
    return reinterpret_cast<node_type*>(word);  // NOLINT(performance-no-int-to-ptr): the word holds tags, too
  }

  // All that is here to taken_; false if closed.
  bool collect() noexcept {
    // A look first: an owner that polls an empty inbox does not take the line from its producers.
    std::uintptr_t seen = head_.load(std::memory_order_relaxed);
    if (seen == empty || seen == closed) return seen != closed;
    seen = head_.exchange(empty, std::memory_order_acquire);
    if (is_node(seen)) taken_.append_newest_first(node_of(seen));
    return true;
  }

  alignas(cache_line_bytes) typename Sync::template atomic<std::uintptr_t> head_{empty};
  // The owner's.
  alignas(cache_line_bytes) taken_type taken_;
};

/// The inbox that is shipped.
using tagged_inbox = basic_tagged_inbox<std_sync>;

// ---- Implementation ----

template <sync_traits Sync>
push_result basic_tagged_inbox<Sync>::push(node_type& node) noexcept {
  if (!node.claim()) return push_result::queued;
  const auto word = reinterpret_cast<std::uintptr_t>(&node);
  std::uintptr_t seen = head_.load(std::memory_order_relaxed);
  do {
    if (seen == closed) {
      // Closed is for good, so this reads what close() wrote.
      static_cast<void>(head_.load(std::memory_order_acquire));
      node.unclaim();
      return push_result::closed;
    }
    node.set_next(is_node(seen) ? node_of(seen) : nullptr);
  } while (!head_.compare_exchange_weak(seen, word, std::memory_order_acq_rel, std::memory_order_relaxed));
  return seen == sleeping ? push_result::signal : push_result::queued;
}

}  // namespace pinion::waker::inline PINION_MODE
