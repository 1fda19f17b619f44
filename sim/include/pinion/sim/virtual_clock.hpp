// SPDX-License-Identifier: Apache-2.0
//
// virtual_clock: a clock that goes when a test says so, and does what real clocks do at the worst moment.
//
// It has the now() of monotonic_clock, so code that takes its clock as a template parameter does not know
// which it has. Time passes only by the calls below: a week takes as long as two additions, and the same
// calls give the same readings.
//
//   sim::virtual_clock clock{instant{0}};
//   my_loop<sim::virtual_clock::view> loop{clock};        // in production my_loop<monotonic_clock>
//   clock.advance_by(ceil(30s));                          // time passes
//   clock.jump_to(instant{std::uint64_t{1} << 36});       // the machine slept, or the clock went back
//   clock.stand_still(3);                                 // the next three readings show no progress
//   clock.tick(ceil(2ms), seed);                          // time passes between any two readings
//
// Each of the last three finds a mistake that a test with a clock that only advances does not: trust in time
// that never goes back, in a sleep that is never too short, in two readings that agree.
//
// Whatever was asked for, the clock stops one nanosecond before `never`, which no clock reaches.
//
// One owner at a time, and that goes for its views and for now() too, which counts readings: to simulate
// several threads, let one thread play them all.
#pragma once

#include <cstdint>
#include <limits>
#include <pinion/base/time.hpp>
#include <random>

namespace pinion::sim {

class virtual_clock {
 public:
  /// What others hold of a clock: small, copied at will, reads and can't set. The clock must outlive it.
  class view {
   public:
    /// Of that clock. Implicit, so that a clock can be given wherever one is kept by value.
    view(const virtual_clock& clock) noexcept : clock_(&clock) {}  // NOLINT(google-explicit-constructor)
    /// As virtual_clock::now().
    [[nodiscard]] instant now() const noexcept { return clock_->now(); }

   private:
    const virtual_clock* clock_;
  };

  /// For stand_still(): until go_on().
  static constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

  /// A clock at `start` that goes by itself neither forward nor back. Any start will do; code that fails for
  /// some of them takes a clock's epoch for granted.
  explicit virtual_clock(instant start) noexcept : time_(within(start)), shown_(time_) {}

  virtual_clock(const virtual_clock&) = delete;
  virtual_clock& operator=(const virtual_clock&) = delete;

  /// A reading, as the code under test takes it: the time, or what stand_still() left to see. It is counted,
  /// and after tick() it moves the time. Const as monotonic_clock's is, and no more to be called by two
  /// threads for that.
  [[nodiscard]] instant now() const noexcept;

  /// The time that has really come, for the test itself: no reading, and nothing moves.
  [[nodiscard]] instant time() const noexcept { return time_; }

  /// How often now() was called, by anybody: for a promise such as "one reading a turn".
  [[nodiscard]] std::uint64_t readings() const noexcept { return readings_; }

  /// Lets so much time pass.
  void advance_by(duration d) noexcept { jump_to(time_ + d); }

  /// Lets time pass until `t`; does nothing if that has been.
  void advance_to(instant t) noexcept {
    if (time_ < t) jump_to(t);
  }

  /// Puts the clock back by so much, at most to 0.
  void go_back_by(duration d) noexcept { jump_to(time_ - d); }

  /// Puts the clock to `t`, later or earlier.
  void jump_to(instant t) noexcept { time_ = within(t); }

  /// The next `count` readings all show the time that it is now, whatever passes meanwhile; then the clock
  /// shows the true time again, all at once. So a sleep seems to end too early, as one does whose timeout was
  /// rounded, and a coarse clock's readings lag. Ends an earlier stand.
  void stand_still(std::uint64_t count = for_ever) noexcept {
    shown_ = time_;
    still_ = count;
  }

  /// Ends what stand_still() began.
  void go_on() noexcept { still_ = 0; }

  /// From now on each reading lets 0 to `most` pass before it, drawn from `seed`: the same seed, the same
  /// times. A duration of 0 ends it. A clock that stands still does not tick.
  void tick(duration most, std::uint64_t seed) {
    most_ = most;
    random_.seed(seed);
  }

 private:
  __extension__ using wide = unsigned __int128;

  static constexpr instant within(instant t) noexcept { return t < never ? t : instant{never.ns - 1}; }

  // 0 to most_, by the upper half of a product: the same on every platform, which std's distributions are
  // not.
  duration draw() const noexcept {
    return duration{
        static_cast<std::uint64_t>((static_cast<wide>(random_()) * (static_cast<wide>(most_.ns) + 1)) >> 64)};
  }

  // What a reading changes.
  mutable instant time_;
  mutable std::uint64_t readings_ = 0;
  mutable std::uint64_t still_ = 0;  // readings that are still to show shown_
  mutable std::mt19937_64 random_;
  instant shown_;
  duration most_;
};

// ---- Implementation ----

inline instant virtual_clock::now() const noexcept {
  ++readings_;
  if (still_ != 0) {
    if (still_ != for_ever) --still_;
    return shown_;
  }
  time_ = within(time_ + draw());
  return time_;
}

}  // namespace pinion::sim
