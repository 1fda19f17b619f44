// SPDX-License-Identifier: Apache-2.0
//
// uring_source: slices that the kernel ends: the word is a ring's own, in which the kernel says that
// completions wait.
//
// A ring with DEFER_TASKRUN posts completions when its owner enters it, and not before. With TASKRUN_FLAG the
// kernel sets a bit in the submission queue's flags as soon as one waits: that is our word, so a check is the
// same two loads, and an operation that completes ends a slice like a timeout does. For the time there is one
// timeout in the ring.
//
//   uring_source source{io};           // io: a submission over iosubmit's uring_ring
//   source.begin(now, now + quantum);  // nothing, or queues the timeout, and submits it
//   run(queue, source.word());
//   source.rest();                     // one store
//
// Over a raw ring, or one of another library, give the view of it: the flags are in its mapping, at
// io_uring_params::sq_off.flags. A port without submit() leaves that to the loop, which asks needs_submit()
// after begin().
//
// When a slice is over. begin() queues a timeout where none is under way: for `until`, or for `now + period`
// if that is earlier. One that is under way stands, since a port has no call to take it back or to change it.
// So slices that follow each other share one, and the last of them is over early. A slice whose end is before
// it is over late, by less than `period`; where no slice is shorter than `period`, none is. It costs an enter
// more each time that a timeout was answered, so at most one for each `period`.
//
// Why it submits, or has the loop do so: an entry counts from the next enter on, and only the owner
// enters (rule R3). A slice that runs before that has no end in time. Why not a timeout that repeats by
// itself: an entry of a port is answered once (rule R4), one that repeats could not be stopped without its
// user_data, which is the port's, and the kernel ends it silently where completions overflow.
//
// That enter fetches nothing (no GETEVENTS): one that did, and found the timeout over already, would post its
// completion and take the flag back, and the slice would have no end. A submission's submit() is such an
// enter. A loop that submits by itself, and can't enter so, reaps after it, and begins once more if that
// brought anything.
//
// What the word doesn't do. It is the kernel's, so begin() and rest() don't clear it: an enter that gets
// events does. After rest() it is due once more when the timeout is answered, which is not queued again, and
// whenever an operation completes.
//
// Lifetime. The word is in the ring's mapping, which outlives the source. A timeout that is under way when
// the source goes stays, and keeps what it needs: it is over within `period`, or is answered with -ECANCELED
// when the port goes first (rule R4).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <pinion/base/export.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt {

/// The ring, as its owner knows it.
struct uring_view {
  /// Where the kernel has the submission queue's flags: in the mapping, at io_uring_params::sq_off.flags.
  const std::uint32_t* flags = nullptr;
  /// How the ring was set up: io_uring_params::flags. It needs SINGLE_ISSUER, DEFER_TASKRUN and TASKRUN_FLAG
  /// (Linux 6.1).
  std::uint32_t setup = 0;
};

/// How far ahead it asks.
struct uring_source_options {
  /// No timeout is for later than this, so no slice lasts longer: 10 us to 10 s. The length of the shortest
  /// slices is right.
  duration period{1'000'000};
};

namespace uring_detail {

// The timeout: apart from the source, since it may outlive it. It is the source's until leave(), and then its
// own.
class PINION_EXPORT tick : public ring_answer {
 public:
  tick() noexcept : ring_answer{&tick::came} {}

  // As long as this is true the kernel, or the port, may hold on to it.
  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }
  // Whether the kernel will have none, so that there is no use in asking again.
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }
  // An entry for that time.
  [[nodiscard]] ring_entry entry(instant end) noexcept;
  // Before it is queued, since a port that fails may answer at once; and after, if it was not.
  void set_under_way(bool is) noexcept { is_under_way_ = is; }
  // The source is gone; while this is under way.
  void leave() noexcept { is_left_ = true; }

 private:
  static void came(ring_answer& self, std::int32_t result) noexcept;
  void failed(std::int32_t result) noexcept;

  kernel_time end_;  // read by the kernel when it is submitted
  bool is_under_way_ = false;
  bool is_left_ = false;
  bool is_refused_ = false;
  bool is_reported_ = false;
};

// The ring's word; throws a refusal for a ring or options that won't do.
PINION_EXPORT [[nodiscard]] const word& word_of(const uring_view& ring, const uring_source_options& options);

}  // namespace uring_detail

/// A submission over an io_uring of iosubmit's: it hands over what is queued when it is told to, and fetches
/// nothing; and it says what its ring is. A port's own submit() may do something else, so it alone is not
/// called.
template <class Port>
concept port_with_view = ring_port<Port> && requires(Port& io, const Port& port) {
  { io.submit() } noexcept;
  { port.ring().flags() } noexcept -> std::same_as<const std::uint32_t*>;
  { port.ring().features().setup_flags } -> std::convertible_to<std::uint32_t>;
};

/// Over that port. All calls are made on the thread that owns the ring.
template <ring_port Port>
class uring_source {
 public:
  /// What it declares.
  static constexpr source_traits traits{.may_be_early = true};

  /// The port outlives the last begin(). Throws a refusal (std::system_error, invalid_argument) for a ring
  /// that was set up otherwise, or a period out of range.
  uring_source(Port& port, const uring_view& ring, const uring_source_options& options = {})
      : port_(port), word_(uring_detail::word_of(ring, options)), period_(options.period),
        tick_(std::make_unique<uring_detail::tick>()) {}
  /// The same over a submission, whose ring says what it is.
  explicit uring_source(Port& port, const uring_source_options& options = {})
    requires port_with_view<Port>
      : uring_source(port, {.flags = port.ring().flags(), .setup = port.ring().features().setup_flags},
                     options) {}
  uring_source(const uring_source&) = delete;
  uring_source& operator=(const uring_source&) = delete;
  /// A timeout that is under way stays until it is answered.
  ~uring_source() {
    if (!tick_->is_under_way()) return;
    tick_->leave();
    tick_.release();  // NOLINT(bugprone-unused-return-value): its answer deletes it
  }

  /// As preempt_source says, but for what stands above.
  [[nodiscard]] const preempt::word& word() const noexcept { return word_; }
  void begin(instant now, instant until) noexcept {
    needs_submit_ = false;
    if (until == never || tick_->is_under_way() || tick_->is_refused()) return;
    tick_->set_under_way(true);
    // No room: the next slice tries again.
    if (!port_.queue(tick_->entry(std::min(until, now + period_)), *tick_)) tick_->set_under_way(false);
    if constexpr (port_with_view<Port>)
      port_.submit();
    else
      needs_submit_ = tick_->is_under_way();
  }
  void rest() noexcept { needs_submit_ = false; }

  /// Whether the last begin() has queued an entry that it could not submit: enter the ring before the slice
  /// runs, or the slice has no end until you do.
  [[nodiscard]] bool needs_submit() const noexcept { return needs_submit_; }

 private:
  Port& port_;
  const preempt::word& word_;
  duration period_;
  std::unique_ptr<uring_detail::tick> tick_;
  bool needs_submit_ = false;
};

}  // namespace pinion::preempt
