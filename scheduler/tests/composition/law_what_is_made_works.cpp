// SPDX-License-Identifier: Apache-2.0
//
// C5: no pair is accepted and then silent.
#include <algorithm>
#include <memory>
#include <string_view>
#include <system_error>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};

// ---- Wakes

struct notes {
  int woken = 0;
  instant at{};
};
task is_woken_again(rig& r, notes& n, any_event& event, int times) {
  while (n.woken != times) {
    const outcome how = co_await r.wait(event, &r.usual());
    if (how.error) co_return;
    ++n.woken;
    n.at = r.now();
  }
}

// The owner waits, and nothing but that push ends it.
violation push_ends_a_wait(rig& r, notes& n, any_event& event, const char* when) {
  const composition_factory& f = r.factory();
  if (!r.rounds_until_idle(200)) return broken(f, "an owner with nothing to do does not wait ", when);
  const int before = n.woken;
  const instant pushed = r.now() + ms;
  r.in().at(pushed, [&] { r.push(event); });
  r.rounds_until([&] { return n.woken != before; }, 20);
  if (n.woken == before || r.has_slept_on_a_wake()) return broken(f, "a push does not end a wait ", when);
  if (pushed + slack_of(f) < n.at)
    return broken(f, "a push ended a wait ", (n.at - pushed).ns, " ns after it, ", when);
  return {};
}

violation a_wake_ends_the_wait_again_and_again(const composition_factory& factory) {
  notes n;
  rig r{factory};
  any_event& event = r.event();
  constexpr int times = 4;
  r.begin(is_woken_again(r, n, event, times));
  if (violation what = push_ends_a_wait(r, n, event, "for the first time")) return what;
  if (violation what = push_ends_a_wait(r, n, event, "for the second time")) return what;
  if (factory.has_io()) r.stop_io();  // and the loop goes on
  if (violation what = push_ends_a_wait(r, n, event, "after the I/O was stopped")) return what;
  return push_ends_a_wait(r, n, event, "for the second time after the I/O was stopped");
}

// Another thread's push, between any two calls that the loop makes of its parts.
violation heard(const composition_factory& factory, std::uint32_t calls) {
  notes n;
  rig r{factory};
  any_event& event = r.event();
  r.begin(is_woken_again(r, n, event, 1));
  if (!r.rounds_until_idle(200)) return broken(factory, "an owner with nothing to do does not wait");
  // Others end its waits until then, and nobody any more afterwards.
  any_event& other = r.event();
  r.in().in_so_many_calls(calls, [&] {
    r.in().forget_others();
    r.push(event);
  });
  for (int rounds = 0; rounds != 20 && n.woken == 0; ++rounds) {
    if (r.in().is_to_come()) r.in().at(r.now() + us * 60, [&] { r.push(other); });
    r.round();
  }
  if (n.woken == 0 || r.has_slept_on_a_wake())
    return broken(factory, "a push behind ", calls, " calls of the loop is not heard by its wait");
  return {};
}
violation a_push_is_heard_whenever_it_comes(const composition_factory& factory) {
  constexpr std::uint32_t calls_of_two_rounds = 20;
  for (std::uint32_t calls = 0; calls != calls_of_two_rounds; ++calls) {
    if (!factory.tries(calls, calls_of_two_rounds)) continue;
    if (violation what = heard(factory, calls)) return what;
  }
  return {};
}

// ---- Slices

struct slices_seen {
  int due = 0;
  duration longest{};
  std::uint32_t most_checks = 0;
};
constexpr int slices_wanted = 3;
constexpr std::uint32_t checks_max = 2'000;

// Runs until it is told, or for far too long.
task runs_on(rig& r, slices_seen& s) {
  for (int slices = 0; slices != slices_wanted; ++slices) {
    const instant began = r.now();
    std::uint32_t checks = 1;
    while (!r.tasks().preempt_word().is_due() && checks != checks_max) {
      r.in().pass(us * 10);
      ++checks;
    }
    s.due += checks != checks_max ? 1 : 0;
    s.longest = std::max(s.longest, r.now() - began);
    s.most_checks = std::max(s.most_checks, checks);
    co_await r.yield();
  }
}

violation a_slice_ends_as_its_source_says(const composition_factory& factory) {
  slices_seen s;
  rig r{factory};
  r.begin(runs_on(r, s));
  r.rounds_until_done(50);
  // A timeout that is under way is shared, so a slice may last for two of them; and the clock goes in steps.
  constexpr duration most{2'100'000};
  switch (factory.source->ends) {
  case slice_end::never:
    if (s.due != 0) return broken(factory, "a slice without an end ended");
    return {};
  case slice_end::at_once:
    if (s.due != slices_wanted || s.most_checks != 1)
      return broken(factory, "a slice that ends at its first check lasted for ", s.most_checks);
    return {};
  case slice_end::by_checks:
    if (s.due != slices_wanted)
      return broken(factory, "of 3 slices that end by their checks ", s.due, " ended");
    return {};
  case slice_end::by_time:
    if (s.due != slices_wanted) return broken(factory, "of 3 slices of 1 ms ", s.due, " ended within 20 ms");
    if (most < s.longest) return broken(factory, "a slice of 1 ms ended after ", s.longest.ns, " ns");
    return {};
  }
  return {};
}

// ---- What is made, and what is refused

violation what_is_said_to_work_is_made(const composition_factory& factory) {
  world in{instant{1'000'003'777}};
  try {
    static_cast<void>(factory.make(in));
    return {};
  } catch (const std::system_error& refused) {
    return broken(factory, "a pair that works was refused: ", refused.what());
  }
}

violation is_refused(const composition_factory& factory) {
  world in{instant{1'000'003'777}};
  try {
    const std::unique_ptr<composition> made = factory.make(in);
  } catch (const std::system_error& refused) {
    // "asked: reason; remedy"
    if (std::string_view{refused.what()}.find(';') == std::string_view::npos)
      return broken(factory, "it is refused without a remedy: ", refused.what());
    return {};
  }
  return broken(factory, "a pair that can't work was accepted");
}

violation a_channel_is_in_one_turn(const composition_factory& factory) {
  notes n;
  rig r{factory};
  any_event& event = r.event();
  r.begin(is_woken_again(r, n, event, 1));
  bool was_refused = false;
  try {
    static_cast<void>(factory.turn->make(r.parts(), {}));
  } catch (const std::system_error& refused) {
    was_refused = refused.code() == std::errc::device_or_resource_busy;
  }
  if (!was_refused) return broken(factory, "a channel was attached to two turns");
  return push_ends_a_wait(r, n, event, "after its channel was refused to a second turn");
}

}  // namespace

std::vector<clause> what_is_made_works() {
  return {{"C5", "WhatIsSaidToWorkIsMade", what_is_said_to_work_is_made},
          {"C5", "AWakeEndsTheWaitAgainAndAgain", a_wake_ends_the_wait_again_and_again, needed::channel},
          {"C5", "APushIsHeardWheneverItComes", a_push_is_heard_whenever_it_comes, needed::channel},
          {"C5", "ASliceEndsAsItsSourceSays", a_slice_ends_as_its_source_says, needed::slices},
          {"C5", "AChannelIsInOneTurn", a_channel_is_in_one_turn, needed::channel | needed::io},
          {"C5", "WhatCantWorkIsRefusedWhenMade", is_refused, needed::refused}};
}

}  // namespace pinion::scheduler::testing
