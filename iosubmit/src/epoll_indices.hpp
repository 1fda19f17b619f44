// SPDX-License-Identifier: Apache-2.0
//
// keyed_indices, deadline_heap: how epoll_ring finds its slots again: by descriptor, by name, by time.
//
// Both hold indices of slots that stand elsewhere, below a capacity that is reserved before: nothing else
// allocates. The first is a hash table of chains, in which those of one key stay in the order in which they
// came. The second is a binary heap that knows where each index stands, so that any can be taken out.
//
//   waiting.append(slot, socket);
//   for (std::uint32_t k = waiting.first(socket); k != no_index; k = waiting.next(k)) …
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <utility>
#include <vector>

namespace pinion::iosubmit::epoll_detail {

/// None of the slots.
inline constexpr std::uint32_t no_index = 0xffff'ffff;

/// Indices, each under a key that several may share.
class keyed_indices {
 public:
  /// Room for indices below `capacity`, at least 1. Throws std::bad_alloc, and has changed nothing.
  void reserve(std::uint32_t capacity) {
    keyed_indices larger;
    larger.links_.resize(capacity);
    larger.chains_.resize(std::bit_ceil(capacity));
    for (const chain& each : chains_) {
      for (std::uint32_t k = each.first; k != no_index; k = links_[k].next) larger.append(k, links_[k].key);
    }
    *this = std::move(larger);
  }
  /// Puts an index that isn't there behind all those of its key.
  void append(std::uint32_t index, std::uint64_t key) noexcept {
    chain& into = chain_of(key);
    links_[index] = {.key = key, .next = no_index, .previous = into.last};
    (into.last == no_index ? into.first : links_[into.last].next) = index;
    into.last = index;
  }
  /// Takes out an index that is there.
  void remove(std::uint32_t index) noexcept {
    const link& gone = links_[index];
    chain& from = chain_of(gone.key);
    (gone.previous == no_index ? from.first : links_[gone.previous].next) = gone.next;
    (gone.next == no_index ? from.last : links_[gone.next].previous) = gone.previous;
  }
  /// The first of that key, or no_index.
  [[nodiscard]] std::uint32_t first(std::uint64_t key) const noexcept {
    return along(chains_[place(key)].first, key);
  }
  /// The one behind it of the same key, or no_index.
  [[nodiscard]] std::uint32_t next(std::uint32_t index) const noexcept {
    return along(links_[index].next, links_[index].key);
  }

 private:
  struct link {
    std::uint64_t key = 0;
    std::uint32_t next = no_index;
    std::uint32_t previous = no_index;
  };
  struct chain {
    std::uint32_t first = no_index;
    std::uint32_t last = no_index;
  };

  [[nodiscard]] std::size_t place(std::uint64_t key) const noexcept {
    // Multiplied, since addresses differ in their middle bits; the upper ones of the product are mixed from
    // all.
    return static_cast<std::size_t>((key * 0x9E37'79B9'7F4A'7C15U) >> 32U) & (chains_.size() - 1);
  }
  [[nodiscard]] chain& chain_of(std::uint64_t key) noexcept { return chains_[place(key)]; }
  [[nodiscard]] std::uint32_t along(std::uint32_t index, std::uint64_t key) const noexcept {
    while (index != no_index && links_[index].key != key) index = links_[index].next;
    return index;
  }

  std::vector<link> links_;
  std::vector<chain> chains_;
};

/// Indices, each with a deadline.
class deadline_heap {
 public:
  /// Room for indices below `capacity`. Throws std::bad_alloc, and has changed nothing that counts.
  void reserve(std::uint32_t capacity) {
    order_.reserve(capacity);
    places_.resize(capacity, no_index);
  }
  /// Puts in an index that isn't there.
  void add(std::uint32_t index, instant deadline) noexcept {
    order_.push_back({deadline, index});  // reserved
    rise(order_.size() - 1);
  }
  /// Takes out an index, if it is there.
  void remove(std::uint32_t index) noexcept {
    const std::size_t hole = places_[index];
    if (hole == no_index) return;
    places_[index] = no_index;
    const timed last = order_.back();
    order_.pop_back();
    if (hole == order_.size()) return;
    set(hole, last);
    rise(hole);
    sink(places_[last.index]);
  }
  /// Whether there is none.
  [[nodiscard]] bool empty() const noexcept { return order_.empty(); }
  /// The earliest deadline; never, if there is none.
  [[nodiscard]] instant earliest() const noexcept { return order_.empty() ? never : order_.front().deadline; }
  /// Whose it is. There is one.
  [[nodiscard]] std::uint32_t first() const noexcept { return order_.front().index; }

 private:
  struct timed {
    instant deadline;
    std::uint32_t index;
  };

  void set(std::size_t at, timed what) noexcept {
    order_[at] = what;
    places_[what.index] = static_cast<std::uint32_t>(at);
  }
  void rise(std::size_t at) noexcept {
    const timed what = order_[at];
    for (; at != 0 && what.deadline < order_[(at - 1) / 2].deadline; at = (at - 1) / 2)
      set(at, order_[(at - 1) / 2]);
    set(at, what);
  }
  void sink(std::size_t at) noexcept {
    const timed what = order_[at];
    for (std::size_t below = 2 * at + 1; below < order_.size(); below = 2 * at + 1) {
      if (below + 1 < order_.size() && order_[below + 1].deadline < order_[below].deadline) ++below;
      if (what.deadline <= order_[below].deadline) break;
      set(at, order_[below]);
      at = below;
    }
    set(at, what);
  }

  std::vector<timed> order_;
  std::vector<std::uint32_t> places_;
};

}  // namespace pinion::iosubmit::epoll_detail
