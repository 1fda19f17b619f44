// SPDX-License-Identifier: Apache-2.0
//
// C6: how many enters and signals there are.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};

// Whether slices end by timeouts of the ring. One that begins costs an enter then, and one that nobody waits
// for any more ends a wait, which costs another.
bool ends_by_the_ring(const composition_factory& f) { return f.source != nullptr && f.source->is_the_rings; }

// Enters of rounds, each looked at.
class counted {
 public:
  explicit counted(rig& of) : of_(of) {}

  void round() {
    const std::uint64_t enters = of_.kernel().enters;
    const std::uint64_t waits = of_.kernel().waits;
    const std::size_t resumed = of_.tasks().resumed();
    of_.round();
    const std::uint64_t made = of_.kernel().enters - enters;
    const bool had_a_slice = of_.tasks().resumed() != resumed;
    if (made > 1U + (had_a_slice && ends_by_the_ring(of_.factory()) ? 1U : 0U)) most_ = std::max(most_, made);
    all_ += made;
    waits_ += of_.kernel().waits - waits;
  }
  template <class Condition>
  bool until(Condition holds) {
    for (int rounds = 0; rounds != 200 && !holds(); ++rounds) round();
    return holds();
  }

  /// Of a round that made more than one; 0: none did.
  [[nodiscard]] std::uint64_t too_many_in_a_round() const noexcept { return most_; }
  [[nodiscard]] std::uint64_t all() const noexcept { return all_; }
  [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }

 private:
  rig& of_;
  std::uint64_t most_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t waits_ = 0;
};

struct notes {
  int ticks = 0;
  bool is_busy = true;
  int woken = 0;
  int pushed = 0;
};

// ---- Busy rounds

task is_busy(rig& r, notes& n) {
  while (n.is_busy) co_await r.yield();
}

violation a_busy_round_with_nothing_to_say_is_none(const composition_factory& factory) {
  notes n;
  rig r{factory};
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  r.begin(is_busy(r, n));
  r.round();  // a slice's timeout, where it is the ring's
  counted enters{r};
  constexpr int rounds = 20;
  for (int k = 0; k != rounds; ++k) enters.round();
  n.is_busy = false;
  // A ring of readiness calls says nothing that it is not asked for.
  const std::uint64_t allowed = factory.ring->tells_unasked ? 0 : rounds;
  if (allowed < enters.all())
    return broken(factory, rounds, " busy rounds with nothing to say made ", enters.all(), " enters");
  if (enters.waits() != 0) return broken(factory, "a round waited though a task is ready");
  return {};
}

// ---- Ticks

task sleeps_again(rig& r, notes& n, int times) {
  while (n.ticks != times) {
    co_await r.sleep(r.now() + ms * 2, &r.usual());
    ++n.ticks;
  }
}

violation a_timer_tick_is_one(const composition_factory& factory) {
  notes n;
  rig r{factory};
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  constexpr int ticks = 5;
  r.begin(sleeps_again(r, n, ticks));
  const std::uint64_t moves = r.timers().moves();
  counted enters{r};
  if (!enters.until([&] { return n.ticks == ticks; })) return broken(factory, "a sleep does not end");
  const std::uint64_t allowed =
      (ends_by_the_ring(factory) ? ticks * 3U + 1 : ticks) + (r.timers().moves() - moves);
  if (allowed < enters.all())
    return broken(factory, ticks, " timer ticks of an idle owner cost ", enters.all(), " enters, where ",
                  allowed, " do");
  if (enters.too_many_in_a_round() != 0)
    return broken(factory, "one round made ", enters.too_many_in_a_round(), " enters");
  return {};
}

// ---- Questions

task asks_again(rig& r, notes& n, int times) {
  while (n.ticks != times) {
    co_await r.ask(device_answers(us * 100), &r.usual());
    ++n.ticks;
  }
}

// One operation a round, so no policy enters twice for it.
violation a_round_that_asks_is_one(const composition_factory& factory) {
  notes n;
  rig r{factory};
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  r.begin(asks_again(r, n, 5));
  counted enters{r};
  if (!enters.until([&] { return n.ticks == 5; })) return broken(factory, "an operation is not answered");
  if (enters.too_many_in_a_round() != 0)
    return broken(factory, "a round that asked for one operation made ", enters.too_many_in_a_round(),
                  " enters");
  return {};
}

// ---- Wakes

task is_woken_again(rig& r, notes& n, any_event& event) {
  for (;;) {
    const outcome how = co_await r.wait(event, &r.usual());
    if (how.error) co_return;
    ++n.woken;
  }
}

violation a_wake_is_one_and_signals_once(const composition_factory& factory) {
  notes n;
  rig r{factory};
  any_event& event = r.event();
  any_event& other = r.event();
  r.begin(is_woken_again(r, n, event));
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  const std::uint64_t signals = r.in().signals;
  counted enters{r};
  constexpr int wakes = 5;
  for (int k = 0; k != wakes; ++k) {
    r.in().at(r.now() + us * 100, [&] {
      r.push(event);
      r.push(other);
      r.push(event);
    });
    if (!enters.until([&] { return n.woken == k + 1; })) return broken(factory, "a push does not end a wait");
  }
  const std::uint64_t allowed = wakes * (ends_by_the_ring(factory) ? 3U : 1U);
  if (allowed < enters.all())
    return broken(factory, wakes, " wakes of an idle owner cost ", enters.all(), " enters, where ", allowed,
                  " do");
  if (r.in().signals - signals != wakes)
    return broken(factory, wakes, " bursts of 3 pushes to a sleeper cost ", r.in().signals - signals,
                  " signals");
  return {};
}

