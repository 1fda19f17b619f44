// SPDX-License-Identifier: Apache-2.0
//
// operation_backlog: operations that wait for room in a ring, in the order in which they were queued, and why they do.
//
// A list through the operations themselves: it holds any number, and allocates nothing. What may hold an operation up are bits of one
// byte, so that the usual case is one comparison.
//
//   if (backlog.is_open() && ring.room() != 0) ring.put(what.entry()); else backlog.add(what);
//   while (backlog.size() != 0 && ring.room() != 0) ring.put(backlog.take().entry());
#pragma once

#include <cstdint>
#include <pinion/config.hpp>
#include <pinion/iosubmit/operation.hpp>

namespace pinion::iosubmit::inline PINION_MODE::submission_detail {

/// First in, first out. An operation in it is not in the ring, and stays where it is.
class operation_backlog {
 public:
  operation_backlog() noexcept = default;
  operation_backlog(const operation_backlog&) = delete;
  operation_backlog& operator=(const operation_backlog&) = delete;

  /// How many wait.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// Adds one behind the others.
  void add(operation& what) noexcept {
    parts::next(what) = nullptr;
    *end_ = &what;
    end_ = &parts::next(what);
    ++size_;
    held_up_ |= behind;
  }
  /// The first, which waits no longer. There is one.
  operation& take() noexcept {
    operation& first = *first_;
    first_ = parts::next(first);
    if (--size_ == 0) {
      end_ = &first_;
      held_up_ &= static_cast<std::uint8_t>(~behind);
    }
    return first;
  }

  /// Whether nothing holds an operation up but the ring's own room.
  [[nodiscard]] bool is_open() const noexcept { return held_up_ == 0; }
  /// Whether an operation may be put into the ring: none waits before it, and none is being refused.
  [[nodiscard]] bool is_passed_by() const noexcept { return (held_up_ & (refusing | behind)) == 0; }
  /// Where answers are refused at once, nothing is entered on behalf of what they queue; and while some are refused, answers that
  /// queue again would be refused inside each other, without end.
  [[nodiscard]] bool may_enter() const noexcept { return (held_up_ & (stopping | refusing)) == 0; }
  /// Whether the owner stops, and whether it refuses what is queued; whether it did before.
  void set_stopping(bool value) noexcept { set(stopping, value); }
  bool set_refusing(bool value) noexcept { return set(refusing, value); }

 private:
  using parts = operation_detail::access;

  static constexpr std::uint8_t stopping = 1;
  static constexpr std::uint8_t refusing = 2;
  static constexpr std::uint8_t behind = 4;  // some wait already

  bool set(std::uint8_t why, bool value) noexcept {
    const bool before = (held_up_ & why) != 0;
    held_up_ = static_cast<std::uint8_t>(value ? held_up_ | why : held_up_ & ~why);
    return before;
  }

  operation* first_ = nullptr;
  operation** end_ = &first_;
  std::uint32_t size_ = 0;
  std::uint8_t held_up_ = 0;
};

}  // namespace pinion::iosubmit::inline PINION_MODE::submission_detail
