// SPDX-License-Identifier: Apache-2.0
//
// slots: where an epoll_ring keeps an entry from the enter that takes it until its completion is reaped.
//
// A slot is free, or it waits (for its descriptor or for a time), or it is answered; an entry that stays can
// be both. Slots are indices, so that their number can grow under those who hold one.
//
//   const std::uint32_t at = all.take();
//   all[at].entry = entry;
//   all.wait_for_descriptor(at);      // found by its descriptor and by its name from here on
//   all.finish(at, result);           // and all.pop() hands out the completion
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <utility>
#include <vector>

#include "epoll_indices.hpp"

namespace pinion::iosubmit::epoll_detail {

struct slot {
  ring_entry entry;
  std::int32_t result = 0;
  std::uint32_t flags = 0;
  std::uint32_t next = no_index;  // of the free ones, or of the answered
  bool waits = false;
  bool is_answered = false;
  bool was_tried = false;
  bool is_edge = false;  // its descriptor is watched for changes
};

class slots {
 public:
  /// So many. Throws std::bad_alloc.
  explicit slots(std::uint32_t count) { grow(std::max(1U, count)); }

  [[nodiscard]] slot& operator[](std::uint32_t at) noexcept { return slots_[at]; }
  [[nodiscard]] const slot& operator[](std::uint32_t at) const noexcept { return slots_[at]; }

  /// A slot that is nobody's; no_index where there is no memory for more.
  std::uint32_t take() noexcept {
    if (free_ == no_index) {
      try {
        grow(static_cast<std::uint32_t>(2 * slots_.size()));
      } catch (const std::exception&) {
        return no_index;
      }
    }
    return std::exchange(free_, slots_[free_].next);
  }

  /// It is found by its descriptor from now on, behind the others there.
  void wait_for_descriptor(std::uint32_t at) noexcept {
    slots_[at].waits = true;
    by_name_.append(at, slots_[at].entry.user_data);
    by_descriptor_.append(at, static_cast<std::uint32_t>(slots_[at].entry.descriptor));
    ++watched_;
  }
  /// It is finished by expire(), from then on.
  void wait_until(std::uint32_t at, instant deadline) noexcept {
    slots_[at].waits = true;
    by_name_.append(at, slots_[at].entry.user_data);
    deadlines_.add(at, deadline);
  }

  /// An answer. Where the one before was not reaped, it takes its place.
  void answer(std::uint32_t at, std::int32_t result, std::uint32_t flags = 0) noexcept {
    slot& one = slots_[at];
    one.result = result;
    one.flags = flags;
    if (std::exchange(one.is_answered, true)) return;
    one.next = no_index;
    (answered_++ == 0 ? first_answered_ : slots_[last_answered_].next) = at;
    last_answered_ = at;
  }
  /// The last answer of one that waits.
  void finish(std::uint32_t at, std::int32_t result) noexcept {
    slot& one = slots_[at];
    by_name_.remove(at);
    if (one.entry.operation == codes::timeout) {
      deadlines_.remove(at);
    } else {
      by_descriptor_.remove(at);
      --watched_;
    }
    one.waits = false;
    answer(at, result);
  }
  /// The same for all that wait on a descriptor, or for all that wait; how many.
  std::int32_t finish_all_of(std::int32_t descriptor, std::int32_t result) noexcept {
    std::int32_t count = 0;
    for (std::uint32_t at = first_of(descriptor); at != no_index; at = first_of(descriptor), ++count)
      finish(at, result);
    return count;
  }
  std::int32_t finish_all(std::int32_t result) noexcept {
    std::int32_t count = 0;
    for (std::uint32_t at = 0; at != slots_.size(); ++at) {
      if (!slots_[at].waits) continue;
      finish(at, result);
      ++count;
    }
    return count;
  }
  /// The same for those whose time has come.
  void expire(instant now, std::int32_t result) noexcept {
    while (!deadlines_.empty() && deadlines_.earliest() <= now) finish(deadlines_.first(), result);
  }

  /// The oldest completion, of which there is one.
  ring_completion pop() noexcept {
    const std::uint32_t at = first_answered_;
    slot& one = slots_[at];
    const ring_completion completion{
        .user_data = one.entry.user_data, .result = one.result, .flags = one.flags};
    first_answered_ = one.next;
    --answered_;
    one.is_answered = false;
    if (!one.waits) give_back(at);
    return completion;
  }

  /// How many completions there are, and how many wait for a descriptor.
  [[nodiscard]] std::uint32_t answered() const noexcept { return answered_; }
  [[nodiscard]] std::uint32_t watched() const noexcept { return watched_; }
  /// When the next one is to expire.
  [[nodiscard]] instant earliest() const noexcept { return deadlines_.earliest(); }
  [[nodiscard]] bool has_deadlines() const noexcept { return !deadlines_.empty(); }

  /// Those that wait on a descriptor, in their order; no_index at the end.
  [[nodiscard]] std::uint32_t first_of(std::int32_t descriptor) const noexcept {
    return by_descriptor_.first(static_cast<std::uint32_t>(descriptor));
  }
  [[nodiscard]] std::uint32_t next_of(std::uint32_t at) const noexcept { return by_descriptor_.next(at); }
  /// The first of those that wait under that name.
  [[nodiscard]] std::uint32_t first_named(std::uint64_t user_data) const noexcept {
    return by_name_.first(user_data);
  }

 private:
  void grow(std::uint32_t capacity) {
    by_descriptor_.reserve(capacity);
    by_name_.reserve(capacity);
    deadlines_.reserve(capacity);
    const auto before = static_cast<std::uint32_t>(slots_.size());
    slots_.resize(capacity);
    for (std::uint32_t k = capacity; k != before; --k) give_back(k - 1);
  }
  void give_back(std::uint32_t at) noexcept {
    slots_[at] = {};
    slots_[at].next = std::exchange(free_, at);
  }

  std::vector<slot> slots_;
  keyed_indices by_descriptor_;
  keyed_indices by_name_;
  deadline_heap deadlines_;
  std::uint32_t free_ = no_index;
  std::uint32_t first_answered_ = no_index;
  std::uint32_t last_answered_ = no_index;
  std::uint32_t answered_ = 0;
  std::uint32_t watched_ = 0;
};

}  // namespace pinion::iosubmit::epoll_detail
