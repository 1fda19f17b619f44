// SPDX-License-Identifier: Apache-2.0
//
// virtual_ring: a submission and completion ring in virtual time, and a kernel behind it that does as it is
// told.
//
// It models iosubmit's ring and base's ring_port's two look-ups. What an enter takes is answered after a
// latency, by a device that the test makes up; an enter that waits moves a virtual_clock to the moment at
// which the kernel would have come back. So a day of disk reads takes as long as the additions, and the same
// calls give the same answers.
//
//   sim::virtual_clock clock{instant{0}};
//   sim::virtual_ring ring{clock, {.entries = 64, .keeps_back = true}};       // as with DEFER_TASKRUN
//   ring.serve([](const ring_entry&, instant now) { return sim::virtual_answer{.at = now + ceil(80us)}; });
//   submission<batch_or_idle, sim::virtual_ring, sim::virtual_clock::view> io{std::move(ring), {}, clock};
//
//   io.ring().fail(3, -EAGAIN);                          // the next three enters that hand something over
//   io.ring().accept_at_most(2, 1);                      // the next one takes two, and leaves the others
//   io.ring().end_early(1);                              // a signal ends the next wait
//   io.ring().deliver({user_data, 7, 0}, clock.time() + ceil(1ms));  // a message from another ring, in 1 ms
//   io.ring().while_asleep(others);                      // what other threads do while the owner sleeps
//
// It knows nop, timeouts, and cancelling by user_data and of everything; whatever else is the device's.
// Links, drains and fixed buffers it takes no notice of. One owner at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/sim/virtual_clock.hpp>

namespace pinion::sim {

/// What a device makes of one entry.
struct virtual_answer {
  instant at = never;  ///< when it is completed; `never` stays in flight until complete() or a cancel
  std::int32_t result = 0;
  bool can_be_cancelled = true;  ///< else who cancels it is told EALREADY, and it is completed at its time
};

/// How a virtual_ring is made.
struct virtual_ring_options {
  std::uint32_t entries = 256;  ///< that fit before an enter; at least 1
  /// That fit before a reap; at least 1. Those beyond overflow, and come with a later enter.
  std::uint32_t completions = 512;
  /// Completions come with an enter only, as with DEFER_TASKRUN; until then wants_enter() says so.
  bool keeps_back = false;
  /// An enter that finds no room for what overflowed takes nothing: EBUSY.
  bool refuses_while_overflowing = true;
  duration enter_cost{0};  ///< what each enter takes, before it does anything
  duration wake_cost{0};   ///< what it takes an owner that slept to run again
  duration latency{0};     ///< of a device that serve() did not make up
  int descriptor = 1'000'000;
  bool is_owner = true;
};

/// What has happened to a virtual_ring.
struct virtual_ring_counts {
  std::uint64_t enters = 0;
  std::uint64_t failed = 0;     ///< enters that came back with an error
  std::uint64_t waits = 0;      ///< enters that were to wait
  std::uint64_t sleeps = 0;     ///< waits that let time pass
  std::uint64_t stuck = 0;      ///< waits that nobody would ever have ended; they come back all the same
  std::uint64_t accepted = 0;   ///< entries
  std::uint64_t completed = 0;  ///< entries answered and messages delivered, reaped or not
  std::uint64_t reaped = 0;
  std::uint64_t overfilled =
      0;  ///< entries put where there was no room: a mistake of the owner's; they are kept
};

class PINION_EXPORT virtual_ring {
 public:
  /// For fail() and others: until the next such call.
  static constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

  /// Waits by that clock, which must outlive it. Throws bad_alloc.
  explicit virtual_ring(virtual_clock& clock, const virtual_ring_options& how = {});
  virtual_ring(virtual_ring&&) noexcept;
  virtual_ring& operator=(virtual_ring&&) noexcept;
  ~virtual_ring();

  // The test's side: the kernel, which is another's than the ring's owner. So it is reached through a const
  // ring, as a submission shows its own.

