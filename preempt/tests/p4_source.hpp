// SPDX-License-Identifier: Apache-2.0
//
// p4_source: what ends slices by a timer of the kernel's, in the plainest form: a flag, a time and a timer
// for each owner; and one defect on demand.
//
// Half of the defects are those of the preemption that design 004 P4 sketches: a flag that a signal's handler
// sets, one interval timer for the process, and a look that takes the flag:
//
//   handler          NEED_YIELD.store(true)
//   install          setitimer(ITIMER_REAL, interval)
//   should_preempt   need_yield.swap(false)
//
// `none` is there to show that a kill is the defect's doing.
#pragma once

#include <cstdint>
#include <vector>

#include "any_source.hpp"

namespace pinion::preempt::testing {

enum class defect : std::uint8_t {
  none,
  takes_the_flag,
  keeps_the_flag,
  flags_whichever_runs,
  looks_between_tasks,
  serves_one_owner,
  ticks_on,
  never_disarms,
  loses_whole_seconds,
  goes_by_jiffies,
  arms_for_nothing_in_the_past,
  keeps_the_first_end,
  forgets_it_later,
  counts_time_signed,
  orders_slices_by_number,
  stays_due_at_rest,
  takes_never_for_a_time,
  stops_all_timers,
  polls,
  moves_its_word,
  asks_without_saying,
  reads_the_clock_to_look,
  tells_of_no_stall,
  tells_at_each_tick,
  tells_of_what_is_over,
  tells_the_first_owner,
};

class p4_source final : public any_source {
 public:
  p4_source(const machine& on, defect which) : any_source(on), defect_(which), on_(on), owners_(on.owners) {
    for (owner& each : owners_) each.slice = on.slices;
    if (is(defect::polls)) poll_ = now() + interval;
  }

  void begin(instant until, std::size_t who) override {
    owner& mine = owners_[who];
    mine.slice = (mine.slice + 1) & numbers;
    mine.is_told_of = false;
    mine.stall = never;
    if (!is(defect::keeps_the_flag)) mine.flag = is(defect::asks_without_saying) ? word::asks : 0;
    if (is(defect::moves_its_word)) mine.place = 1 - mine.place;
    const bool goes_on = mine.timer != never && is(defect::keeps_the_first_end);
    mine.end = until;
    if (until == never && !is(defect::takes_never_for_a_time)) return rest_as(who);
    if (is(defect::ticks_on) && mine.timer != never) return;
    called();
    mine.timer = goes_on ? mine.timer : timer_for(until);
    mine.timer_of = mine.slice;
    if (is(defect::serves_one_owner))
      for (owner& other : owners_)
        if (&other != &mine) other.timer = never;
  }
  void rest(std::size_t who) override {
    owners_[who].end = never;
    owners_[who].slice = (owners_[who].slice + 1) & numbers;
    rest_as(who);
  }
  bool is_due(std::size_t who) override {
    if (is(defect::looks_between_tasks)) return false;
    if (is(defect::reads_the_clock_to_look)) called();
    owner& mine = owners_[who];
    const bool due = (mine.flag & word::due) != 0;
    if (is(defect::takes_the_flag)) mine.flag = 0;
    if (is(defect::forgets_it_later) && mine.end + interval < now()) return false;
    return due;
  }
  void begin_as_it_ends(instant until, std::size_t who) override {
    time_is(now() + duration{1});
    const owner before = owners_[who];
    owners_[who].timer = never;
    begin(until, who);
    const owner began = owners_[who];
    owners_[who].timer = before.timer;
    owners_[who].timer_of = before.slice;
    signalled(owners_[who]);
    // The timer of the new slice is its own.
    owners_[who].timer = began.timer;
    owners_[who].timer_of = began.slice;
  }

  [[nodiscard]] const void* word(std::size_t who) const override {
    return is(defect::moves_its_word) ? &owners_[who].others[owners_[who].place] : &owners_[who].flag;
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t who) const override {
    const auto* first = reinterpret_cast<const std::byte*>(&owners_[who]);
    return {first, first + sizeof(owner)};
  }

 protected:
  [[nodiscard]] instant next_event() const override {
    instant first = poll_;
    for (const owner& each : owners_) first = std::min({first, each.timer, each.stall});
    return first;
  }
  void happen() override {
    if (poll_ <= now()) {
      woke();
      poll_ = now() + interval;
    }
    for (owner& each : owners_) {
      if (each.timer <= now()) {
        woke();
        signalled(each);
      }
      if (each.stall <= now()) tell(each);
    }
  }

 private:
  static constexpr duration interval{1'000'000};
  static constexpr std::uint32_t numbers = (1U << 29U) - 1;

  struct owner {
    std::uint32_t flag = 0;
    std::uint32_t others[2] = {};
    std::size_t place = 0;
    std::uint32_t slice = 0;
    std::uint32_t timer_of = 0;  // the slice that it was armed for
    instant end = never;
    instant timer = never;
    instant stall = never;  // when to tell of one
    bool is_told_of = false;
  };

  [[nodiscard]] bool is(defect which) const noexcept { return defect_ == which; }

  void rest_as(std::size_t who) {
    owner& mine = owners_[who];
    if (!is(defect::stays_due_at_rest)) mine.flag = is(defect::asks_without_saying) ? word::asks : 0;
    mine.stall = never;
    if (!is(defect::never_disarms)) mine.timer = never;
    if (is(defect::stops_all_timers))
      for (owner& each : owners_) each.timer = never;
  }

  [[nodiscard]] instant timer_for(instant until) {
    const duration left = until - now();
    if (until == never) return instant{never.ns - 1};
    if (is(defect::arms_for_nothing_in_the_past) && left == duration{}) return never;
    if (is(defect::loses_whole_seconds) && left >= duration{1'000'000'000}) return never;
    if (is(defect::goes_by_jiffies)) {
      constexpr std::uint64_t jiffy = 4'000'000;
      return instant{(until.ns + jiffy - 1) / jiffy * jiffy};
    }
    if (is(defect::counts_time_signed) && (until.ns >> 63U) != 0) return now();
    return late(std::max(until, now()));
  }

  void signalled(owner& who) {
    const bool goes_on = is(defect::ticks_on) || is(defect::never_disarms);
    who.timer = goes_on ? now() + interval : never;
    bool is_of_this = who.timer_of == who.slice;
    if (is(defect::orders_slices_by_number)) is_of_this = who.timer_of >= who.slice;
    if (is(defect::flags_whichever_runs) || is(defect::ticks_on) || is(defect::never_disarms))
      is_of_this = true;
    if (!is_of_this || who.end == never) return;
    who.flag |= word::due;
    if (!is(defect::tells_of_no_stall) && on_.stall_after != forever && !who.is_told_of)
      who.stall = who.end + on_.stall_after;
    if (is(defect::tells_of_what_is_over) && on_.stall_after != forever) tell(who);
  }

  void tell(owner& who) {
    who.stall = is(defect::tells_at_each_tick) ? now() + interval : never;
    who.is_told_of = true;
    const std::size_t whose =
        is(defect::tells_the_first_owner) ? 0 : static_cast<std::size_t>(&who - owners_.data());
    noting(whose)({.length = now() - who.end, .lasts = true, .who = this});
  }

  defect defect_;
  machine on_;
  std::vector<owner> owners_;
  instant poll_ = never;
};

}  // namespace pinion::preempt::testing
