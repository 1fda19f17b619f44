// SPDX-License-Identifier: Apache-2.0
//
// spin_budget: how long an owner should poll before it sleeps, learned from what its sleeps were like.
//
// Waking a sleeper costs its waker microseconds, whatever rings it; an owner that still polls costs its waker
// nothing. Polling pays where the next wake is near, and wastes a core where it is not. The budget follows
// what is seen:
//
//   a wake came while spinning   twice as long as it took is enough; the budget sinks towards that by a
//                                sixteenth each time
//   none came                    a quarter less; below `least` the budget is 0, and nothing is spun
//   the sleep after it was short a spin of twice the whole wait would have caught the wake: the budget rises
//                                to that, also from 0
//   the spin took far too long   the core was taken away: somebody else needs it. Off for 64 parks, then 128,
//                                … 4,096
//
// So there is no probing: an owner that does not spin learns from the length of its sleeps. On a machine with
// one core, or with `most` 0, spinning is off for good.
//
//   spin_budget budget;
//   if (poll_for(budget.allowance())) {                                // 0: sleep at once
//     budget.hit(took);
//   } else {
//     budget.miss(took);
//     sleep();
//     budget.slept(waited);                                            // the spin included
//   }
//
// A spin_budget reads no clock: spinner does. One thread uses it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/event_counter.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <thread>

namespace pinion::waker {

/// The bounds of a spin_budget.
struct spin_options {
  duration most{20'000};  ///< the longest spin; 0: never spin
  duration least{1'000};  ///< a shorter one is not worth its while
  unsigned cores = 0;     ///< how many this process may use; 0: ask the operating system
};

/// What a spin_budget has seen; counted in a build with PINION_STATISTICS=ON.
struct spin_statistics {
  std::uint64_t hits = 0;       ///< spins that a wake or an answer ended
  std::uint64_t misses = 0;     ///< spins that nothing ended
  std::uint64_t skipped = 0;    ///< parks without a spin
  std::uint64_t preempted = 0;  ///< spins in which the core was taken away

  /// Of the spins, the share that paid: 0 to 1; 0 if there were none.
  [[nodiscard]] double hit_rate() const noexcept {
    const std::uint64_t spins = hits + misses;
    return spins == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(spins);
  }
};

inline namespace PINION_MODE {

class spin_budget {
 public:
  /// Begins with a quarter of the longest spin.
  explicit spin_budget(spin_options options = {}) noexcept
      : options_(options), budget_(std::max(duration{options.most.ns / 4}, options.least)) {
    if (options_.cores == 0 && options_.most != duration{0})
      options_.cores = std::thread::hardware_concurrency();
    if (options_.cores == 1) options_.most = duration{0};
  }

  /// How long to spin before this park. 0 is counted as a park without a spin.
  [[nodiscard]] duration allowance() noexcept {
    const bool is_paused = paused_ != 0;
    if (is_paused) --paused_;
    if (!is_paused && options_.most != duration{0} && budget_ >= options_.least) return budget_;
    events_.count(&spin_statistics::skipped);
    return duration{0};
  }

  /// A wake came after spinning for so long.
  void hit(duration took) noexcept {
    events_.count(&spin_statistics::hits);
    if (was_preempted(took)) return;
    pause_next_ = pause_first;
    budget_ = limited(std::max(duration{budget_.ns - budget_.ns / 16}, took * 2));
  }

  /// None came in so long.
  void miss(duration took) noexcept {
    events_.count(&spin_statistics::misses);
    if (was_preempted(took)) return;
    budget_ = duration{budget_.ns - budget_.ns / 4};
    if (budget_ < options_.least) budget_ = duration{0};
  }

  /// A wake came so long after the park began, spin included.
  void slept(duration whole) noexcept {
    if (whole * 2 <= options_.most) budget_ = limited(std::max(budget_, whole * 2));
  }

#if PINION_COUNTED
  /// What was seen so far. In a build with PINION_STATISTICS=ON.
  [[nodiscard]] const spin_statistics& statistics() const noexcept { return events_.total(); }
#endif

 private:
  static constexpr std::uint32_t pause_first = 64;
  static constexpr std::uint32_t pause_last = 4'096;
  // Beyond the budget by this much, a spin did not have its core. An interrupt is shorter, a time slice is
  // longer.
  static constexpr duration slice{200'000};

  [[nodiscard]] duration limited(duration wanted) const noexcept {
    return std::clamp(wanted, options_.least, std::max(options_.most, options_.least));
  }

  bool was_preempted(duration took) noexcept {
    if (took < budget_ + slice) return false;
    events_.count(&spin_statistics::preempted);
    paused_ = pause_next_;
    pause_next_ = std::min(2 * pause_next_, pause_last);
    return true;
  }

  spin_options options_;
  duration budget_;
  std::uint32_t paused_ = 0;
  std::uint32_t pause_next_ = pause_first;
  [[no_unique_address]] event_counter<spin_statistics> events_;
};

}  // namespace PINION_MODE

}  // namespace pinion::waker
