// SPDX-License-Identifier: Apache-2.0
//
// any_source: sources of one kind behind virtual calls, one for each owner of a process, in virtual time: so
// that laws are compiled once and run against every source and every mutant.
//
//   const auto source = factory.make({.owners = 2});
//   source->begin(source->now() + q);         // the first owner's
//   source->advance_to(source->now() + q);    // the thread, the timer or the kernel behind it does what it would have done meanwhile
//   … source->is_due() …
//
// Time passes only by the calls below. Whatever a source waits for happens at its time, or later by as much
// as the machine is late, which is drawn from the seed. A source joins by a line in backends.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/slice_log.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace pinion::preempt::testing {

/// What the sources are made for, and on what machine.
struct machine {
  std::size_t owners = 1;
  duration late_max{0};  ///< by which a thread wakes, a signal is delivered, an interrupt comes too late
  duration slice_min{50'000};  ///< the shortest slices that are to be in time, for sources that want to know
  duration stall_after = forever;  ///< the end
  instant start{1'000'000'000};    ///< what time it is
  std::uint32_t slices = 0;        ///< that each owner has had before
  std::uint64_t seed = 1;
};

class any_source {
 public:
  explicit any_source(const machine& on) : now_(on.start), late_max_(on.late_max), numbers_(on.seed) {
    told_.resize(on.owners);
  }
  any_source(const any_source&) = delete;
  any_source& operator=(const any_source&) = delete;
  virtual ~any_source() = default;

  // An owner's.
  virtual void begin(instant until, std::size_t who = 0) = 0;
  virtual void rest(std::size_t who = 0) = 0;
  /// One check.
  virtual bool is_due(std::size_t who = 0) = 0;
  /// Slice n is to be over now, and whatever ends it from outside has decided so. But it is held up, and
  /// writes when n + 1 has begun.
  virtual void begin_as_it_ends(instant until, std::size_t who = 0) { begin(until, who); }

  // Time.
  [[nodiscard]] instant now() const noexcept { return now_; }
  void advance_to(instant t) {
    std::size_t at_once = 0;
    for (instant at = next_event(); at <= t; at = next_event()) {
      at_once = at <= now_ ? at_once + 1 : 0;
      if (at_once > at_once_max) throw std::runtime_error("it goes round and round, and no time passes");
      now_ = std::max(now_, at);
      happen();
    }
    now_ = t;
  }
  void advance_by(duration d) { advance_to(now_ + d); }
  /// The machine stands still until then, and is late with all that was to happen meanwhile.
  void stop_until(instant t) {
    now_ = t;
    advance_to(t);
  }

  // What it costs, and what it does.
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }  ///< to the operating system, by owners
  [[nodiscard]] std::size_t wakes() const noexcept {
    return wakes_;
  }  ///< threads woken, signals delivered, timeouts answered
  [[nodiscard]] bool is_armed() const { return next_event() != never; }
  [[nodiscard]] const std::vector<stall>& told(std::size_t who = 0) const { return told_[who]; }
  [[nodiscard]] virtual const void* word(std::size_t who = 0) const = 0;
  /// Of all that a check might write to.
  [[nodiscard]] virtual std::vector<std::byte> bytes(std::size_t who = 0) const = 0;

 protected:
  /// When the next thing happens; never if nothing will.
  [[nodiscard]] virtual instant next_event() const = 0;
  /// It does: at the time that it is by then.
  virtual void happen() = 0;

  /// For what is to happen then: when it does, on this machine.
  [[nodiscard]] instant late(instant at) {
    if (at == never || late_max_ == duration{}) return at;
    return at + duration{std::uniform_int_distribution<std::uint64_t>{0, late_max_.ns}(numbers_)};
  }
  void time_is(instant t) noexcept { now_ = t; }
  void called() noexcept { ++calls_; }
  void woke() noexcept { ++wakes_; }
  /// A hook that notes what that owner's source tells.
  [[nodiscard]] stall_hook noting(std::size_t who) {
    return {.function =
                [](void* context, const stall& seen) noexcept {
                  static_cast<std::vector<stall>*>(context)->push_back(seen);
                },
            .context = &told_[who]};
  }

 private:
  static constexpr std::size_t at_once_max = 1'000;

  instant now_;
  duration late_max_;
  std::mt19937_64 numbers_;
  std::size_t calls_ = 0;
  std::size_t wakes_ = 0;
  std::vector<std::vector<stall>> told_;
};

/// How to make one kind of source, what it declares, and which seed the laws draw their numbers from.
struct source_factory {
  std::string name;
  std::function<std::unique_ptr<any_source>(const machine&)> make;
  source_traits traits{};
  std::uint32_t checks_max = 1;  ///< due within so many checks, once it is due at all; 0: it promises nothing
  bool has_slice_min = false;    ///< a slice may last for machine::slice_min, if it is to be shorter
  std::uint64_t seed = 1;

  /// When a slice is over at the latest, on a machine that is never late.
  [[nodiscard]] instant due_by(const machine& on, instant began, instant until) const {
    return has_slice_min ? std::max(until, began + on.slice_min) : until;
  }
  /// Whether the word may be due for a reason that isn't the source's: it is somebody else's, too.
  [[nodiscard]] bool has_shared_word() const { return traits.may_be_early && !traits.counts; }
};

/// Every source that the laws hold for.
[[nodiscard]] const std::vector<source_factory>& backends();

}  // namespace pinion::preempt::testing
