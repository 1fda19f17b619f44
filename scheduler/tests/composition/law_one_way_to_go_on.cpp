// SPDX-License-Identifier: Apache-2.0
//
// C1: who waited goes on in one way. All kinds of waits, ended from everywhere; the rig looks at how they go
// on.
#include <array>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};

struct notes {
  int ended = 0;
  int cancelled = 0;
  std::array<any_event*, 4> events{};
  cancel_slot* stopped = nullptr;

  void add(const outcome& end) {
    ++ended;
    cancelled += end.is_cancelled() ? 1 : 0;
  }
};

// ---- Who waits

template <class Coroutine>
Coroutine sleeps(rig& r, notes& n) {
  for (const instant deadline : {r.now() - ms, r.now() + ms, r.now() + ms * 2}) {
    n.add(co_await r.sleep(deadline, nullptr));
    n.add(co_await r.sleep(deadline, &r.usual()));
  }
}
template <class Coroutine>
Coroutine asks(rig& r, notes& n) {
  n.add(co_await r.ask(iosubmit::entries::nop(), nullptr));
  n.add(co_await r.ask(device_answers(us * 80), nullptr));
  n.add(co_await r.ask_urgent(device_answers(us), nullptr));
  n.add(co_await r.ask(iosubmit::entries::nop(), &r.usual()));
  n.add(co_await r.ask_urgent(device_answers(us * 10), &r.usual()));
  n.add(co_await r.io_sleep(us * 50, &r.usual()));
}
// It ends with its wait.
template <class Coroutine>
Coroutine asks_once(rig& r, notes& n) {
  n.add(co_await r.ask(iosubmit::entries::fsync(0), nullptr));
}
template <class Coroutine>
Coroutine waits(rig& r, notes& n, any_event& event, int times) {
  for (int k = 0; k != times; ++k) n.add(co_await r.wait(event, k % 2 == 0 ? nullptr : &r.usual()));
}
template <class Coroutine>
Coroutine sleeps_in_vain(rig& r, notes& n) {
  n.add(co_await r.sleep(r.now() + ms * 60'000, n.stopped));
  n.add(co_await r.sleep(r.now(), n.stopped));
}
template <class Coroutine>
Coroutine asks_in_vain(rig& r, notes& n) {
  n.add(co_await r.ask(device_answers(forever), n.stopped));
  n.add(co_await r.ask(device_answers(forever), n.stopped));
}
template <class Coroutine>
Coroutine waits_in_vain(rig& r, notes& n, any_event& event) {
  n.add(co_await r.wait(event, n.stopped));
  n.add(co_await r.wait(event, n.stopped));
}
task yields(rig& r, notes& n) {
  for (int k = 0; k != 3; ++k) n.add(co_await r.yield());
  for (int k = 0; k != 3; ++k) n.add(co_await r.yield_if_needed());
}

template <class Coroutine>
void begin_waiting(rig& r, notes& n) {
  const composition_factory& f = r.factory();
  if (f.timers != nullptr) {
    r.begin(sleeps<Coroutine>(r, n));
    r.begin(sleeps_in_vain<Coroutine>(r, n));
  }
  if (f.has_io()) {
    r.begin(asks_once<Coroutine>(r, n));
    r.begin(asks<Coroutine>(r, n));
    r.begin(asks_in_vain<Coroutine>(r, n));
  }
  if (f.channel != nullptr) {
    r.begin(waits<Coroutine>(r, n, *n.events[0], 6));
    r.begin(waits_in_vain<Coroutine>(r, n, *n.events[1]));
  }
  if constexpr (std::is_same_v<Coroutine, task>) r.begin(yields(r, n));
}

// ---- Who ends waits, from wherever it goes on

void wakes(rig& r, notes& n) {
  if (r.factory().channel == nullptr) return;
  r.push(*n.events[0]);
  if (r.factory().has_io()) r.push_by_port(*n.events[0], r.io());
}
template <class Coroutine>
Coroutine acts_in_a_poll(rig& r, notes& n) {
  for (int k = 0; k != 8; ++k) {
    n.add(co_await r.sleep(r.now() + us * 300, nullptr));
    wakes(r, n);
  }
}
template <class Coroutine>
Coroutine acts_in_an_answer(rig& r, notes& n) {
  for (int k = 0; k != 8; ++k) {
    n.add(co_await r.ask(device_answers(us * 200), nullptr));
    wakes(r, n);
  }
}
template <class Coroutine>
Coroutine acts_in_a_drain(rig& r, notes& n) {
  n.add(co_await r.wait(*n.events[2], nullptr));
  wakes(r, n);
}
template <class Coroutine>
Coroutine stops_all(rig& r, notes& n) {
  if (r.factory().timers != nullptr)
    n.add(co_await r.sleep(r.now() + ms * 4, nullptr));
  else if (r.factory().has_io())
    n.add(co_await r.ask(device_answers(ms * 4), nullptr));
  else
    n.add(co_await r.wait(*n.events[3], nullptr));
  r.request(*n.stopped);
  r.request(*n.stopped);
}

template <class Coroutine>
void begin_acting(rig& r, notes& n) {
  const composition_factory& f = r.factory();
  if (f.timers != nullptr) r.begin(acts_in_a_poll<Coroutine>(r, n));
  if (f.has_io()) r.begin(acts_in_an_answer<Coroutine>(r, n));
  if (f.channel != nullptr) r.begin(acts_in_a_drain<Coroutine>(r, n));
  r.begin(stops_all<Coroutine>(r, n));
}

// Another thread: what nobody on this one wakes.
void begin_outside(rig& r, notes& n) {
  if (r.factory().channel == nullptr) return;
  const instant now = r.now();
  r.in().at(now + ms, [&] { r.push(*n.events[2]); });
  r.in().at(now + ms * 5, [&] { r.push(*n.events[3]); });
  for (std::uint64_t k = 0; k != 8; ++k) r.in().at(now + ms * (2 + k), [&] { r.push(*n.events[0]); });
}

template <class Waiter, class Actor>
violation look_at(const composition_factory& factory) {
  notes n;
  rig r{factory};
  n.stopped = &r.slot();
  if (factory.channel != nullptr)
    for (any_event*& each : n.events) each = &r.event();
  begin_waiting<Waiter>(r, n);
  begin_acting<Actor>(r, n);
  begin_outside(r, n);
  const bool is_over = r.rounds_until_done();
  if (r.breach()) return r.breach();
  if (!is_over) return broken(factory, "after 2,000 rounds somebody still waits; ", n.ended, " waits ended");
  return {};
}

template <class Waiter>
violation whoever_ends_it(const composition_factory& factory) {
  violation what = factory.tries(0, 2) ? look_at<Waiter, task>(factory) : violation{};
  if (!what && factory.tries(1, 2)) what = look_at<Waiter, free_task>(factory);
  return what;
}

}  // namespace

std::vector<clause> one_way_to_go_on() {
  return {{"C1", "ATaskGoesOnInItsExecutorsRunAlone", whoever_ends_it<task>},
          {"C1", "WithoutAnExecutorOneGoesOnInTheTurnAlone", whoever_ends_it<free_task>}};
}

}  // namespace pinion::scheduler::testing
