// SPDX-License-Identifier: Apache-2.0
//
// slot_map: values in numbered slots that never move, each named by a handle that goes stale for ever when
// the value goes.
//
// A slot is a tag, a generation and the value, or, while it is free, the number of the next free slot. The
// generation steps when a value comes and when it goes, so it is odd while the slot is taken. A handle is
// (generation, number) and is good while the two generations agree; none is 0, as 0 is even. A generation
// that would come round to where it began retires the slot: it is never used again, so no old handle can
// match by accident. Where generations begin is a hash of the slot and of a seed that differs from map to
// map, so a handle that was made up, or is another map's, matches once in 2^generation_bits.
//
// The tag is the owner's, and stays when the value goes: a wheel keeps there where a slot's timer is, or was.
//
//   slot_map<task> slots;
//   const handle h = slots.name(slots.insert(task{}));   // may throw; the task is then untouched
//   if (const std::uint32_t slot = slots.find(h); slot != slots.none) slots.erase(slot).run();
//
// One owner at a time.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/assert.hpp>
#include <pinion/timer/detail/slab.hpp>
#include <pinion/timer/handle.hpp>
#include <pinion/timer/slot_options.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace pinion::timer {

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

  /// A slot: the owner's tag, and the value while it is taken. It never moves.
  class slot : public Tag {
   public:
    /// Whether it holds a value.
    [[nodiscard]] bool is_taken() const noexcept { return (generation_ & 1) != 0; }
    /// The value of a taken slot.
    [[nodiscard]] Value& value() noexcept { return held; }

    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
    ~slot() = delete;  // the map knows which ones hold a value, and ends that

   private:
    friend slot_map;
    slot(std::uint32_t generation, std::uint32_t link) noexcept : generation_(generation), next_free(link) {}

    std::uint32_t generation_;
    union {
      Value held;
      std::uint32_t next_free;
    };
  };

  /// An empty map; allocates nothing.
  explicit slot_map(slot_options options = {})
      : seed_(slot_detail::mix(options.seed != 0 ? options.seed : slot_detail::next_seed())),
        generation_mask_(options.generation_bits >= 32 ? ~std::uint32_t{0}
                                                       : (std::uint32_t{1} << options.generation_bits) - 1),
        slots_max_(options.slots_max < none ? options.slots_max : none - 1) {}
  slot_map(const slot_map&) = delete;
  slot_map& operator=(const slot_map&) = delete;
  /// Destroys the values that are left.
  ~slot_map() {
    for (std::uint32_t k = 0; k < made_; ++k) {
      if (slots_[k].is_taken()) std::destroy_at(&slots_[k].held);
    }
  }

  /// Whether the next insert() needs a new slot, and may therefore throw.
  [[nodiscard]] bool is_full() const noexcept { return free_ == none; }

  /// Takes `value` in; returns the slot's number. Strong guarantee: std::bad_alloc, or std::length_error when
  /// no handle is left, leaves everything, `value` too, as it was.
  std::uint32_t insert(Value&& value) {
    if (free_ == none) [[unlikely]]
      grow();
    const std::uint32_t number = free_;
    slot& s = slots_[number];
    free_ = s.next_free;
    std::construct_at(&s.held, std::move(value));
    s.generation_ = step(s.generation_);
    ++size_;
    return number;
  }

  /// The taken slot that `h` names, or nullptr.
  [[nodiscard]] slot* find_slot(handle h) noexcept {
    const std::uint32_t number = number_of(h);
    if (number >= made_) return nullptr;
    slot& s = slots_[number];
    const auto generation = static_cast<std::uint32_t>(h.bits() >> 32);
    if (s.generation_ != generation || (generation & 1) == 0) [[unlikely]]
      return nullptr;
    return &s;
  }
  /// Its number, or none.
  [[nodiscard]] std::uint32_t find(handle h) const noexcept {
    return const_cast<slot_map*>(this)->find_slot(h) != nullptr ? number_of(h) : none;
  }
  /// The number of the slot that a handle names, whether it is refused or not.
  [[nodiscard]] static std::uint32_t number_of(handle h) noexcept {
    return static_cast<std::uint32_t>(h.bits());
  }

  /// Whether `h` could have been given out by this map: it names a slot that exists, in any generation of a
  /// taken one.
  [[nodiscard]] bool knows_slot_of(handle h) const noexcept {
    return number_of(h) < made_ && (h.bits() >> 32 & 1) != 0;
  }

  /// The slot of a number below made().
  [[nodiscard]] slot& operator[](std::uint32_t number) noexcept { return slots_[number]; }
  [[nodiscard]] const slot& operator[](std::uint32_t number) const noexcept { return slots_[number]; }
  /// The handle of a taken slot.
  [[nodiscard]] handle name(std::uint32_t number, const slot& s) const noexcept {
    return handle::from_bits((std::uint64_t{s.generation_} << 32) | number);
  }
  [[nodiscard]] handle name(std::uint32_t number) const noexcept { return name(number, slots_[number]); }
  /// The value and the tag of a slot, the value only while it is taken.
  [[nodiscard]] Value& value(std::uint32_t number) noexcept { return slots_[number].held; }
  [[nodiscard]] Tag& tag(std::uint32_t number) noexcept { return slots_[number]; }
  [[nodiscard]] const Tag& tag(std::uint32_t number) const noexcept { return slots_[number]; }
  /// Whether a slot holds a value.
  [[nodiscard]] bool is_taken(std::uint32_t number) const noexcept { return slots_[number].is_taken(); }
  /// Asks for the cache line of a slot, for use a dozen steps from now.
  void prefetch(std::uint32_t number) const noexcept { slots_.prefetch(number); }

  /// Lets the value of a taken slot go, and gives it back. Its handle is refused from here on.
  Value erase(std::uint32_t number) noexcept { return erase(number, slots_[number]); }
  /// The same, of a slot that has been looked up.
  Value erase(std::uint32_t number, slot& s) noexcept {
    PINION_ASSERT(s.is_taken(), "erase() of a slot that holds nothing: find() it first");
    Value value = std::move(s.held);
    std::destroy_at(&s.held);
    s.generation_ = step(s.generation_);
    --size_;
    if (s.generation_ == first_generation(number)) [[unlikely]] {
      ++retired_;
    } else {
      s.next_free = free_;
      free_ = number;
    }
    return value;
  }

  /// How many slots there will be after reserve(n): whole pages. Throws std::length_error when handles can't
  /// name so many.
  [[nodiscard]] std::size_t made_by(std::size_t n) const {
    if (n > slots_max_ - retired_)
      throw std::length_error("pinion::timer: no handle is left to name a timer by");
    const std::size_t want = n + retired_;
    if (want <= made_) return made_;
    const std::size_t all = slab<slot>::capacity_for(want);
    return all < slots_max_ ? all : slots_max_;
  }

  /// Makes room for `n` values at once: until then insert() neither allocates nor throws, but for retired
  /// slots.
  void reserve(std::size_t n) {
    const std::size_t all = made_by(n);
    slots_.reserve(all);
    make(all);
  }
  /// Makes room for one value more, and for others with it. What a full map's insert() does.
  void grow() {
    const std::size_t all = made_by(size_ + 1);
    slots_.grow_to(all);
    make(all);
  }

  /// How many slots are taken.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Bytes held, values included.
  [[nodiscard]] std::size_t memory() const noexcept { return slots_.memory(); }

  /// Slots there are, taken, free and retired; their numbers are below it.
  [[nodiscard]] std::uint32_t made() const noexcept { return made_; }

  /// Slots that ran out of generations. Each costs its memory for as long as the map lives.
  [[nodiscard]] std::size_t retired() const noexcept { return retired_; }

  /// What does not hold of slots and free list; empty when all does. Looks at every slot.
  [[nodiscard]] std::string violated_invariant() const;

 private:
  void make(std::size_t all) noexcept {
    for (auto number = static_cast<std::uint32_t>(all); number-- > made_;) {
      ::new (static_cast<void*>(&slots_[number])) slot(first_generation(number), free_);
      free_ = number;
    }
    made_ = static_cast<std::uint32_t>(all);
  }
  [[nodiscard]] std::uint32_t step(std::uint32_t generation) const noexcept {
    return (generation + 1) & generation_mask_;
  }
  [[nodiscard]] std::uint32_t first_generation(std::uint32_t number) const noexcept {
    return static_cast<std::uint32_t>((seed_ + number * 0x9e37'79b9'7f4a'7c15) >> 32) & generation_mask_ &
           ~std::uint32_t{1};
  }

  std::uint64_t seed_;
  std::uint32_t generation_mask_;
  std::size_t slots_max_;
  std::uint32_t free_ = none;
  std::uint32_t made_ = 0;
  std::size_t size_ = 0;
  std::size_t retired_ = 0;
  slab<slot> slots_;
};

}  // namespace PINION_MODE
}  // namespace pinion::timer

#include <pinion/timer/detail/slot_map_check.hpp>  // IWYU pragma: export
