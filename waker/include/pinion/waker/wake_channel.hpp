// SPDX-License-Identifier: Apache-2.0
//
// wake_channel<Inbox, Notifier>: an inbox and a notifier that live as long as anybody needs them.
//
// The owner has the channel; whoever wakes it has a wake_sender, got from the channel or copied from another sender. Either side
// may go first. A channel that goes closes the inbox: later pushes are answered `closed`. What both sides share goes with
// the last of them, so a descriptor is open while any signal is on its way.
//
//   wake_channel<tagged_inbox, eventfd_notifier> channel;
//   std::thread other{[sender = channel.sender(), &task] { sender.push(task); }};   // signals if it must
//   channel.drain(run);
//   if (channel.try_arm()) channel.notifier().wait(until);
//
// Threads need no registration and leave nothing behind: a sender is all there is. One sender may be used by any number of
// threads at once, as long as it lives.
//
// Memory ordering. references: taking one is relaxed, there is one already; letting go is acq_rel, so whoever lets the last
// one go, and destroys, has seen all that the others did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/base/sync.hpp>
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
  /// Whoever is last, owner or sender, frees what is shared.
  ~wake_sender() {
    if (shared_ != nullptr) shared_->let_go();
  }

  /// Pushes, and signals if told to. Any thread. `closed`: the owner is gone, and the item is the caller's. The sender outlives the
  /// call, so it is no part of what is pushed: that may be destroyed before push() returns. A sender that was moved from can
  /// only be assigned to or destroyed.
  template <class Item>
  push_result push(Item&& item) const noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result == push_result::signal) shared_->notifier.signal();
    return result;
  }

  /// The same from a thread that has a ring: where the notifier can be rung by an entry of it, the signal goes out with what that
  /// thread submits next; elsewhere, and on another thread than the port's, at once.
  template <class Item, ring_port Port>
  push_result push(Item&& item, Port& port) const
      noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result == push_result::signal) signal_through(port);
    return result;
  }

  /// Pushes, and signals also where the owner has not armed: for an owner that looks at nothing but its notifier.
  template <class Item>
  push_result force(Item&& item) const noexcept(noexcept(shared_->inbox.push(std::forward<Item>(item)))) {
    const push_result result = shared_->inbox.push(std::forward<Item>(item));
    if (result != push_result::closed) shared_->notifier.signal();
    return result;
  }

  /// The same from a thread that has a ring.
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
  /// Closes; what is still here is let go without being delivered. To have it, close(sink) first.
  ~wake_channel() {
    shared_->inbox.close([](auto&&) {});
    shared_->let_go();
  }

  /// Somebody who can wake this owner. Any thread that may use the channel.
  [[nodiscard]] sender_type sender() const noexcept { return sender_type{shared_}; }

  /// Hands out what is here, oldest first; returns how many.
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    return shared_->inbox.drain(std::forward<Sink>(sink));
  }
  /// Before sleeping: the next push signals. False: there is something to drain, or it is closed.
  [[nodiscard]] bool try_arm() noexcept { return shared_->inbox.try_arm(); }
  /// Takes the arming back. False: it was not armed, or a signal is on its way.
  bool disarm() noexcept { return shared_->inbox.disarm(); }
  /// Whether a drain would find something.
  [[nodiscard]] bool has_wakes() const noexcept { return std::as_const(shared_->inbox).has_wakes(); }
  /// Refuses every push from now on and hands what is here to the sink; returns how many.
  template <class Sink>
  std::size_t close(Sink&& sink) {
    return shared_->inbox.close(std::forward<Sink>(sink));
  }
  /// Whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return std::as_const(shared_->inbox).is_closed(); }

  /// What ends the owner's sleep.
  [[nodiscard]] Notifier& notifier() noexcept { return shared_->notifier; }
  /// The inbox itself, for what only this one can.
  [[nodiscard]] Inbox& inbox() noexcept { return shared_->inbox; }

 private:
  using shared = typename sender_type::shared;
  shared* shared_;
};

}  // namespace pinion::waker::inline PINION_MODE
