// SPDX-License-Identifier: Apache-2.0
//
// C4: what one owner hands over to another. Two compositions in one world: the receiver sleeps in its wait,
// and while it does the sender takes its turns.
#include <array>
#include <cstddef>
#include <cstdint>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};

enum class place : std::uint8_t { task, poll, answer, drain };
enum class way : std::uint8_t { push, push_by_port };

struct notes {
  bool is_handed_over = false;
  bool was_told = false;  // at the end of that turn
  bool is_woken = false;  // and went on
  bool is_busy = true;
};

task is_woken(rig& receiver, notes& n, any_event& event) {
  const outcome how = co_await receiver.wait(event, &receiver.usual());
  n.is_woken = !how.error;
}

void hand_over(rig& sender, rig& receiver, notes& n, any_event& event, way by) {
  if (by == way::push)
    receiver.push(event);
  else
    receiver.push_by_port(event, sender.io());
  n.is_handed_over = true;
}

template <class Coroutine>
Coroutine hands_over(rig& sender, rig& receiver, notes& n, any_event& event, any_event* own, way by,
                     place from) {
  if (from == place::poll) co_await sender.sleep(sender.now() + us * 100, &sender.usual());
  if (from == place::answer) co_await sender.ask_urgent(device_answers(us * 100), &sender.usual());
  if (from == place::drain) co_await sender.wait(*own, &sender.usual());
  hand_over(sender, receiver, n, event, by);
}

// It has always something to run, so it never waits.
task is_busy(rig& sender, notes& n) {
  while (n.is_busy) {
    sender.in().pass(us * 50);
    co_await sender.yield();
  }
}

// The sender's turns while the receiver sleeps: up to the one that hands over, and so many behind it that the
// message would be late by far if it had not left. One that is not busy would wait in them for the receiver.
void take_turns(rig& sender, rig& receiver, notes& n) {
  for (int turns = 0; turns != 2'000 && !n.is_handed_over; ++turns) sender.round();
  n.was_told = receiver.kernel().has_come();
  for (int turns = 0; turns != 8 && n.is_busy; ++turns) sender.round();
}

violation look_at(rig& receiver, const notes& n, way by) {
  const composition_factory& f = receiver.factory();
  const char* const what = by == way::push ? "a push" : "a push through the sender's port";
  if (!n.is_handed_over) return broken(f, "the sender does not come to hand anything over");
  if (!n.was_told) return broken(f, what, " has not left by the end of its turn");
  if (!n.is_woken || receiver.has_slept_on_a_wake())
    return broken(f, what, " has left, and its receiver was not woken");
  return {};
}

violation handed_over(const composition_factory& factory, way by, place from, bool is_sender_busy) {
  notes n{.is_busy = is_sender_busy};
  world in{instant{1'000'003'777}};
  rig receiver{factory, in};
  rig sender{factory, in};
  any_event& event = receiver.event();
  any_event* const own = &sender.event();
  receiver.begin(is_woken(receiver, n, event));
  if (!receiver.rounds_until_idle(200)) return broken(factory, "a receiver with nothing to do does not wait");
  if (is_sender_busy) sender.begin(is_busy(sender, n));
  if (from == place::task)
    sender.begin(hands_over<task>(sender, receiver, n, event, own, by, from));
  else
    sender.begin(hands_over<free_task>(sender, receiver, n, event, own, by, from));
  if (from == place::drain) sender.push(*own);
  in.at(in.now() + ms, [&] { take_turns(sender, receiver, n); });
  receiver.rounds_until([&] { return n.is_woken; }, 20);
  n.is_busy = false;
  return look_at(receiver, n, by);
}

violation by_the_end_of_the_turn(const composition_factory& factory) {
  constexpr std::array places{place::task, place::poll, place::answer, place::drain};
  std::size_t number = 0;
  for (const way by : {way::push_by_port, way::push}) {
    for (const place from : places) {
      for (const bool is_busy : {true, false}) {
        if (!factory.tries(number++, 4 * places.size())) continue;
        if (from == place::poll && factory.timers == nullptr) continue;
        if (violation what = handed_over(factory, by, from, is_busy)) return what;
      }
    }
  }
  return {};
}

// ---- Whatever is urgent

template <class Coroutine>
Coroutine asks_urgently(rig& r, notes& n, place from) {
  if (from == place::poll) co_await r.sleep(r.now() + us * 200, &r.usual());
  n.is_handed_over = true;
  co_await r.ask_urgent(device_answers(us * 50), &r.usual());
}

// In a slice of a busy owner, and in the poll of an idle one, behind its wait.
violation asked_urgently(const composition_factory& factory, place from) {
  notes n{.is_busy = from == place::task};
  rig r{factory};
  if (n.is_busy) r.begin(is_busy(r, n));
  for (int turns = 0; turns != 4; ++turns) r.round();
  if (from == place::task)
    r.begin(asks_urgently<task>(r, n, from));
  else
    r.begin(asks_urgently<free_task>(r, n, from));
  for (int turns = 0; turns != 20 && !n.is_handed_over; ++turns) r.round();
  n.is_busy = false;
  if (!n.is_handed_over) return broken(factory, "a task that is to go on is not run");
  if (r.io().depth() != 0)
    return broken(factory, "at the end of its turn an urgent operation is among ", r.io().depth(),
                  " that wait for an enter");
  return {};
}
violation so_does_an_urgent_operation(const composition_factory& factory) {
  if (violation what = asked_urgently(factory, place::task)) return what;
  return factory.timers != nullptr ? asked_urgently(factory, place::poll) : violation{};
}

}  // namespace

std::vector<clause> messages_leave() {
  return {{"C4", "ByTheEndOfTheirTurnFromAnyPartOfIt", by_the_end_of_the_turn,
           needed::channel | needed::io | needed::calm},
          {"C4", "SoDoesAnUrgentOperation", so_does_an_urgent_operation, needed::io | needed::calm}};
}

}  // namespace pinion::scheduler::testing
