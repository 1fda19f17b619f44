// SPDX-License-Identifier: Apache-2.0
//
// wake_node: base of whatever can be woken: a task, a message, a connection.
//
// An inbox links nodes and never owns them, so a push can't fail for want of memory. The node knows whether
// it is queued, and waking it again meanwhile is one read-modify-write on its own word: however often a task
// is woken, the task is queued once.
//
//   struct task : wake_node {
//     void resume() { ++resumed; }
//     int resumed = 0;
//   };
//
//   sender.push(mine);                                                 // any thread, any number of times
//   sender.push(mine);
//   channel.drain([](wake_node& node) { static_cast<task&>(node).resume(); });
//
// Which thread may touch what: `queued_` belongs to all. The thread that sets it (claim) has `next_` until
// the node is in the inbox; from then on the owner has `next_`, until it clears `queued_` (unclaim). So
// `next_` needs no atomics.
//
// Memory ordering. claim() and unclaim() are exchanges with acq_rel on one word, so of any two the later sees
// all that was before the earlier. That gives
//  - the owner's last look at `next_` before the next claimer's write to it;
//  - the merged push (W7): it reads `queued` and leaves; its exchange comes before the owner's unclaim in the
//    word's order, and the owner's acquire reads from that exchange, or from one that continues its release
//    sequence. What the merged pusher did before is visible to the sink. A plain store in place of unclaim's
//    exchange would read nothing, and lose just that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/sync.hpp>

namespace pinion::waker::inline PINION_MODE {

/// What two threads write is kept this far apart.
inline constexpr std::size_t cache_line_bytes = 64;

/// A node over any sync_traits. It is not copied or moved: an inbox points at it.
template <sync_traits Sync>
class basic_wake_node {
 public:
  /// In no inbox.
  basic_wake_node() noexcept {
    Sync::name(next_, "next");
    Sync::name(queued_, "queued");
  }
  basic_wake_node(const basic_wake_node&) = delete;
  basic_wake_node& operator=(const basic_wake_node&) = delete;
  /// Nobody may be about to wake it. In a checked build a node that is still queued is a violation.
  ~basic_wake_node() {
    PINION_ASSERT(!is_queued(),
                  "a node was destroyed while an inbox held it: drain or close the inbox first");
  }

  /// Whether it is in some inbox, or on its way into or out of one. A look: it may be different by the time
  /// you act on it.
  [[nodiscard]] bool is_queued() const noexcept { return queued_.load(std::memory_order_relaxed) != 0; }

  // For inboxes.

  /// Makes the caller the one who queues the node; false if it is queued already.
  [[nodiscard]] bool claim() noexcept { return queued_.exchange(1, std::memory_order_acq_rel) == 0; }
  /// Ends being queued: called by the owner, when the node is out of the list; or by the thread that claimed
  /// the node, when the inbox is closed.
  void unclaim() noexcept { queued_.exchange(0, std::memory_order_acq_rel); }
  /// The node behind it. Only for the thread that has the node, see above.
  [[nodiscard]] basic_wake_node* next() const noexcept { return next_.read(); }
  /// Sets the node behind it. Only for the thread that has the node.
  void set_next(basic_wake_node* node) noexcept { next_.write(node); }

 private:
  typename Sync::template plain<basic_wake_node*> next_{nullptr};
  typename Sync::template atomic<std::uint32_t> queued_{0};
};

/// The node that is shipped.
using wake_node = basic_wake_node<std_sync>;

}  // namespace pinion::waker::inline PINION_MODE
