// SPDX-License-Identifier: Apache-2.0
//
// C3: how late timers are where turns are long.
#include <algorithm>
#include <array>
#include <cstddef>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration ms{1'000'000};

// A sleep, and when it ended.
struct slept {
  instant armed{}, deadline{}, ended{};
  bool is_over = false;
};
template <class Coroutine>
Coroutine sleeps(rig& r, slept& s, duration length) {
  s.armed = r.now();
  s.deadline = s.armed + length;
  const outcome how = co_await r.sleep(s.deadline, &r.usual());
  s.ended = r.now();
  s.is_over = !how.error;
}

// `came_round`: when the loop did so, after the turn that was long.
violation look_at(rig& r, const slept& s, instant came_round, duration length) {
  const composition_factory& f = r.factory();
  if (!s.is_over) return broken(f, "a sleep does not end");
  if (s.ended < s.deadline) return broken(f, "a sleep ended ", (s.deadline - s.ended).ns, " ns early");
  const instant due = s.deadline + r.timers().lateness_bound(s.deadline - s.armed);
  const instant latest = std::max(due, came_round) + slack_of(f);
  if (latest < s.ended)
    return broken(f, "beside a turn of ", length.ns, " ns a sleep was late by ", (s.ended - s.deadline).ns,
                  " ns, where its store and the loop allow ", (latest - s.deadline).ns);
  return {};
}

task computes(rig& r, duration length, instant& came_round) {
  r.in().pass(length);
  came_round = r.now();
  co_return;
}

violation a_sleep_is_late_by_its_store_alone(const composition_factory& factory) {
  constexpr std::array lengths{duration{0}, ms * 20, duration{24'999'000}, ms * 25, ms * 80};
  for (std::size_t way = 0; way != lengths.size(); ++way) {
    if (!factory.tries(way, lengths.size())) continue;
    const duration length = lengths[way];
    slept of_a_task, of_nobody;
    instant came_round{};
    rig r{factory};
    r.begin(sleeps<task>(r, of_a_task, ms * 25));
    r.begin(sleeps<free_task>(r, of_nobody, ms * 25));
    r.begin(computes(r, length, came_round));
    r.rounds_until_done(200);
    for (const slept* each : {&of_a_task, &of_nobody})
      if (violation what = look_at(r, *each, came_round, length)) return what;
  }
  return {};
}

// Armed from inside a poll, an answer, a drain: by then the round may have looked at the timers already.
struct places {
  slept after_poll, after_answer, after_drain;
};
free_task arms_in_a_poll(rig& r, places& p) {
  co_await r.sleep(r.now() + ms, &r.usual());
  r.begin(sleeps<free_task>(r, p.after_poll, ms * 3));
}
free_task arms_in_an_answer(rig& r, places& p) {
  co_await r.ask_urgent(device_answers(ms), &r.usual());
  r.begin(sleeps<free_task>(r, p.after_answer, ms * 3));
}
free_task arms_in_a_drain(rig& r, places& p, any_event& event) {
  co_await r.wait(event, &r.usual());
  r.begin(sleeps<free_task>(r, p.after_drain, ms * 3));
}

violation so_is_what_any_part_of_a_round_arms(const composition_factory& factory) {
  places p;
  rig r{factory};
  r.begin(arms_in_a_poll(r, p));
  if (factory.has_io()) r.begin(arms_in_an_answer(r, p));
  if (factory.channel != nullptr) {
    any_event& event = r.event();
    r.begin(arms_in_a_drain(r, p, event));
    r.in().at(r.now() + ms, [&] { r.push(event); });
  }
  r.rounds_until_done(200);
  const auto look = [&](const slept& s) { return look_at(r, s, instant{}, duration{}); };
  if (violation what = look(p.after_poll)) return what;
  violation what = factory.has_io() ? look(p.after_answer) : violation{};
  if (!what && factory.channel != nullptr) what = look(p.after_drain);
  return what;
}

}  // namespace

std::vector<clause> deadlines_are_points() {
  return {{"C3", "ASleepIsLateByItsStoreAloneHoweverLongTheTurn", a_sleep_is_late_by_its_store_alone,
           needed::timers},
          {"C3", "SoIsWhatAnyPartOfARoundArms", so_is_what_any_part_of_a_round_arms, needed::timers}};
}

}  // namespace pinion::scheduler::testing
