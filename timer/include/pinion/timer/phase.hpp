// SPDX-License-Identifier: Apache-2.0
//
// phase: when the ticks of an interval are due, and what becomes of those that nobody came for in time.
//
// Arithmetic only. Tick n is due at first + n * period: a tick that runs late does not make the next one
// late, except where that is asked for. A tick is *missed* when an earlier one runs so late that this one is
// due as well. What then happens is the interval's choice:
//
//   period 10, first tick at 10, polled at 10 20 | 55 | 55 55 60 65 70:
//   burst  10 20 | 30 | 40 50 60 70   every tick runs, one a poll, until it has caught up
//   delay  10 20 | 30 | - - 65        what was missed is dropped; the next comes a period after this one ran
//   skip   10 20 | 30 | - - 60 70     what was missed is dropped; the grid stays
#pragma once

#include <algorithm>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/time.hpp>

namespace pinion::timer {

/// When the tick is due that follows one due at `due` and run at `now`, which may be later.
enum class missed_ticks : std::uint8_t {
  /// At due + period, be that in the past. None is dropped: each missed tick waits for a poll of its own, and
  /// the queue's next wakeup is in the past meanwhile, so k missed ticks take k more polls and no sleep
  /// between. For counting.
  burst,
  /// At now + period. Ticks that were missed are dropped, and at least a period lies between any two that
  /// run. The only one that gives up the phase, by each tick's lateness, however small. For what has to rest
  /// between runs.
  delay,
  /// At the first due + n * period after now. Ticks that were missed are dropped, also one that would be due
  /// at now exactly. For what is to happen at round times.
  skip,
};

/// One tick: when it was due, and how many after it were due as well when it ran and are dropped (0 under
/// burst).
struct tick {
  instant due;
  std::uint64_t missed = 0;
  friend constexpr bool operator==(const tick&, const tick&) noexcept = default;
};

inline namespace PINION_MODE {

class phase {
 public:
  /// Ticks at `first`, first + period, … A period of 0 is a violation, and 1 ns in an unchecked build.
  constexpr phase(instant first, duration period, missed_ticks missed) noexcept
      : due_(first), period_(std::max(period, duration{1})), missed_(missed) {
    PINION_ASSERT(period.ns != 0, "an interval's period is 0: it would be due for ever");
  }

  /// When the next tick is due; `never` once that no longer fits in 64 bits.
  [[nodiscard]] constexpr instant due() const noexcept { return due_; }
  [[nodiscard]] constexpr duration period() const noexcept { return period_; }

  /// The tick that is due runs at `now`: returns it, and goes on to the next.
  constexpr tick advance(instant now) noexcept {
    tick ran{due_, 0};
    const std::uint64_t late_by = (now - due_).ns / period_.ns;  // whole periods
    if (missed_ != missed_ticks::burst) ran.missed = late_by;
    switch (missed_) {
    case missed_ticks::burst: due_ = due_ + period_; break;
    case missed_ticks::delay: due_ = now + period_; break;
    case missed_ticks::skip: due_ = due_ + period_ * late_by + period_; break;
    }
    return ran;
  }

 private:
  instant due_;
  duration period_;
  missed_ticks missed_;
};

}  // namespace PINION_MODE

}  // namespace pinion::timer
