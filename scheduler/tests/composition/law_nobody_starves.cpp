// SPDX-License-Identifier: Apache-2.0
//
// C7: floods of each kind, alone and together, and what is served beside them.
//
// A flood is so many of one kind that each begins anew as soon as it was served, so there is always one that
// waits. Each round takes some time, and is looked at: how many of each kind it served, and whether it passed
// over one that waited.
#include <algorithm>
#include <array>
#include <cstdint>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};
constexpr std::size_t budget = 8;  // timers_a_turn
constexpr std::size_t crowd = 20;  // of a flood

enum kind : std::uint8_t { tasks, timers, wakes, completions, kinds };
constexpr std::array<const char*, kinds> names{"ready tasks", "timers", "wakes", "completions"};

struct load {
  std::array<std::size_t, kinds> served{};       // in this round
  std::array<std::size_t, kinds> passed_over{};  // rounds in a row
  bool is_over = false;
};

// At the end of a law, however it ends: before the rig winds up.
struct ends {
  load& what;
  ~ends() { what.is_over = true; }
};

// ---- Floods

task yields(rig& r, load& l) {
  while (!l.is_over) co_await r.yield();
}
// Due at once, and due once more as soon as it has fired.
free_task sleeps(rig& r, load& l) {
  while (!l.is_over) {
    const outcome how = co_await r.sleep(r.now() - ms * 100, &r.usual());  // by any store's tick
    if (how.error) co_return;
    ++l.served[timers];
  }
}
// Each pushes itself from inside the drain.
struct pusher : waker::wake_call {
  pusher() : wake_call(&again) {}
  static void again(wake_call& self) {
    auto& mine = static_cast<pusher&>(self);
    ++mine.in->served[wakes];
    if (!mine.in->is_over && mine.in->served[wakes] < 10 * crowd) mine.to->sender().push(mine);
  }
  load* in = nullptr;
  any_channel* to = nullptr;
};
// Each asks once more from inside the answer, urgently, and is answered at once.
free_task asks(rig& r, load& l) {
  while (!l.is_over) {
    const outcome how = co_await r.ask_urgent(device_answers({}), &r.usual());
    if (how.error) co_return;
    ++l.served[completions];
    if (l.served[completions] > 10 * crowd) co_return;
  }
}

void begin(rig& r, load& l, kind what, std::array<pusher, crowd>& pushers) {
  for (std::size_t k = 0; k != crowd; ++k) {
    switch (what) {
    case tasks: r.begin(yields(r, l)); break;
    case timers: r.begin(sleeps(r, l)); break;
    case wakes:
      pushers[k].in = &l;
      pushers[k].to = &r.channel();
      r.channel().sender().push(pushers[k]);
      break;
    case completions: r.begin(asks(r, l)); break;
    case kinds: break;
    }
  }
}

// ---- What is served beside them

struct probes {
  std::array<instant, kinds> asked{};
  std::array<bool, kinds> is_served{};
};
task sleeps_once(rig& r, probes& p) {
  p.asked[timers] = r.now();
  co_await r.sleep(r.now() + us * 300, &r.usual());
  p.is_served[timers] = true;
}
task is_woken_once(rig& r, probes& p, any_event& event) {
  p.asked[wakes] = r.now();
  co_await r.wait(event, &r.usual());
  p.is_served[wakes] = true;
}
task asks_once(rig& r, probes& p) {
  p.asked[completions] = r.now();
  co_await r.ask_urgent(device_answers(us * 100), &r.usual());
  p.is_served[completions] = true;
}
task yields_once(rig& r, probes& p) {
  co_await r.yield();
  p.is_served[tasks] = true;
}

[[nodiscard]] bool is_there(const composition_factory& f, std::size_t what) {
  return what == tasks || (what == timers && f.timers != nullptr) ||
         (what == wakes && f.channel != nullptr) || (what == completions && f.has_io());
}

// What one round may serve of a kind at most.
std::size_t bound_of(const composition_factory& f, std::size_t what) {
  switch (what) {
  case timers: return budget;
  case tasks: return crowd + kinds;
  // Answers are handed out behind each enter; a round that has something urgent makes two.
  case completions: return 2 * (crowd + kinds) + (f.ring->is_faulty ? crowd : 0);
  default: return crowd + kinds;
  }
}

