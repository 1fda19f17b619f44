// SPDX-License-Identifier: Apache-2.0
//
// skipped_time: waits that take no time. The ring's waits end at once, and the clock goes on by as much as
// they were to last. So a round costs what it costs its loop, however long it would sleep, and whatever would
// end the sleep is done before it.
//
//   skipped_time time;
//   skipping_clock<monotonic_clock> clock{time};
//   submission<default_policy, hurried_ring, …> io{hurried_ring{time}, {}, clock};
//   time.before_wait = {.function = push_a_wake, .context = &what};
//
// The system call is made all the same; it fetches what there is, and does not wait.
#pragma once

#include <cstdint>
#include <pinion/base/callback.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit.hpp>

namespace pinion::scheduler::bench {

/// What clock and ring of one loop share. It stays where it is.
struct skipped_time {
  duration skipped{0};
  bool passes = true;        ///< false: a wait ends early, before anything is due
  callback<> before_wait{};  ///< what another thread would do while the loop sleeps
  std::uint64_t waits = 0;
};

/// A clock that goes on by what was skipped. It stays where it is copied to.
template <class Real>
class skipping_clock {
 public:
  explicit skipping_clock(const skipped_time& time) noexcept : time_(&time) {}
  [[nodiscard]] instant now() const noexcept { return Real::now() + time_->skipped; }

 private:
  const skipped_time* time_;
};

/// Stands still, so that the same is done in each run; an hour ahead, so that no slice of it ends.
struct standing_clock {
  [[nodiscard]] static instant now() noexcept {
    static const instant begin = monotonic_clock::now() + duration{3'600'000'000'000};
    return begin;
  }
};

class hurried_ring : public iosubmit::uring_ring {
 public:
  /// Throws where there is no io_uring.
  explicit hurried_ring(skipped_time& time) : iosubmit::uring_ring(iosubmit::uring_options{}), time_(&time) {}

  ring_entered enter(const ring_wait& wait) noexcept {
    if (wait.count == 0) return iosubmit::uring_ring::enter(wait);
    ++time_->waits;
    if (time_->passes && wait.timeout != forever) time_->skipped = time_->skipped + wait.timeout;
    if (time_->before_wait) time_->before_wait();
    return iosubmit::uring_ring::enter({});
  }

 private:
  skipped_time* time_;
};

}  // namespace pinion::scheduler::bench
