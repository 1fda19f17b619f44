// SPDX-License-Identifier: Apache-2.0
//
// mutex_inbox: a list and a state behind a mutex: the oracle that the other inboxes are tested against.
//
//   mutex_inbox inbox;                                                 // used as every inbox
//
// A push waits for the thread that is inside, so this inbox stands outside law W3. Executors without anything
// better have an inbox like this one.
#pragma once

#include <cstddef>
#include <mutex>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/detail/taken_wakes.hpp>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// An inbox of wake_nodes.
class mutex_inbox {
 public:
  /// What it keeps, and what a drain takes out.
  using node_type = wake_node;
  using taken_type = taken_wakes;

  mutex_inbox() = default;
  mutex_inbox(const mutex_inbox&) = delete;
  mutex_inbox& operator=(const mutex_inbox&) = delete;
  /// Nobody may push any more. Nodes that are still here are let go without being delivered.
  ~mutex_inbox() {
    close([](node_type&) {});
  }

  /// Queues the node unless it is queued. Any thread; waits for the mutex.
  [[nodiscard]] push_result push(node_type& node) noexcept {
    if (!node.claim()) return push_result::queued;
    const std::lock_guard lock{mutex_};
    if (closed_) {
      node.unclaim();
      return push_result::closed;
    }
    node.set_next(newest_);
    newest_ = &node;
    return std::exchange(armed_, false) ? push_result::signal : push_result::queued;
  }

  /// The owner: hands out what is here, oldest first, and ends being armed. Returns how many.
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
    const std::lock_guard lock{mutex_};
    armed_ = newest_ == nullptr && !closed_;
    return armed_;
  }

  /// The owner: takes the arming back. True if the inbox was armed and stays unsignalled; false if it was not
  /// armed, or a push came first, whose signal is on its way.
  bool disarm() noexcept {
    const std::lock_guard lock{mutex_};
    return std::exchange(armed_, false);
  }

  /// The owner: whether a drain would find something.
  [[nodiscard]] bool has_wakes() const noexcept {
    const std::lock_guard lock{mutex_};
    return !taken_.empty() || newest_ != nullptr;
  }

  /// The owner: refuses every push from now on and hands what is here to the sink. Returns how many. Twice
  /// does no harm; after a sink that threw, the next drain or close hands out the rest.
  template <class Sink>
  std::size_t close(Sink&& sink) {
    {
      const std::lock_guard lock{mutex_};
      closed_ = true;
      armed_ = false;
      taken_.append_newest_first(std::exchange(newest_, nullptr));
    }
    return taken_.run(sink);
  }

  /// The owner: whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept {
    const std::lock_guard lock{mutex_};
    return closed_;
  }

 private:
  // All that is here to taken_; false if closed.
  bool collect() noexcept {
    const std::lock_guard lock{mutex_};
    armed_ = false;
    taken_.append_newest_first(std::exchange(newest_, nullptr));
    return !closed_;
  }

  mutable std::mutex mutex_;
  node_type* newest_ = nullptr;
  bool armed_ = false;
  bool closed_ = false;
  taken_type taken_;  // the owner's
};

}  // namespace pinion::waker::inline PINION_MODE
