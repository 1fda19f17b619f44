// SPDX-License-Identifier: Apache-2.0
#include "differential.hpp"

#include <algorithm>

#include "differential_episode.hpp"
#include "owning.hpp"

namespace pinion::timer::testing {
namespace {

instant any_start(choices& from) {
  constexpr std::uint64_t one = 1;
  const std::array<std::uint64_t, 9> epochs{0,
                                            one << 30,
                                            one << 36,
                                            one << 46,
                                            one << 63,
                                            never.ns - (one << 50),
                                            never.ns - (one << 40),
                                            never.ns - (one << 28),
                                            12'345'678'901};
  const std::uint64_t epoch = epochs[from.below(9)];
  switch (from.below(4)) {
  case 0: return instant{epoch};
  case 1: return instant{epoch} - duration{1};
  case 2: return instant{epoch} + duration{1};
  default: return instant{epoch} + from.any_length(34);
  }
}

unsigned any_generation_bits(choices& from) { return from.one_in(6) ? 4 : 32; }

template <class Store>
opponent direct(const char* name, terms agreed = {}) {
  return {name, [agreed](choices& from, std::uint64_t operations) {
            const instant start = any_start(from);
            const slot_options options{.seed = 1 + from.below(1'000),
                                       .generation_bits = any_generation_bits(from)};
            episode<Store> e{from, start, Store::traits, agreed,
                             [&] { return std::make_unique<Store>(start, options); }};
            return e.play(operations);
          }};
}

/// stationary_wheel with every timer stepping from ring to ring.
class exact_wheel : public stationary_wheel<token> {
 public:
  using stationary_wheel::stationary_wheel;
  handle schedule(instant deadline, token&& value) { return schedule_exact(deadline, std::move(value)); }
  [[nodiscard]] duration lateness_bound(duration) const noexcept { return levels().tick_of(0); }
};

constexpr level_geometry few_slots(bool stationary) { return {{10, 16, 18}, 3, 64, stationary}; }

class small_rings : public stationary_wheel<token> {
 public:
  explicit small_rings(instant start, slot_options options)
      : stationary_wheel(start, 0, few_slots(true), compaction_config{}, options) {}
};
class small_cascade : public slab_wheel<token, overlapping_levels> {
 public:
  explicit small_cascade(instant start, slot_options options)
      : slab_wheel(start, options, overlapping_levels{few_slots(false)}) {}
};
using few_digits = nested_levels<1'024, 2, 2, 2, 2, 3, 3>;
using small_nested = slab_wheel<token, few_digits>;

/// Looks at all entries, wherever they wait, each time a bucket needs a chunk.
template <class Levels>
struct hasty : Levels {
  using Levels::Levels;
  static constexpr compaction_pace pace{.chunks_spare = ~std::size_t{0}};
};
using hasty_nested = slab_wheel<token, hasty<few_digits>>;
class hasty_rings : public slab_wheel<token, hasty<overlapping_levels>> {
 public:
  static constexpr store_traits traits = small_rings::traits;
  explicit hasty_rings(instant start, slot_options options)
      : slab_wheel(start, options, hasty<overlapping_levels>{few_slots(true)}) {}
};

template <class Hook>
using small_hooks = hook_wheel<Hook, few_digits>;

}  // namespace

const std::vector<opponent>& opponents() {
  static const std::vector<opponent> all{
      direct<ordered_map<token>>("ordered_map"),
      direct<two_level_wheel<token>>("two_level_wheel"),
      direct<stationary_wheel<token>>("stationary_wheel"),
      direct<overflow_wheel<token>>("overflow_wheel"),
      direct<owning_bitmap_wheel<token>>("bitmap_wheel"),
      direct<deferred_wheel<token>>("deferred_wheel"),
      direct<owning_deferred_hook_wheel<token>>("deferred_hook_wheel"),
      direct<exact_wheel>("exact_wheel"),
      direct<small_rings>("small_rings", {.leap = 28}),
      direct<small_cascade>("small_cascade", {.leap = 28}),
      direct<small_nested>("small_nested", {.leap = 28}),
      direct<hasty_nested>("hasty_nested", {.leap = 28}),
      direct<hasty_rings>("hasty_rings", {.leap = 28}),
      direct<owning<token, small_hooks>>("small_hooks", {.leap = 28}),
  };
  return all;
}

opponent opponent_of(const store_factory& factory) {
  return {factory.name, [make = factory.make](choices& from, std::uint64_t operations) {
            const setup how{.start = any_start(from),
                            .generation_bits = any_generation_bits(from),
                            .seed = 1 + from.below(1'000)};
            const store_traits declared = make(how)->traits();
            episode<any_store> e{from, how.start, declared, terms{}, [&] { return make(how); }};
            return e.play(operations);
          }};
}

finding play_on(const opponent& against, std::uint64_t seed, std::uint64_t operations) {
  finding all{{}, seed, 0};
  for (; all.operations < operations && !all.found; ++all.seed) {
    choices from{all.seed};
    const std::uint64_t length = std::min(operations - all.operations, std::uint64_t{100} << from.below(9));
    where_it_is() = {against.name.c_str(), all.seed, 0};
    all.found = against.play(from, length);
    all.operations += all.found ? all.found.operations : length;
    if (all.found) break;
  }
  return all;
}

position& where_it_is() noexcept {
  static position here;
  return here;
}

}  // namespace pinion::timer::testing
