// SPDX-License-Identifier: Apache-2.0
//
// wake_channel<Inbox, Notifier>: an inbox and a notifier that live as long as anybody needs them.
//
// The owner has the channel; each thread that wakes the owner has a wake_sender, got from the channel or
// copied from another sender. Either side may go first. A channel that goes closes the inbox: later pushes
// are answered `closed`. What both sides share goes with the last of them, so a descriptor is open while any
// signal is on its way.
//
//   wake_channel<tagged_inbox, eventfd_notifier> channel;
//   std::thread other{[sender = channel.sender(), &task] { sender.push(task); }};   // signals if it must
//   channel.drain(run);
//   if (channel.try_arm()) channel.notifier().wait(until);
//
// Threads need no registration and leave nothing behind: a sender is all there is. One sender may be used by
// any number of threads at once, as long as the sender lives.
//
// Memory ordering. references: taking one is relaxed, there is one already; letting go is acq_rel, so the
// thread that lets the last one go, and destroys, has seen all that the others did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/waker/attachment.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/wake_node.hpp>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

namespace channel_detail {

template <class Inbox, class Notifier, class Sync>
struct shared_parts {
  template <class... Args>
  explicit shared_parts(Args&&... args) : notifier(std::forward<Args>(args)...) {
    Sync::name(references, "references");
  }
  void let_go() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  Inbox inbox;
  Notifier notifier;
  // Apart from the inbox: senders come and go without disturbing pushes.
  alignas(cache_line_bytes) typename Sync::template atomic<std::size_t> references{1};
};

// What the owner has pushed since it closed the channel. W6 holds: what a sink pushes waits for the next
// drain.
template <class Inbox>
struct own_pushes {
  struct node_type;
  template <class Sink>
  static std::size_t drain(const Sink& /*sink*/) noexcept {
    return 0;
  }
  static constexpr bool empty() noexcept { return true; }
};
template <inbox Inbox>
struct own_pushes<Inbox> {
  using node_type = typename Inbox::node_type;

  void push(node_type& node) noexcept {
    if (!node.claim()) return;
    node.set_next(newest);
    newest = &node;
  }
  template <class Sink>
  [[gnu::always_inline]] std::size_t drain(Sink& sink) {
    if (first == nullptr) turn_round();
    std::size_t count = 0;
    for (node_type* node = first; node != nullptr; node = first, ++count) {
      first = node->next();
      node->unclaim();
      sink(*node);
    }
    return count;
  }
  [[nodiscard]] bool empty() const noexcept { return newest == nullptr && first == nullptr; }

  node_type* newest = nullptr;  // and those behind it, newest first
  node_type* first = nullptr;   // and those behind it, oldest first: what a sink that threw has left

 private:
  [[gnu::cold]] void turn_round() noexcept {
    for (node_type* node = std::exchange(newest, nullptr); node != nullptr;) {
      node_type* const older = node->next();
      node->set_next(std::exchange(first, node));
      node = older;
    }
  }
};

}  // namespace channel_detail

template <inbox_core Inbox, notifier Notifier, sync_traits Sync>
class wake_channel;

/// The side that wakes. A copy is one more reference; nothing is allocated.
template <inbox_core Inbox, notifier Notifier, sync_traits Sync = std_sync>
class wake_sender {
 public:
  /// One reference more.
  wake_sender(const wake_sender& other) noexcept : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->references.fetch_add(1, std::memory_order_relaxed);
  }
  /// `other` can only be assigned to or destroyed then.
  wake_sender(wake_sender&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  /// Lets its own reference go.
  wake_sender& operator=(wake_sender other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  /// The last side to go, owner or sender, frees what is shared.
  ~wake_sender() {
    if (shared_ != nullptr) shared_->let_go();
  }

  /// Pushes, and signals if told to. Any thread. `closed`: the owner is gone, and the item is the caller's.
  /// The sender outlives the call, so the sender is no part of the item: the item may be destroyed before
  /// push() returns. A sender that was moved from can only be assigned to or destroyed.
  template <class Item>
  push_result push(Item&& item) const noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result == push_result::signal) shared_->notifier.signal();
    return result;
  }

  /// As push(), from a thread that has a ring: where the notifier can be rung by an entry of that ring, the
  /// signal goes out with what the thread submits next; elsewhere, and on another thread than the port's, at
  /// once.
  template <class Item, ring_port Port>
  push_result push(Item&& item, Port& port) const
      noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result == push_result::signal) signal_through(port);
    return result;
  }

  /// Pushes, and signals also where the owner has not armed: for an owner that looks at nothing but its
  /// notifier.
  template <class Item>
  push_result force(Item&& item) const noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result != push_result::closed) shared_->notifier.signal();
    return result;
  }

  /// As force(), from a thread that has a ring.
  template <class Item, ring_port Port>
  push_result force(Item&& item, Port& port) const
      noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result != push_result::closed) signal_through(port);
    return result;
  }

 private:
  template <class Port>
  void signal_through(Port& port) const noexcept {
    if constexpr (ring_notifier<Notifier, Port>) {
      shared_->notifier.signal(port);
    } else {
      shared_->notifier.signal();
    }
  }

  using shared = channel_detail::shared_parts<Inbox, Notifier, Sync>;
  friend class wake_channel<Inbox, Notifier, Sync>;
  explicit wake_sender(shared* parts) noexcept : shared_(parts) {
    shared_->references.fetch_add(1, std::memory_order_relaxed);
  }
  shared* shared_;
};

