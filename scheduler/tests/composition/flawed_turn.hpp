// SPDX-License-Identifier: Apache-2.0
//
// flawed_turn: a right turn in the plainest form, over all four parts, and one defect on demand; `none` is
// there to show that a kill is the defect's doing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>

#include "composition.hpp"

namespace pinion::scheduler::testing {

enum class turn_defect : std::uint8_t {
  none,
  runs_behind_the_wait,           // what went on after a completion ran inside park(), in no slice
  waits_from_its_beginning,       // park(now, until) went by the time that its caller had read before it ran
  polls_timers_where_idle,        // timers are for the time when nothing is ready
  never_renews_the_watch,         // six places had to do that by hand
  swallows_the_refusal,           // a channel that another loop has: accepted, and silent
  skips_the_io_while_busy,        // what is to leave waits until nothing is ready
  polls_without_bound,            // one tick with many timers is one long turn
  drains_where_nothing_fired,     // a flood of timers keeps the wakes out
  runs_until_nobody_is_ready,     // two tasks that yield keep the loop in
  stays_armed_behind_the_wait,    // an answer that pushes into its own channel pays for a signal to itself
  begins_a_slice_in_each_round,   // its timeout ends the wait, whose round begins the next
  waits_though_it_did_something,  // what a task has set is seen only after the next wait
  ends_without_stopping,          // what was asked without a slot stays unanswered
  ends_without_closing,           // who pushes later is not told
};

class flawed_turn final : public any_turn {
 public:
  flawed_turn(composition& of, const turn_options& options, turn_defect which)
      : of_(of), options_(options), defect_(which), queue_(*of.slices->add({.quantum = options.quantum})) {
    try {
      watch_.emplace(of.channel->notifier().attach(*of.io));
    } catch (const std::system_error&) {
      if (!is(turn_defect::swallows_the_refusal)) {
        of_.slices->remove(queue_);
        throw;
      }
    }
    of.io->own();
  }
  ~flawed_turn() override { of_.slices->remove(queue_); }

  void operator()(loop_executor& tasks) override {
    const instant began = of_.in.now();
    bool did_something = drain();
    did_something = poll(tasks) || did_something;
    did_something = run(tasks) || did_something;
    if (did_something) began_ = began;
    if (tasks.has_ready() || (did_something && !is(turn_defect::waits_though_it_did_something))) {
      if (!is(turn_defect::skips_the_io_while_busy) || !tasks.has_ready()) of_.io->turn(of_.in.now());
      return;
    }
    wait(tasks);
  }
  void end(cancel_slot& all, loop_executor& tasks, const std::function<bool()>& is_over) override {
    all.request();
    while (tasks.has_ready() || !is_over()) (*this)(tasks);
    if (!is(turn_defect::ends_without_stopping)) of_.io->stop();
    if (!is(turn_defect::ends_without_closing)) of_.channel->close(waker::call_wakes);
  }

 private:
  [[nodiscard]] bool is(turn_defect which) const noexcept { return defect_ == which; }

  bool drain() {
    if (is(turn_defect::drains_where_nothing_fired) && has_fired_) return false;
    return of_.channel->drain(waker::call_wakes) != 0;
  }
  bool poll(const loop_executor& tasks) {
    if (is(turn_defect::polls_timers_where_idle) && tasks.has_ready()) return false;
    const auto polled =
        of_.timers->run(is(turn_defect::polls_without_bound) ? timer::unlimited : options_.timers_a_turn);
    has_fired_ = polled.fired != 0;
    return has_fired_ || polled.more;
  }
  bool run(loop_executor& tasks) {
    const bool has_ready = tasks.has_ready();
    if (!has_ready && !is(turn_defect::begins_a_slice_in_each_round)) return false;
    of_.slices->begin(
        queue_, {.now = of_.in.now(), .next_timer = of_.timers->next_wakeup(), .waits_for_others = true});
    tasks.run();
    // So often, that a law sees it and nothing hangs.
    for (int more = 0; more != 100 && is(turn_defect::runs_until_nobody_is_ready) && tasks.has_ready();
         ++more)
      tasks.run();
    of_.slices->end(of_.in.now());
    return has_ready;
  }
  void wait(loop_executor& tasks) {
    if (!is(turn_defect::never_renews_the_watch) && watch_ && !watch_->renew()) return go_round();
    if (!of_.channel->try_arm() && !of_.channel->is_closed()) return go_round();
    if (!is(turn_defect::begins_a_slice_in_each_round)) of_.slices->rest();
    instant until = of_.timers->next_wakeup();
    if (is(turn_defect::waits_from_its_beginning) && until != never) until = until + (of_.in.now() - began_);
    of_.io->park(until, [this] {
      if (!is(turn_defect::stays_armed_behind_the_wait)) of_.channel->disarm();
    });
    of_.channel->disarm();
    if (is(turn_defect::runs_behind_the_wait)) tasks.run();
  }
  void go_round() { of_.io->turn(of_.in.now()); }

  composition& of_;
  turn_options options_;
  turn_defect defect_;
  any_slices::queue queue_;
  std::optional<any_attachment> watch_;
  bool has_fired_ = false;
  instant began_{};  // the last round that did something
};

}  // namespace pinion::scheduler::testing
