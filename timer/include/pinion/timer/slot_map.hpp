// SPDX-License-Identifier: Apache-2.0
//
// slot_map: values in numbered slots that never move, each named by a handle that goes stale for ever when the value goes.
//
// A slot is a tag, a generation and the value, or, while it is free, the number of the next free slot. The generation
// steps when a value comes and when it goes, so it is odd while the slot is taken. A handle is (generation, number) and
// is good while the two generations agree; none is 0, as 0 is even. A generation that would come round to where it began retires the slot: it is
// never used again, so no old handle can match by accident. Where generations begin is a hash of the slot and of a seed
// that differs from map to map, so a handle that was made up, or is another map's, matches once in 2^generation_bits.
//
// The tag is the owner's, and stays when the value goes: a wheel keeps there where a slot's timer is, or was.
//
//   slot_map<task, tag> slots;
//   std::uint32_t slot = slots.insert(std::move(task));   // may throw; `task` is then untouched
//   handle h = slots.name(slot);
//   if (std::uint32_t slot = slots.find(h); slot != slots.none) task t = slots.erase(slot);
//
// One owner at a time.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/assert.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/slab.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace pinion::timer {

/// Where generations begin and how wide they are. Tests narrow them to reach their end.
struct slot_options {
  std::uint64_t seed = 0;  ///< 0: one that no other map of this process has
  unsigned generation_bits = 32;
};

namespace slot_detail {

inline std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31);
}

/// Memory ordering: relaxed. Only that each number is given out once matters; nothing is published by it.
inline std::uint64_t next_seed() noexcept {
  static constinit std::atomic<std::uint64_t> count{0};
  return 0x9e37'79b9'7f4a'7c15 * (count.fetch_add(1, std::memory_order_relaxed) + 1);
}

struct no_tag {};

}  // namespace slot_detail