/// The owner's side: the calls of an inbox, the notifier, and senders. One thread at a time.
template <inbox_core Inbox, notifier Notifier, sync_traits Sync = std_sync>
class wake_channel {
 public:
  /// What it joins, and what it hands to who wakes.
  using inbox_type = Inbox;
  using notifier_type = Notifier;
  using sender_type = wake_sender<Inbox, Notifier, Sync>;

  /// Allocates what the sides share; the notifier is made from `args`.
  template <class... Args>
  explicit wake_channel(Args&&... args) : shared_(new shared(std::forward<Args>(args)...)) {}
  wake_channel(const wake_channel&) = delete;
  wake_channel& operator=(const wake_channel&) = delete;
  /// Closes; what is still here is let go without being delivered. To have what is here, close(sink) first.
  ~wake_channel() {
    close([](auto&&) {});
    shared_->let_go();
  }

  /// Somebody who can wake this owner. Any thread that may use the channel.
  [[nodiscard]] sender_type sender() const noexcept { return sender_type{shared_}; }

  /// Wakes the owner itself: as a sender's push(), but heard also where the channel is closed, by the next
  /// drain. So what the owner wants done in its turn, such as the end of a wait, is done whatever came
  /// before.
  void push(typename channel_detail::own_pushes<Inbox>::node_type& node) noexcept
    requires inbox<Inbox>
  {
    const push_result result = shared_->inbox.push(node);
    if (result == push_result::signal) shared_->notifier.signal();
    if (result == push_result::closed) mine_.push(node);
  }
  /// Hands out what is here, oldest first; returns how many.
  template <class Sink>
  [[gnu::always_inline]] std::size_t
  drain(Sink&& sink) {  // else each node costs loads of what the sink captures
    const std::size_t count = shared_->inbox.drain(sink);
    return count != 0 || mine_.empty() ? count : mine_.drain(sink);
  }
  /// Before sleeping: the next push signals. False: there is something to drain, or it is closed.
  [[nodiscard]] bool try_arm() noexcept { return shared_->inbox.try_arm(); }
  /// Takes the arming back. False: it was not armed, or a signal is on its way.
  bool disarm() noexcept { return shared_->inbox.disarm(); }
  /// Whether a drain would find something.
  [[nodiscard]] bool has_wakes() const noexcept {
    return std::as_const(shared_->inbox).has_wakes() || !mine_.empty();
  }
  /// Refuses every sender's push from now on and hands what is here to the sink; returns how many.
  template <class Sink>
  std::size_t close(Sink&& sink) {
    const std::size_t count = shared_->inbox.close(sink);
    return count + mine_.drain(sink);
  }
  /// Whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return std::as_const(shared_->inbox).is_closed(); }

  /// For the type that composes channel and loop: the channel is this loop's for as long as what this gives
  /// lives. Throws a refusal (std::system_error) where another loop has it, since each would drain what ends
  /// the other's wait.
  [[nodiscard]] attach_detail::attached attach() { return attach_detail::attached{is_attached_}; }
  /// What ends the owner's sleep.
  [[nodiscard]] Notifier& notifier() noexcept { return shared_->notifier; }
  /// The inbox itself, for what only this one can.
  [[nodiscard]] Inbox& inbox() noexcept { return shared_->inbox; }

 private:
  using shared = typename sender_type::shared;
  shared* shared_;
  [[no_unique_address]] channel_detail::own_pushes<Inbox> mine_;
  bool is_attached_ = false;
};

}  // namespace pinion::waker::inline PINION_MODE
