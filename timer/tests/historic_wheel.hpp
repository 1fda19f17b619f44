// SPDX-License-Identifier: Apache-2.0
//
// historic_wheel: a plain timer wheel that keeps every law, and one switch for each way in which a known
// wheel does not.
//
// Three levels of 64 slots (1.05 ms, 67 ms, 4.3 s), each slot a list; beyond 4.6 minutes an ordered overflow.
// A slot of a coarse level is emptied into the finer ones as it begins. A poll goes from event to event, an
// event being the next slot that holds anything, and does one entry a step, so that a budget can end it
// anywhere. It is written to be read and to be broken, and shares no code with the wheels that are shipped.
//
//   historic_wheel right{how};
//   historic_wheel wrong{how, defect::rounds_deadlines_down};   // and law T1 should say so
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "any_store.hpp"
#include "mutants.hpp"

namespace pinion::timer::testing {

/// What is wrong with a wheel. Each is one line of behaviour; historic_mutants.cpp says which text or project
/// has it.
enum class defect : std::uint8_t {
  none,
  // When a timer is due.
  rounds_deadlines_down,
  adds_two_times_rounded_down,
  serves_a_slot_that_has_only_begun,
  // Where it is put.
  forgets_the_cursor_in_the_slot,
  forgets_the_width_in_the_slot,
  aliases_beyond_its_range,
  puts_what_is_due_into_the_slot_just_served,
  puts_a_crowd_where_cancel_does_not_look,
  drops_a_past_deadline,
  // How it comes down the levels.
  fires_a_coarse_slot_as_it_begins,
  fires_a_coarse_slot_as_it_ends,
  cascades_a_slot_as_it_ends,
  cascades_in_the_first_turn_only,
  cascades_into_the_slot_just_served,
  cascades_what_is_due_upwards,
  cascades_beyond_the_budget,
  passes_over_what_a_cascade_left,
  loses_what_cascades_into_a_full_slot,
  renames_what_cascades,
  never_drains_its_overflow,
  // How a poll catches up.
  forgets_what_the_budget_left,
  serves_a_stall_modulo_a_turn,
  serves_one_tick_a_poll,
  walks_each_tick_of_a_jump,
  walks_each_tick_since_the_epoch,
  // How it ends early, and what names it.
  leaves_a_cancelled_timer_linked,
  looks_for_a_timer_where_it_would_be_put_now,
  searches_the_slot_it_cancels_from,
  counts_a_cancelled_timer_until_the_next_poll,
  counts_a_cancelled_due_timer_out_twice,
  refuses_to_cancel_what_is_due,
  renames_what_it_compacts,
  compares_more_generation_bits_than_it_keeps,
  wraps_a_generation,
  names_timers_by_small_numbers,
  // What it says of its next wakeup.
  looks_at_the_finest_level_only,
  wakes_at_zero_for_its_overflow,
  takes_a_stale_slot_for_the_end,
  takes_a_stale_slot_for_an_answer,
  looks_at_every_timer,
  looks_at_every_timer_after_a_cancel,
};

class historic_wheel final : public any_store {
 public:
  explicit historic_wheel(const setup& how, defect flaw = defect::none);

  [[nodiscard]] store_traits traits() const override;
  [[nodiscard]] duration lateness_bound(duration) const override { return tick_length; }
  [[nodiscard]] instant next_wakeup() const override;
  [[nodiscard]] std::size_t size() const override { return size_ + ghosts_; }
  [[nodiscard]] std::size_t retired() const override { return retired_; }
  [[nodiscard]] std::optional<std::uint64_t> work() const override { return work_; }
  handle schedule(instant deadline, token&& value) override;
  std::optional<token> cancel(handle h) override;
  bool reschedule(handle h, instant deadline) override;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override;
  void clear() override;
  void reserve(std::size_t n) override { timers_.reserve(n); }

 private:
  using bucket = std::list<std::uint32_t>;

  /// Levels 0, 1 and 2 are rings. The others are lists of their own.
  enum : std::size_t { rings = 3, overflow = rings, late, parked };
  static constexpr std::uint64_t slots = 64;
  static constexpr unsigned tick_bits = 20;
  static constexpr duration tick_length{std::uint64_t{1} << tick_bits};
  static constexpr std::uint64_t no_tick = ~std::uint64_t{0};
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct timer {
    instant deadline;
    std::uint64_t due = 0;       // the tick in which it fires
    std::uint64_t armed_in = 0;  // the poll during or after which it was armed
    std::size_t level = parked;
    std::uint64_t slot = 0;  // of its level, counted from time 0 and not from the start of a turn
    bucket::iterator position;
    std::uint32_t generation = 0;
    bool armed = false;
    bool astray = false;  // only a defect puts a timer where cancel does not look
    std::optional<token> value;
  };
  /// What the wheel has to do next, and in which tick.
  struct event {
    std::uint64_t tick = no_tick;
    std::size_t level = parked;
    std::uint64_t slot = 0;
  };

  [[nodiscard]] bool is(defect d) const noexcept { return flaw_ == d; }
  void touch(std::uint64_t words = 1) const noexcept { work_ += words; }
  static constexpr unsigned shift(std::size_t level) noexcept { return static_cast<unsigned>(6 * level); }
  static std::uint64_t tick_of(instant now) noexcept;

  // Names.
  [[nodiscard]] std::uint32_t first_generation(std::uint32_t index) const noexcept;
  [[nodiscard]] handle name(std::uint32_t index) const noexcept;
  [[nodiscard]] std::uint32_t find(handle h) const noexcept;
  std::uint32_t take_index();
  token release(std::uint32_t index);

  // Places.
  [[nodiscard]] bucket& bucket_at(std::size_t level, std::uint64_t slot);
  void link(std::uint32_t index, std::size_t level, std::uint64_t slot);
  void unlink(std::uint32_t index);
  void forget_if_empty(std::size_t level, std::uint64_t slot);
  void arm(std::uint32_t index, instant deadline);
  void place(std::uint32_t index, std::size_t below);
  [[nodiscard]] std::size_t level_now(std::uint64_t due) const noexcept;
  [[nodiscard]] std::uint64_t due_tick(instant deadline) const noexcept;
  void compact(std::size_t level, std::uint64_t slot);

  // Time.
  [[nodiscard]] event next_event() const;
  [[nodiscard]] event next_in_ring(std::size_t level) const;
  [[nodiscard]] event next_step();
  [[nodiscard]] instant earliest_by_scan() const;
  void begin_sweep();
  void move_down(const event& from);
  void end_early(const event& left);

  defect flaw_;
  std::uint64_t seed_;
  std::uint32_t generation_mask_;
  std::vector<timer> timers_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
  std::size_t ghosts_ = 0;
  std::size_t retired_ = 0;
  bool cancelled_since_ = false;

  std::array<std::array<bucket, slots>, rings> ring_;
  std::array<std::uint64_t, rings> occupied_{};
  std::map<std::uint64_t, bucket> overflow_;  // by slot of the coarsest ring
  bucket late_;                               // armed when already due, in order of arming
  bucket parked_;                             // at never

  instant now_;
  std::uint64_t reached_;  // every tick before it is done
  std::uint64_t target_;   // the tick that the sweep goes to
  std::uint64_t polls_ = 1;
  std::uint64_t sweep_of_ = 0;  // the poll that began the sweep
  bool sweeping_ = false;
  bool polling_ = false;
  mutable std::uint64_t work_ = 0;
};

/// Right but for one defect that a design text or a known project has.
[[nodiscard]] std::vector<mutant> historic_mutants();

}  // namespace pinion::timer::testing
