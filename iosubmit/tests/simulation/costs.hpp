// SPDX-License-Identifier: Apache-2.0
//
// costs: what a kernel takes, as service_times.csv has it, in the form in which the simulation charges it.
//
// A call that carries n entries of a kind costs `enter`, once `first` for the kind, and n times `each`: three
// numbers from the rows of that kind at the smallest and the largest batch. They are the lower quartiles,
// which a busy machine does not spoil. An answer comes after one of 64 service times, which are equally
// likely; those above the 60th are read as the 60th, for on the machine that was measured they are other
// people's time slices.
//
//   const costs machine = costs::of(stream);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <pinion/base/time.hpp>

namespace pinion::iosubmit::simulation {

/// What can be asked. The first two are done within the call that carries them, the others by a device or by
/// another machine.
enum class kind : std::uint8_t { cached_read, send, direct_read, large_write, receive };
inline constexpr std::size_t kinds = 5;

struct costs {
  static constexpr std::size_t quantiles = 64;

  struct call {
    duration first;
    duration each;
  };

  duration enter;       ///< of any enter
  duration completion;  ///< of each answer that is handed out
  duration wake;        ///< from what ends a sleep to the sleeper's running again
  duration sleep;       ///< CPU time of going to sleep and of being woken
  std::array<call, kinds> calls;
  std::array<std::array<duration, quantiles>, kinds> services;

  [[nodiscard]] const call& of_call(kind what) const noexcept {
    return calls[static_cast<std::size_t>(what)];
  }
  [[nodiscard]] duration service(kind what, std::size_t quantile) const noexcept {
    return services[static_cast<std::size_t>(what)][quantile];
  }

  /// Reads a table. Throws runtime_error where a row is missing.
  [[nodiscard]] static costs of(std::istream& table);
};

}  // namespace pinion::iosubmit::simulation
