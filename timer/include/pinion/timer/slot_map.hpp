// SPDX-License-Identifier: Apache-2.0
//
// slot_map: a slab of items, each named by a handle that goes stale for ever when the item goes.
//
// A slot is an item, a generation and a link. A handle is (generation, index + 1) and is good while the slot
// is taken and the generations agree; freeing a slot moves its generation on. A generation that would come
// round to where it started retires the slot: it is never used again, so no old handle can match by accident.
//
// Where generations start is a hash of the slot and of a seed that differs from map to map, so a handle that
// was made up, or belongs to another map, matches with a chance of one in 2^generation_bits.
//
//   slot_map<entry> slots;
//   handle h = slots.insert(entry{…});    // throws std::bad_alloc, std::length_error; nothing happened then
//   if (entry* e = slots.find(h)) …
//   slots.erase(h);
//
// Only the table of slots allocates, when insert() needs one more than ever before and in reserve(); items
// move then. One owner at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/timer/handle.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace pinion::timer {

/// Where generations start and how wide they are. Tests narrow them to reach their end.
struct slot_options {
  std::uint64_t seed = 0;  ///< 0: one that no other map of this process has
  unsigned generation_bits = 32;
};

inline namespace PINION_MODE {

template <class Item>
class slot_map {
  static_assert(std::is_nothrow_move_constructible_v<Item>);

 public:
  /// An empty map; allocates nothing.
  explicit slot_map(slot_options options = {})
      : seed_(options.seed != 0 ? options.seed : next_seed()),
        generation_mask_(options.generation_bits >= 32 ? ~std::uint32_t{0}
                                                       : (std::uint32_t{1} << options.generation_bits) - 1) {}

  /// Takes `item` in and names it. Strong guarantee: std::bad_alloc, or std::length_error when all of the
  /// 2^32 - 3 indices are taken or retired, leaves everything, `item` too, as it was.
  [[nodiscard]] handle insert(Item&& item) {
    if (free_ == no_slot) add_slot();
    const std::uint32_t index = free_;
    slot& s = slots_[index];
    free_ = s.link;
    s.link = taken;
    s.item = std::move(item);
    ++size_;
    return name(index, s.generation);
  }

  /// The item that `h` names, or nullptr. The pointer is good until the next insert() or reserve().
  [[nodiscard]] Item* find(handle h) noexcept {
    const std::uint64_t position = (h.bits() & index_mask) - 1;  // of handle{}: huge
    if (position >= slots_.size()) return nullptr;
    slot& s = slots_[static_cast<std::size_t>(position)];
    return s.link == taken && s.generation == h.bits() >> 32 ? &s.item : nullptr;
  }

  /// Whether `h` could have been given out by this map: it names a slot that exists, in any generation.
  [[nodiscard]] bool knows_slot_of(handle h) const noexcept {
    return (h.bits() & index_mask) - 1 < slots_.size();
  }

  /// Lets the item of `h` go, which find() must have found. The handle is refused from here on.
  void erase(handle h) noexcept {
    PINION_ASSERT(find(h) != nullptr, "erase() of a handle that names nothing: find() it first");
    const auto index = static_cast<std::uint32_t>((h.bits() & index_mask) - 1);
    slot& s = slots_[index];
    s.item = Item{};
    s.generation = (s.generation + 1) & generation_mask_;
    --size_;
    if (s.generation == first_generation(index)) {
      s.link = out_of_generations;
      ++retired_;
    } else {
      s.link = free_;
      free_ = index;
    }
  }

  /// Makes room for `n` items at once: until then insert() neither allocates nor throws, but for retired
  /// slots.
  void reserve(std::size_t n) {
    slots_.reserve(n + retired_);
    while (slots_.size() - retired_ < n) add_slot();
  }

  /// How many items the map holds.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Slots that ran out of generations. Each costs its memory for as long as the map lives.
  [[nodiscard]] std::size_t retired() const noexcept { return retired_; }

 private:
  struct slot {
    Item item;
    std::uint32_t generation;
    std::uint32_t link;  // the index of the next free slot, or one of the words below
  };

  // What a link says when it isn't the index of the next free slot.
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
  static constexpr std::uint32_t taken = no_slot - 1;
  static constexpr std::uint32_t out_of_generations = no_slot - 2;

  static constexpr std::uint64_t index_mask = 0xffff'ffff;
  static constexpr std::size_t index_count = out_of_generations;

  static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
    return x ^ (x >> 31);
  }

  /// Memory ordering: relaxed. Only that each value is given out once matters; nothing is published by it.
  static std::uint64_t next_seed() noexcept {
    static constinit std::atomic<std::uint64_t> count{0};
    return mix(0x9e37'79b9'7f4a'7c15 * (count.fetch_add(1, std::memory_order_relaxed) + 1));
  }

  [[nodiscard]] std::uint32_t first_generation(std::uint32_t index) const noexcept {
    return static_cast<std::uint32_t>(mix(seed_ + 0x9e37'79b9'7f4a'7c15 * index)) & generation_mask_;
  }

  [[nodiscard]] static handle name(std::uint32_t index, std::uint32_t generation) noexcept {
    return handle::from_bits((std::uint64_t{generation} << 32) | (std::uint64_t{index} + 1));
  }

  // Out of line: what insert() does when it can't just take a slot.
  [[gnu::noinline]] void add_slot() {
    if (slots_.size() >= index_count)
      throw std::length_error("pinion::timer: no handle is left to name a timer by");
    const auto index = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(slot{Item{}, first_generation(index), free_});
    free_ = index;
  }

  std::uint64_t seed_;
  std::uint32_t generation_mask_;
  std::uint32_t free_ = no_slot;
  std::vector<slot> slots_;
  std::size_t size_ = 0;
  std::size_t retired_ = 0;
};

}  // namespace PINION_MODE
}  // namespace pinion::timer
