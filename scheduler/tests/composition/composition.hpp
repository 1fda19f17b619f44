// SPDX-License-Identifier: Apache-2.0
//
// composition: one owner of a loop, made of parts that were chosen at run time, and which there are.
//
//   const composition_factory& one = every_composition().front();
//   world in{instant{1'000'000'000}};
//   const std::unique_ptr<composition> owner = one.make(in);
//   owner->round();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/program/random_numbers.hpp"
#include "parts.hpp"

namespace pinion::scheduler::testing {

/// Made in this order, and ended in the other. A null io, timers, channel or slices is absent.
struct composition {
  explicit composition(world& where) noexcept : in(where) {}
  composition(const composition&) = delete;
  composition& operator=(const composition&) = delete;

  world& in;
  std::unique_ptr<any_io> io;
  std::unique_ptr<any_timers> timers;
  std::unique_ptr<any_channel> channel;
  std::unique_ptr<any_slices> slices;
  std::unique_ptr<loop_executor> tasks;
  std::unique_ptr<any_turn> turn;
};

/// When the slices of a source end.
enum class slice_end : std::uint8_t {
  never,      ///< they have no end
  at_once,    ///< at the first check
  by_checks,  ///< after so many checks
  by_time,    ///< when they should
};

// The values of each axis. A value is a name, how it is made, and what laws must know of it.

struct timers_value {
  const char* name;
  std::unique_ptr<any_timers> (*make)(world&);
};
struct policy_value {
  const char* name;
  std::unique_ptr<any_io> (*make)(world&, const temper&, std::uint64_t seed);
};
struct inbox_and_notifier {
  const char* inbox;
  const char* notifier;
  std::unique_ptr<any_channel> (*make)(world&, any_io*);
  bool has_messages = true;  ///< the kernel has the call that sends them (Linux 6.13)
};
struct source_value {
  const char* name;
  std::unique_ptr<any_slices> (*make)(world&, any_io*);
  slice_end ends = slice_end::by_time;
  bool is_the_rings = false;  ///< it needs a ring with flags
};
struct turn_value {
  const char* name;
  std::unique_ptr<any_turn> (*make)(composition&, const turn_options&);
  duration spin{};  ///< how long it looks before it waits, at most
};

/// One of them. A null value is an absent part.
struct composition_factory {
  std::string name{};  ///< a mutant's or a frame's; the others are described()
  std::uint64_t seed = 1;
  const timers_value* timers = nullptr;
  const inbox_and_notifier* channel = nullptr;
  const temper* ring = nullptr;
  const policy_value* policy = nullptr;
  const source_value* source = nullptr;
  const turn_value* turn = nullptr;
  /// Of a mutant: each puts its defect around the part that was just made, if there is one.
  std::function<void(composition&)> alter_io{};
  std::function<void(composition&)> alter_timers{};
  std::function<void(composition&)> alter_channel{};
  std::function<void(composition&)> alter_slices{};

  /// A clause with several ways to break it tries all of them on a composition that is looked at alone, such
  /// as a mutant; and one, by its seed, on each of many, so that any two values meet in each way all the
  /// same.
  bool is_one_of_many = false;
  [[nodiscard]] bool tries(std::size_t way, std::size_t of) const noexcept {
    return !is_one_of_many || bench::random_numbers{seed}.below(of) == way;
  }

  /// Throws what making the parts throws.
  [[nodiscard]] std::unique_ptr<composition> make(world& in, const turn_options& options = {}) const;
  /// "deferred_wheel, tagged_inbox, eventfd, plain ring, each_turn, never_due", or its name.
  [[nodiscard]] std::string described() const;

  [[nodiscard]] bool has_io() const noexcept { return policy != nullptr; }
  /// Such a pair does not work, and must be refused when it is made (law C5).
  [[nodiscard]] bool must_be_refused() const noexcept {
    return source != nullptr && source->is_the_rings && (ring == nullptr || !ring->has_flags());
  }
};

/// What stands on each axis.
[[nodiscard]] const std::vector<timers_value>& all_timers();
[[nodiscard]] const std::vector<inbox_and_notifier>& all_channels();          ///< for a loop with a ring
[[nodiscard]] const std::vector<inbox_and_notifier>& all_waiting_channels();  ///< for one without
[[nodiscard]] const std::vector<temper>& all_tempers();
[[nodiscard]] const std::vector<policy_value>& all_policies();
[[nodiscard]] const std::vector<source_value>& all_sources();
/// scheduler::turn, whichever of its parts are there.
[[nodiscard]] const turn_value& shipped_turn();
/// The same, which looks for wakes and answers for a while before it waits.
[[nodiscard]] const turn_value& spinning_turn();

/// The value of that name. Throws std::out_of_range where there is none.
template <class Value>
[[nodiscard]] const Value& named(const std::vector<Value>& among, std::string_view name) {
  for (const Value& each : among)
    if (each.name == name) return each;
  throw std::out_of_range{std::string{name}};
}

/// Every composition with these timers; or, without any, those in which something is absent.
[[nodiscard]] std::vector<composition_factory> compositions_with(const timers_value* timers);
/// Those of them that have all parts, in a turn that looks before it waits.
[[nodiscard]] std::vector<composition_factory> spinning(std::vector<composition_factory> all);
/// Some of them, in which every two values meet that meet in any.
[[nodiscard]] std::vector<composition_factory> every_pair_of(const std::vector<composition_factory>& all);

}  // namespace pinion::scheduler::testing
