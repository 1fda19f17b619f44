// SPDX-License-Identifier: Apache-2.0
//
// value_inbox<T>: an inbox that carries values instead of nodes of the caller's.
//
// Each value travels in a node of its own from operator new, which the owner's thread frees. Where wakes are
// many, let your objects be nodes instead.
//
//   value_inbox<job> inbox;
//   if (inbox.push(std::move(next)) == push_result::signal) bell.signal();  // any thread
//   inbox.drain([](job&& each) { each(); });                                // the owner
#pragma once

#include <cstddef>
#include <memory>
#include <pinion/waker/tagged_inbox.hpp>
#include <type_traits>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// Values over an inbox of nodes, and like that one but for law W3: a push allocates.
template <class T, inbox Inbox = tagged_inbox>
  requires std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>
class value_inbox {
 public:
  /// What is sent.
  using value_type = T;

  value_inbox() = default;
  value_inbox(const value_inbox&) = delete;
  value_inbox& operator=(const value_inbox&) = delete;
  /// Nobody may push any more. Values that are still here are destroyed.
  ~value_inbox() {
    close([](T&&) {});
  }

  /// Queues the value. Any thread. If the answer is `closed`, or memory is exhausted (std::bad_alloc),
  /// `value` is as it was.
  [[nodiscard]] push_result push(T&& value) {
    auto carrier = std::make_unique<message>(std::move(value));
    const push_result result = inbox_.push(*carrier);
    if (result == push_result::closed) {
      value = std::move(carrier->value);
    } else {
      static_cast<void>(carrier.release());  // NOLINT(bugprone-unused-return-value): the inbox has it
    }
    return result;
  }

  /// The owner: hands out the values that are here, oldest first, and ends being armed. Returns how many.
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    return inbox_.drain(unwrapping(sink));
  }

  /// The owner: as the inbox beneath.
  [[nodiscard]] bool try_arm() noexcept { return inbox_.try_arm(); }
  /// The owner: as the inbox beneath.
  bool disarm() noexcept { return inbox_.disarm(); }
  /// The owner: as the inbox beneath.
  [[nodiscard]] bool has_wakes() const noexcept { return inbox_.has_wakes(); }

  /// The owner: refuses every push from now on and hands the values that are here to the sink. Returns how
  /// many.
  template <class Sink>
  std::size_t close(Sink&& sink) {
    return inbox_.close(unwrapping(sink));
  }

  /// The owner: whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return inbox_.is_closed(); }

 private:
  using node_type = typename Inbox::node_type;
  struct message : node_type {
    explicit message(T&& carried) noexcept : value(std::move(carried)) {}
    T value;
  };

  template <class Sink>
  static auto unwrapping(Sink& sink) noexcept {
    return [&sink](node_type& node) {
      const std::unique_ptr<message> carrier{static_cast<message*>(&node)};
      sink(std::move(carrier->value));
    };
  }

  Inbox inbox_;
};

}  // namespace pinion::waker::inline PINION_MODE