inline namespace PINION_MODE {

template <class Value, class Tag = slot_detail::no_tag>
class slot_map {
  static_assert(std::is_nothrow_move_constructible_v<Value>, "a value must move without throwing (law T2)");

 public:
  /// What find() answers when a handle is refused.
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// As many slots as handles can name.
  static constexpr std::size_t slots_max = none - 1;

  /// An empty map; allocates nothing.
  explicit slot_map(slot_options options = {})
      : seed_(slot_detail::mix(options.seed != 0 ? options.seed : slot_detail::next_seed())),
        generation_mask_(options.generation_bits >= 32 ? ~std::uint32_t{0}
                                                       : (std::uint32_t{1} << options.generation_bits) - 1) {}
  slot_map(const slot_map&) = delete;
  slot_map& operator=(const slot_map&) = delete;
  /// Destroys the values that are left.
  ~slot_map() {
    for (std::uint32_t k = 0; k < made_; ++k) {
      if (is_taken(k)) std::destroy_at(&slots_[k].value);
    }
  }

  /// Whether the next insert() needs a new slot, and may therefore throw.
  [[nodiscard]] bool is_full() const noexcept { return free_ == none; }

  /// Takes `value` in. Strong guarantee: std::bad_alloc, or std::length_error when no handle is left, leaves
  /// everything, `value` too, as it was.
  std::uint32_t insert(Value&& value) {
    if (free_ == none) [[unlikely]]
      reserve(size_ + 1);
    const std::uint32_t number = free_;
    slot& s = slots_[number];
    free_ = s.link;
    std::construct_at(&s.value, std::move(value));
    s.generation = step(s.generation);
    ++size_;
    return number;
  }

  /// The slot that `h` names, or none.
  [[nodiscard]] std::uint32_t find(handle h) const noexcept {
    const std::uint32_t number = number_of(h);
    const std::uint64_t generation = h.bits() >> 32;
    return number < made_ && slots_[number].generation == generation && (generation & 1) != 0 ? number : none;
  }

  /// Whether `h` could have been given out by this map: it names a slot that exists, in any generation of a taken one.
  [[nodiscard]] bool knows_slot_of(handle h) const noexcept {
    return number_of(h) < made_ && (h.bits() >> 32 & 1) != 0;
  }

  /// The handle of a taken slot; the value and the tag of a slot, the value only while it is taken.
  [[nodiscard]] handle name(std::uint32_t number) const noexcept {
    return handle::from_bits((std::uint64_t{slots_[number].generation} << 32) | number);
  }
  [[nodiscard]] Value& value(std::uint32_t number) noexcept { return slots_[number].value; }
  [[nodiscard]] Tag& tag(std::uint32_t number) noexcept { return slots_[number]; }
  [[nodiscard]] const Tag& tag(std::uint32_t number) const noexcept { return slots_[number]; }
  /// Whether a slot holds a value.
  [[nodiscard]] bool is_taken(std::uint32_t number) const noexcept {
    return (slots_[number].generation & 1) != 0;
  }
  /// Asks for the cache line of a slot, for use a dozen steps from now.
  void prefetch(std::uint32_t number) const noexcept { slots_.prefetch(number); }

  /// Lets the value of a taken slot go, and gives it back. Its handle is refused from here on.
  Value erase(std::uint32_t number) noexcept {
    PINION_ASSERT(is_taken(number), "erase() of a slot that holds nothing: find() it first");
    slot& s = slots_[number];
    Value value = std::move(s.value);
    std::destroy_at(&s.value);
    s.generation = step(s.generation);
    --size_;
    if (s.generation == first_generation(number)) [[unlikely]] {
      ++retired_;
    } else {
      s.link = free_;
      free_ = number;
    }
    return value;
  }

  /// How many slots there will be after reserve(n): whole pages. Throws std::length_error when handles can't name so many.
  [[nodiscard]] std::size_t made_by(std::size_t n) const {
    if (n > slots_max - retired_)
      throw std::length_error("pinion::timer: no handle is left to name a timer by");
    const std::size_t want = n + retired_;
    if (want <= made_) return made_;
    const std::size_t all = slab<slot>::capacity_for(want);
    return all < slots_max ? all : slots_max;
  }

  /// Makes room for `n` values at once: until then insert() neither allocates nor throws, but for retired slots.
  void reserve(std::size_t n) {
    const std::size_t all = made_by(n);
    if (all == made_) return;
    slots_.reserve(all);
    for (auto number = static_cast<std::uint32_t>(all); number-- > made_;) {
      slot& s = slots_[number];
      s.generation = first_generation(number);
      s.link = free_;
      free_ = number;
    }
    made_ = static_cast<std::uint32_t>(all);
  }

  /// How many slots are taken.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Bytes held, values included.
  [[nodiscard]] std::size_t memory() const noexcept { return slots_.memory(); }

  /// Slots there are, taken, free and retired; their numbers are below it.
  [[nodiscard]] std::uint32_t made() const noexcept { return made_; }

  /// Slots that ran out of generations. Each costs its memory for as long as the map lives.
  [[nodiscard]] std::size_t retired() const noexcept { return retired_; }

 private:
  struct slot : Tag {
    std::uint32_t generation = 0;
    union {
      Value value;
      std::uint32_t link;
    };
    slot() noexcept : link(none) {}
    ~slot() {}  // NOLINT(modernize-use-equals-default): the map knows which slots hold a value
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
  };

  static std::uint32_t number_of(handle h) noexcept { return static_cast<std::uint32_t>(h.bits()); }
  [[nodiscard]] std::uint32_t step(std::uint32_t generation) const noexcept {
    return (generation + 1) & generation_mask_;
  }
  [[nodiscard]] std::uint32_t first_generation(std::uint32_t number) const noexcept {
    return static_cast<std::uint32_t>((seed_ + number * 0x9e37'79b9'7f4a'7c15) >> 32) & generation_mask_ &
           ~std::uint32_t{1};
  }

  std::uint64_t seed_;
  std::uint32_t generation_mask_;
  std::uint32_t free_ = none;
  std::uint32_t made_ = 0;
  std::size_t size_ = 0;
  std::size_t retired_ = 0;
  slab<slot> slots_;
};

}  // namespace PINION_MODE
}  // namespace pinion::timer