// ---- Who pushes into the own channel

void push_own(rig& r, notes& n, any_event& event) {
  r.push(event);
  ++n.pushed;
}
free_task pushes_in_an_answer(rig& r, notes& n, any_event& event) {
  co_await r.ask(device_answers(us * 200), &r.usual());
  push_own(r, n, event);
}
free_task pushes_in_a_poll(rig& r, notes& n, any_event& event) {
  co_await r.sleep(r.now() + ms, &r.usual());
  push_own(r, n, event);
}
free_task pushes_in_a_drain(rig& r, notes& n, any_event& event, any_event& own) {
  co_await r.wait(own, &r.usual());
  push_own(r, n, event);
}
task pushes_in_a_slice(rig& r, notes& n, any_event& event) {
  co_await r.yield();
  push_own(r, n, event);
}

// The owner is awake when its own thread pushes: nobody need be told.
violation who_is_awake_is_not_signalled(const composition_factory& factory) {
  notes n;
  rig r{factory};
  any_event* const events[] = {&r.event(), &r.event(), &r.event(), &r.event()};
  any_event& own = r.event();
  r.begin(pushes_in_an_answer(r, n, *events[0]));
  if (factory.timers != nullptr) r.begin(pushes_in_a_poll(r, n, *events[1]));
  r.begin(pushes_in_a_drain(r, n, *events[2], own));
  r.begin(pushes_in_a_slice(r, n, *events[3]));
  r.in().at(r.now() + us * 500, [&] { r.push(own); });
  const std::uint64_t signals = r.in().signals;
  if (!r.rounds_until_done(200)) return broken(factory, "somebody still waits");
  if (r.in().signals - signals > 1)
    return broken(factory, "of ", n.pushed, " pushes by the owner itself, which is awake, ",
                  r.in().signals - signals - 1, " were signalled");
  return {};
}

// ---- Quiet

violation an_idle_owner_is_quiet(const composition_factory& factory) {
  notes n;
  rig r{factory};
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  r.begin(is_busy(r, n));
  for (int k = 0; k != 3; ++k) r.round();
  n.is_busy = false;
  if (!r.rounds_until_done(20)) return broken(factory, "a task that is ready is not run");
  // One round that waits, and what it leaves armed.
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  if (factory.source != nullptr && r.slices().is_armed())
    return broken(factory, "an owner waits, and a slice of it is still to end");
  bool is_over = false;
  r.in().at(r.now() + ms * 50, [&] {
    is_over = true;
    r.push(r.event());
  });
  counted enters{r};
  enters.until([&] { return is_over; });
  // The wait itself, and one that the timeout of the last slice ends, since nobody takes that back.
  const std::uint64_t allowed = ends_by_the_ring(factory) ? 2 : 1;
  if (allowed < enters.waits())
    return broken(factory, "an owner with nothing to do waited ", enters.waits(), " times in 50 ms");
  return {};
}

task sleeps_once(rig& r, notes& n) {
  co_await r.sleep(r.now() + ms * 10, &r.usual());
  ++n.ticks;
}

// Nothing is pushed into it any more, so nobody need look.
violation a_closed_channel_keeps_nobody_awake(const composition_factory& factory) {
  notes n;
  rig r{factory};
  r.channel().close(waker::call_wakes);
  r.begin(sleeps_once(r, n));
  const std::uint64_t moves = r.timers().moves();
  std::uint64_t rounds = 0;
  while (n.ticks == 0 && rounds != 1'000) {
    r.round();
    ++rounds;
  }
  // One that runs, one that waits, one that wakes; and what the ring's own timeouts end.
  const std::uint64_t allowed = 6 + 2 * (r.timers().moves() - moves);
  if (allowed < rounds) return broken(factory, "beside a closed channel a sleep took ", rounds, " rounds");
  return {};
}

}  // namespace

std::vector<clause> idle_is_one_call() {
  constexpr needed enters = needed::io | needed::calm | needed::no_spin;
  return {{"C6", "ABusyRoundWithNothingToSayIsNone", a_busy_round_with_nothing_to_say_is_none, enters},
          {"C6", "ATimerTickIsOne", a_timer_tick_is_one, enters | needed::timers},
          {"C6", "ARoundThatAsksIsOne", a_round_that_asks_is_one, enters},
          {"C6", "AWakeIsOneAndSignalsOnce", a_wake_is_one_and_signals_once, enters | needed::channel},
          {"C6", "WhoIsAwakeIsNotSignalled", who_is_awake_is_not_signalled, enters | needed::channel},
          {"C6", "AnIdleOwnerIsQuiet", an_idle_owner_is_quiet, enters | needed::channel},
          {"C6", "AClosedChannelKeepsNobodyAwake", a_closed_channel_keeps_nobody_awake,
           needed::channel | needed::timers | needed::calm}};
}

}  // namespace pinion::scheduler::testing