  /// The device: says of each entry that is taken when it will be completed, and how. Is told the user_data
  /// of each entry that is cancelled. Neither may throw, nor call the owner's side.
  void serve(std::function<virtual_answer(const ring_entry& entry, instant now)> device,
             std::function<void(std::uint64_t user_data)> cancelled = {}) const;
  /// Completes the entry with that user_data now, if it is in flight and was to be completed `never`. False:
  /// there is none.
  bool complete(std::uint64_t user_data, std::int32_t result) const;
  /// Has that happen at that time, or at once: what a device or another thread does then. In the order of
  /// times, with completions; where the owner is awake, when it looks at the ring next. It must not throw,
  /// nor call the owner's side.
  void at(instant when, std::function<void()> happens) const;
  /// This operation is one that it does not support: it is answered with EINVAL.
  void lack(std::uint8_t operation) const;
  /// Puts a completion into the ring at that time, or at once: what another ring sends, or a further answer
  /// of an entry that has many.
  void deliver(const ring_completion& message, instant at = instant{}) const;
  /// The next `enters` fail with that negative errno. EAGAIN and EBUSY meet only those that hand something
  /// over, EINTR only those that wait and hand nothing over, any other all.
  void fail(std::uint64_t enters, std::int32_t error) const noexcept;
  /// The next `enters` that hand something over take so many at most. One that leaves some does not wait.
  void accept_at_most(std::uint32_t entries, std::uint64_t enters) const noexcept;
  /// The next `waits` end at once and with nothing, as a signal ends them: with EINTR where nothing was
  /// taken.
  void end_early(std::uint64_t waits) const noexcept;
  /// What others do while the owner sleeps, who would do so until a moment. Asked in each wait before time
  /// passes: does the first of it that comes until then, having moved the clock to it, and returns true;
  /// false: there is nothing. It must not enter this ring.
  void while_asleep(std::function<bool(instant until)> others) const;
  /// What has happened.
  [[nodiscard]] const virtual_ring_counts& counts() const noexcept;
  /// Taken, and not completed yet.
  [[nodiscard]] std::size_t in_flight() const noexcept;
  /// When the next of them will be, or the next message comes, or the next of at() happens; `never` if none.
  [[nodiscard]] instant next_completion() const noexcept;

  // The owner's side, as iosubmit's concept has it.

  /// Whether it is none that lack() named.
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept;
  /// How many may be put before an enter.
  [[nodiscard]] std::uint32_t room() const noexcept;
  /// Puts an entry; there must be room.
  void put(const ring_entry& entry) noexcept;
  /// Put, and not taken.
  [[nodiscard]] std::uint32_t pending() const noexcept;
  /// Whether reap() would hand out some.
  [[nodiscard]] bool has_completions() const noexcept;
  /// Whether some are kept back, or have overflowed.
  [[nodiscard]] bool wants_enter() const noexcept;
  /// Takes what is pending, and waits as it is asked to.
  ring_entered enter(const ring_wait& wait) noexcept;
  /// Hands out the completions that were there when it began; how many. The sink may put, enter and reap.
  template <class Sink>
  std::size_t reap(Sink sink) noexcept(noexcept(sink(ring_completion{})));
  /// Hands out what was pending when it began, as entries, which are forgotten; how many. The sink may put.
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept(noexcept(sink(ring_entry{})));
  /// The numbers that it was made with.
  [[nodiscard]] int descriptor() const noexcept;
  [[nodiscard]] bool is_owner() const noexcept;

 private:
  class kernel;

  [[nodiscard]] std::size_t visible() const noexcept;
  [[nodiscard]] bool take_completion(ring_completion& out) noexcept;
  [[nodiscard]] bool take_pending(ring_entry& out) noexcept;

  std::unique_ptr<kernel> kernel_;  // what goes on there while nobody calls is seen by const calls, too
};

// ---- Implementation ----

template <class Sink>
std::size_t virtual_ring::reap(Sink sink) noexcept(noexcept(sink(ring_completion{}))) {
  std::size_t count = 0;
  ring_completion one{};
  for (std::size_t left = visible(); left != 0 && take_completion(one); --left) {
    ++count;
    sink(one);
  }
  return count;
}

template <class Sink>
std::size_t virtual_ring::withdraw(Sink sink) noexcept(noexcept(sink(ring_entry{}))) {
  std::size_t count = 0;
  ring_entry one{};
  for (std::size_t left = pending(); left != 0 && take_pending(one); --left) {
    ++count;
    sink(one);
  }
  return count;
}

}  // namespace pinion::sim
