// SPDX-License-Identifier: Apache-2.0
//
// operation_backlog: operations that wait for room in a ring, in the order in which they were queued, and why
// they do.
//
// A list through the operations themselves: it holds any number, and allocates nothing. What may hold an
// operation up are bits of one byte, so that the usual case is one comparison: where is_open() is true and
// the ring has room, an operation goes past the list.
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
  /// Whether nothing is entered, and all that is queued waits here: from a refusal until it is answered, and
  /// while the owner stops. Else answers that queue again would be refused inside each other, without end.
  [[nodiscard]] bool is_shut() const noexcept { return (held_up_ & shut) != 0; }
  void set_shut(bool value) noexcept {
    held_up_ = static_cast<std::uint8_t>(value ? held_up_ | shut : held_up_ & ~shut);
  }

 private:
  using parts = operation_detail::access;

  static constexpr std::uint8_t shut = 1;
  static constexpr std::uint8_t behind = 2;  // some wait already

  operation* first_ = nullptr;
  operation** end_ = &first_;
  std::uint32_t size_ = 0;
  std::uint8_t held_up_ = 0;
};

}  // namespace pinion::iosubmit::inline PINION_MODE::submission_detail