// A ring of readiness calls is not asked in the round behind a wait, whose end has just asked it. One whose
// enters fail is asked, and says nothing.
std::size_t may_pass_over(const composition_factory& f, std::size_t what) {
  if (what != completions) return 0;
  return f.ring->is_faulty ? 8 : f.ring->tells_unasked ? 0 : 1;
}

violation beside(const composition_factory& factory, std::uint32_t floods) {
  load l;
  probes p;
  std::array<pusher, crowd> pushers;
  rig r{factory, {.timers_a_turn = budget}};
  const ends at_last{l};
  for (std::uint8_t what = 0; what != kinds; ++what)
    if ((floods >> what & 1U) != 0 && is_there(factory, what)) begin(r, l, static_cast<kind>(what), pushers);
  // So many tasks are ready at most, and each source lets one run in a round at least.
  constexpr int rounds_max = 3 * (crowd + kinds);
  int rounds = 0;
  const auto round = [&]() -> violation {
    l.served = {};
    r.in().pass(us * 50);
    const std::size_t resumed = r.tasks().resumed();
    r.round();
    l.served[tasks] = r.tasks().resumed() - resumed;
    ++rounds;
    for (std::size_t what = 0; what != kinds; ++what) {
      if (is_there(factory, what) && bound_of(factory, what) < l.served[what])
        return broken(factory, "one round served ", l.served[what], ' ', names[what]);
      if ((floods >> what & 1U) == 0 || !is_there(factory, what) || rounds < 4) continue;
      l.passed_over[what] = l.served[what] == 0 ? l.passed_over[what] + 1 : 0;
      if (may_pass_over(factory, what) < l.passed_over[what])
        return broken(factory, l.passed_over[what], " rounds in a row served none of ", crowd, ' ',
                      names[what], " that wait");
    }
    return {};
  };
  for (int k = 0; k != 6; ++k)
    if (violation what = round()) return what;
  if (factory.timers != nullptr) r.begin(sleeps_once(r, p));
  if (factory.has_io()) r.begin(asks_once(r, p));
  if (factory.channel != nullptr) {
    any_event& event = r.event();
    r.begin(is_woken_once(r, p, event));
    r.in().at(r.now() + us * 200, [&] { r.push(event); });
  }
  r.begin(yields_once(r, p));
  const auto is_served = [&] {
    for (std::size_t what = 0; what != kinds; ++what)
      if (is_there(factory, what) && !p.is_served[what]) return false;
    return true;
  };
  for (int k = 0; k != rounds_max && !is_served(); ++k)
    if (violation what = round()) return what;
  for (std::size_t what = 0; what != kinds; ++what)
    if (is_there(factory, what) && !p.is_served[what])
      return broken(factory, "beside a flood one of the ", names[what], " is not served within ", rounds_max,
                    " rounds");
  return {};
}

violation each_is_bounded_and_served_every_turn(const composition_factory& factory) {
  constexpr std::array<std::uint32_t, 5> all{1U << tasks, 1U << timers, 1U << wakes, 1U << completions, 15U};
  for (std::size_t way = 0; way != all.size(); ++way) {
    if (!factory.tries(way, all.size())) continue;
    if (violation what = beside(factory, all[way])) return what;
  }
  return {};
}

// ---- A task that runs on until it is told, and what a policy keeps back

