// SPDX-License-Identifier: Apache-2.0
//
// tsc_counter: what tsc_budget reads: the processor's time stamp counter, or the monotonic clock where that
// one is no clock.
//
// A reading of the counter is a few instructions, and counts in cycles. How many there are to a nanosecond is
// measured once for the process, from two readings of both clocks, 10 ms apart. Nobody waits for that: the
// slices that begin meanwhile are measured by the monotonic clock, and each slice by one clock from its
// beginning to its end.
//
//   tsc_counter counter;
//   const tsc_scale scale = counter.scale();                   // for one slice
//   const std::uint64_t end = counter.read(scale) + scale.of(length);
//   const bool is_over = counter.read(scale) >= end;
//
// The counter is used where the processor says that it is invariant (CPUID 0x80000007): it then runs on at
// one rate, whatever the core does. Elsewhere the monotonic clock stays, and that is reported, once. Two
// cores' counters may still differ, if the machine's firmware has set one: Linux mends that as it starts, or
// says "Marking TSC unstable" in its log; take another source there.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>

namespace pinion::preempt {

/// Which clock a slice is measured by, and in what.
struct tsc_scale {
  /// Cycles a nanosecond, times 2^20; 0: the monotonic clock is read, in nanoseconds.
  std::uint64_t per_ns = 0;

  /// The fastest counter that is believed, 16 GHz, and the slowest, 16 MHz.
  static constexpr std::uint64_t per_ns_max = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t per_ns_min = std::uint64_t{1} << 14U;
  /// What is longer counts as this: 18 years.
  static constexpr duration longest{std::uint64_t{1} << 59U};

  /// So long, in what that clock counts. Multiplies and shifts: what is below a nanosecond is lost.
  [[nodiscard]] constexpr std::uint64_t of(duration length) const noexcept {
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 20U) - 1;
    const std::uint64_t ns = length < longest ? length.ns : longest.ns;
    if (per_ns == 0) return ns;
    return (ns >> 20U) * per_ns + ((ns & fraction) * per_ns >> 20U);
  }
  friend constexpr bool operator==(const tsc_scale&, const tsc_scale&) noexcept = default;
};

/// What a tsc_budget reads. A test's is a number.
template <class Counter>
concept slice_counter = requires(Counter& counter, tsc_scale scale) {
  // For a slice that begins now.
  { counter.scale() } noexcept -> std::same_as<tsc_scale>;
  // The clock that this scale is of.
  { counter.read(scale) } noexcept -> std::same_as<std::uint64_t>;
};

/// Whether slices are measured by the time stamp counter.
enum class tsc_state : std::uint8_t {
  measuring,  ///< not yet: by the monotonic clock, until its rate is known
  in_use,     ///< yes
  unusable,   ///< never: by the monotonic clock
};

/// The machine's.
class PINION_EXPORT tsc_counter {
 public:
  /// The time stamp counter's, once it is known. Any thread.
  [[nodiscard]] static tsc_scale scale() noexcept;
  /// Reads that clock.
  [[nodiscard]] static std::uint64_t read(tsc_scale scale) noexcept {
#if defined(__x86_64__) || defined(__i386__)
    if (scale.per_ns != 0) [[likely]]
      return __builtin_ia32_rdtsc();
#endif
    return monotonic_clock::now().ns;
  }
  /// Which one it is. Any thread.
  [[nodiscard]] static tsc_state state() noexcept;
};

/// Both clocks, read together: the counter before and after the clock.
struct tsc_pair {
  std::uint64_t before = 0;
  instant time;
  std::uint64_t after = 0;
};

/// How the rate is found: from pairs, without a clock of its own.
///
/// No slice is to be over early. So the cycles between two pairs are taken as the most that they can have
/// been, and one in 1024 is added, which is twice what the monotonic clock is slewed by (adjtime: 500 in a
/// million). A slice is longer by so much.
class PINION_EXPORT tsc_rate {
 public:
  /// How far apart the two pairs are, at least.
  static constexpr duration apart{10'000'000};
  /// A pair that took more cycles than this was interrupted between its readings, and says nothing.
  static constexpr std::uint64_t pair_max = 20'000;

  /// Takes a pair. Once the rate is known, or can't be, another one changes nothing.
  void saw(const tsc_pair& pair) noexcept;
  /// What is known so far.
  [[nodiscard]] tsc_state state() const noexcept { return state_; }
  [[nodiscard]] tsc_scale scale() const noexcept { return scale_; }

 private:
  tsc_pair first_{};
  bool has_first_ = false;
  tsc_state state_ = tsc_state::measuring;
  tsc_scale scale_{};
};

/// What is asked of a processor, apart, so that a test can be one.
struct tsc_calls {
  /// Why its counter is no clock, and what to do; nullptr if it is one.
  const char* (*what_is_wrong)() noexcept;
  tsc_pair (*read_both)() noexcept;
};

/// What a process knows of the processor's counter; tsc_counter has the one that counts. Any thread.
///
/// Memory ordering. The rate is one word and says all, so it is relaxed; so is the state, which only says
/// whether to ask. Who measures holds a flag, acquired and released, and whoever finds it taken goes on with
/// what is known.
class PINION_EXPORT tsc_gauge {
 public:
  /// Of that processor. Asks nothing yet.
  constexpr explicit tsc_gauge(const tsc_calls& processor) noexcept : processor_(processor) {}

  /// The scale, as far as it is known; measures, while it isn't. Reports once where it can't be.
  [[nodiscard]] tsc_scale scale() noexcept;
  /// What is known so far.
  [[nodiscard]] tsc_state state() const noexcept { return state_.load(std::memory_order_relaxed); }

 private:
  const char* measure() noexcept;

  tsc_calls processor_;
  std::atomic<std::uint64_t> per_ns_{0};
  std::atomic<tsc_state> state_{tsc_state::measuring};
  std::atomic_flag is_measured_now_;
  // Of whoever holds that flag.
  tsc_rate rate_;
  bool was_asked_ = false;
};

static_assert(slice_counter<tsc_counter>);

}  // namespace pinion::preempt