struct hog {
  load l;
  instant asked{}, answered{};
};
task runs_until_told(rig& r, hog& h) {
  while (!h.l.is_over) {
    int steps = 0;
    do r.in().pass(us * 10);
    while (++steps != 2'000 && !r.tasks().preempt_word().is_due());
    co_await r.yield();
  }
}
task asks_beside(rig& r, hog& h) {
  h.asked = r.now();
  co_await r.ask_urgent(device_answers(us * 100), &r.usual());
  h.answered = r.now();
}
violation who_runs_until_told_holds_up_nobody(const composition_factory& factory) {
  if (factory.source->ends == slice_end::never || factory.source->ends == slice_end::by_checks) return {};
  hog h;
  rig r{factory};
  const ends at_last{h.l};
  r.begin(runs_until_told(r, h));
  r.round();
  r.begin(asks_beside(r, h));
  for (int rounds = 0; rounds != 200 && h.answered == instant{}; ++rounds) r.round();
  // Handed over behind one slice, fetched behind the next, run in the one after that: 1 ms each, twice that
  // at most.
  constexpr duration most = ms * 7;
  if (h.answered == instant{})
    return broken(factory, "beside a task that runs until it is told nothing is answered");
  if (h.asked + most < h.answered)
    return broken(factory, "beside a task that runs until it is told an answer took ",
                  (h.answered - h.asked).ns, " ns");
  return {};
}

task sleeps_beside(rig& r, hog& h) {
  h.asked = r.now() + us * 200;
  co_await r.sleep(h.asked, &r.usual());
  h.answered = r.now();
}
// A timeout of the ring's that is under way can't be changed, so those sources may be late by one.
violation a_slice_ends_when_a_timer_is_due(const composition_factory& factory) {
  if (factory.source->ends != slice_end::by_time || factory.source->is_the_rings) return {};
  hog h;
  rig r{factory};
  const ends at_last{h.l};
  r.begin(sleeps_beside(r, h));
  r.round();
  r.begin(runs_until_told(r, h));
  for (int rounds = 0; rounds != 200 && h.answered == instant{}; ++rounds) r.round();
  // The slice that ends for it, in steps; and one that the hog has before the sleeper, who is ready behind
  // it.
  const duration most = r.timers().lateness_bound(us * 200) + ms + us * 60 + slack_of(factory);
  if (h.answered == instant{} || h.asked + most < h.answered)
    return broken(factory, "beside a task that runs until it is told a sleep was late by ",
                  (h.answered - h.asked).ns, " ns");
  return {};
}

task is_always_ready(rig& r, load& l) {
  while (!l.is_over) {
    r.in().pass(ms);
    co_await r.yield();
  }
}
// The same by timers alone: no slice begins.
free_task fires_always(rig& r, load& l) {
  while (!l.is_over) {
    r.in().pass(ms);
    co_await r.sleep(r.now() - ms * 100, &r.usual());
  }
}
task asks_at_leisure(rig& r) { co_await r.ask(device_answers(us * 100), &r.usual()); }

violation leaves_a_loop_kept_busy_by(const composition_factory& factory, kind what) {
  load l;
  rig r{factory};
  const ends at_last{l};
  if (what == tasks)
    r.begin(is_always_ready(r, l));
  else
    r.begin(fires_always(r, l));
  for (int rounds = 0; rounds != 3; ++rounds) r.round();
  r.begin(asks_at_leisure(r));
  r.round();
  r.round();
  const instant queued = r.now();
  constexpr duration patience{10'000'000};  // submission's
  while (r.io().depth() != 0 && r.now() < queued + ms * 40) r.round();
  if (queued + patience + ms * 3 < r.now())
    return broken(factory, "an operation in a loop that is never idle left after ", (r.now() - queued).ns,
                  " ns");
  return {};
}
violation what_is_queued_leaves_a_loop_that_is_never_idle(const composition_factory& factory) {
  violation what = factory.tries(0, 2) ? leaves_a_loop_kept_busy_by(factory, tasks) : violation{};
  if (!what && factory.tries(1, 2) && factory.timers != nullptr)
    what = leaves_a_loop_kept_busy_by(factory, timers);
  return what;
}

}  // namespace

std::vector<clause> nobody_starves() {
  return {{"C7", "EachIsBoundedAndServedEveryTurn", each_is_bounded_and_served_every_turn},
          {"C7", "WhoRunsUntilToldHoldsUpNobody", who_runs_until_told_holds_up_nobody,
           needed::slices | needed::io | needed::calm},
          {"C7", "ASliceEndsWhenATimerIsDue", a_slice_ends_when_a_timer_is_due,
           needed::slices | needed::timers | needed::calm},
          {"C7", "WhatIsQueuedLeavesALoopThatIsNeverIdle", what_is_queued_leaves_a_loop_that_is_never_idle,
           needed::io | needed::calm}};
}

}  // namespace pinion::scheduler::testing
