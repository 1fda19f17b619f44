// SPDX-License-Identifier: Apache-2.0
//
// C2: one slot for all that waits, requested from inside anything.
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};
constexpr duration for_long = ms * 600'000;

// What became of one wait.
struct wait_end {
  const char* what = "";
  int times = 0;
  outcome how{};
  instant at{};
};
struct notes {
  std::vector<wait_end> waits;
  cancel_slot* slot = nullptr;
  any_event* last = nullptr;
  bool is_requested = false;

  std::size_t add(const char* what) {
    waits.push_back({.what = what});
    return waits.size() - 1;
  }
  void end(std::size_t which, const outcome& how, instant at) {
    ++waits[which].times;
    waits[which].how = how;
    waits[which].at = at;
  }
};

// ---- Who waits under the slot

template <class Coroutine>
Coroutine sleeps(rig& r, notes& n) {
  const std::size_t which = n.add("a sleep");
  const outcome how = co_await r.sleep(r.now() + for_long, n.slot);
  n.end(which, how, r.now());
}
template <class Coroutine>
Coroutine asks(rig& r, notes& n) {
  const std::size_t which = n.add("an operation");
  const outcome how = co_await r.ask(device_answers(forever), n.slot);
  n.end(which, how, r.now());
}
template <class Coroutine>
Coroutine asks_urgently(rig& r, notes& n) {
  const std::size_t which = n.add("an urgent operation");
  const outcome how = co_await r.ask_urgent(device_answers(for_long), n.slot);
  n.end(which, how, r.now());
}
template <class Coroutine>
Coroutine sleeps_in_the_ring(rig& r, notes& n) {
  const std::size_t which = n.add("a timeout");
  const outcome how = co_await r.io_sleep(for_long, n.slot);
  n.end(which, how, r.now());
}
template <class Coroutine>
Coroutine waits(rig& r, notes& n, any_event& event) {
  const std::size_t which = n.add("a wait for a wake");
  const outcome how = co_await r.wait(event, n.slot);
  n.end(which, how, r.now());
}
template <class Coroutine>
void begin_one_of_each(rig& r, notes& n) {
  if (r.factory().timers != nullptr) r.begin(sleeps<Coroutine>(r, n));
  if (r.factory().has_io()) {
    r.begin(asks<Coroutine>(r, n));
    r.begin(asks_urgently<Coroutine>(r, n));
    r.begin(sleeps_in_the_ring<Coroutine>(r, n));
  }
  if (r.factory().channel != nullptr) r.begin(waits<Coroutine>(r, n, r.event()));
}

// ---- Who requests it

void request_twice(rig& r, notes& n) {
  r.request(*n.slot);
  n.is_requested = true;
  r.request(*n.slot);
}
template <class Coroutine>
Coroutine stops_after_a_sleep(rig& r, notes& n) {
  const outcome slept = co_await r.sleep(r.now() + ms, nullptr);
  if (!slept.error) request_twice(r, n);
}
template <class Coroutine>
Coroutine stops_after_an_answer(rig& r, notes& n) {
  const outcome answered = co_await r.ask(device_answers(us * 700), nullptr);
  if (!answered.error) request_twice(r, n);
}
template <class Coroutine>
Coroutine stops_after_a_wake(rig& r, notes& n) {
  const outcome woken = co_await r.wait(*n.last, nullptr);
  if (!woken.error) request_twice(r, n);
}
// Another wait's end: who is cancelled cancels the others.
template <class Coroutine>
Coroutine stops_when_stopped(rig& r, notes& n) {
  outcome how;
  if (r.factory().timers != nullptr)
    how = co_await r.sleep(r.now() + for_long, &r.usual());
  else
    how = co_await r.ask(device_answers(forever), &r.usual());
  if (how.is_cancelled()) request_twice(r, n);
}
task stops_at_once(rig& r, notes& n) {
  const outcome yielded = co_await r.yield();
  if (!yielded.error) request_twice(r, n);
}

// Under the slot, when it was reset.
task sleeps_a_while(rig& r, notes& n, outcome& how) {
  const outcome slept = co_await r.sleep(r.now() + ms, n.slot);
  how = slept;
}

enum class place : std::uint8_t { task, poll, answer, drain, other_wait, outside_the_loop };

template <class Coroutine>
void begin_stopping(rig& r, notes& n, place from) {
  switch (from) {
  case place::task: return r.begin(stops_at_once(r, n));
  case place::poll: return r.begin(stops_after_a_sleep<Coroutine>(r, n));
  case place::answer: return r.begin(stops_after_an_answer<Coroutine>(r, n));
  case place::drain: return r.begin(stops_after_a_wake<Coroutine>(r, n));
  case place::other_wait: return r.begin(stops_when_stopped<Coroutine>(r, n));
  case place::outside_the_loop: return;
  }
}

[[nodiscard]] bool is_there(const composition_factory& f, place from) {
  switch (from) {
  case place::poll: return f.timers != nullptr;
  case place::answer: return f.has_io();
  case place::drain: return f.channel != nullptr;
  case place::other_wait: return f.timers != nullptr || f.has_io();
  default: return true;
  }
}

[[nodiscard]] violation look_at(const composition_factory& f, const notes& n) {
  for (const wait_end& each : n.waits) {
    if (each.times == 0) return broken(f, each.what, " under a requested slot does not end");
    if (each.times != 1) return broken(f, each.what, " ended ", each.times, " times");
    if (!each.how.is_cancelled())
      return broken(f, each.what, " that was cancelled ended with \"", each.how.error.message(), "\", ",
                    each.how.value);
  }
  return {};
}

template <class Coroutine>
violation stopped_from(const composition_factory& factory, place from) {
  notes n;
  outcome as_new{.error = wait_cancelled()};
  rig r{factory};
  n.slot = &r.slot();
  if (factory.channel != nullptr) n.last = &r.event();
  begin_one_of_each<Coroutine>(r, n);
  begin_one_of_each<std::conditional_t<std::is_same_v<Coroutine, task>, free_task, task>>(r, n);
  begin_stopping<Coroutine>(r, n, from);
  // They wait, all of them.
  while (r.tasks().has_ready() && !n.is_requested) r.round();
  if (from == place::outside_the_loop) request_twice(r, n);
  if (from == place::other_wait) r.request(r.usual());
  if (from == place::drain) r.in().at(r.now() + us, [&] { r.push(*n.last); });
  r.rounds_until_done(400);
  if (violation what = look_at(factory, n)) return what;
  // What begins to wait from now on ends so as well; and no more, when the slot is as new.
  begin_one_of_each<Coroutine>(r, n);
  r.rounds_until_done(400);
  if (violation what = look_at(factory, n)) return what;
  if (factory.timers == nullptr) return {};
  n.slot->reset();
  r.begin(sleeps_a_while(r, n, as_new));
  r.rounds_until_done(400);
  if (as_new.error) return broken(factory, "a sleep under a slot that was reset ended with an error");
  return {};
}

template <class Coroutine>
violation ends_each_wait_once(const composition_factory& factory) {
  constexpr std::array all{place::task,  place::poll,       place::answer,
                           place::drain, place::other_wait, place::outside_the_loop};
  for (std::size_t way = 0; way != all.size(); ++way) {
    if (!factory.tries(way, all.size()) || !is_there(factory, all[way])) continue;
    if (violation what = stopped_from<Coroutine>(factory, all[way])) return what;
  }
  return {};
}

// Nobody else pushes any more; the owner still ends its waits.
template <class Coroutine>
violation stopped_behind_a_close(const composition_factory& factory) {
  notes n;
  rig r{factory};
  n.slot = &r.slot();
  r.begin(waits<Coroutine>(r, n, r.event()));
  r.round();
  r.channel().close(waker::call_wakes);
  request_twice(r, n);
  r.rounds_until_done(20);
  return look_at(factory, n);
}
violation so_it_does_behind_a_closed_channel(const composition_factory& factory) {
  if (factory.timers == nullptr && !factory.has_io()) return {};  // then nothing is left to wait for
  if (violation what = stopped_behind_a_close<task>(factory)) return what;
  return stopped_behind_a_close<free_task>(factory);
}

// ---- What has ended by itself keeps its end

struct late {
  outcome answered{}, kept{};
};
task asks_what_cant_be_stopped(rig& r, notes& n, late& l) {
  const outcome how = co_await r.ask_urgent(device_answers(ms, false), n.slot);
  l.kept = how;
}
task asks_and_stops(rig& r, notes& n, late& l) {
  const outcome how = co_await r.ask_urgent(device_answers(us * 300), n.slot);
  l.answered = how;
  request_twice(r, n);
}
violation a_result_that_came_is_kept(const composition_factory& factory) {
  notes n;
  late l{.answered = {.error = wait_cancelled()}, .kept = {.error = wait_cancelled()}};
  rig r{factory};
  n.slot = &r.slot();
  r.begin(asks_what_cant_be_stopped(r, n, l));
  r.begin(asks_and_stops(r, n, l));
  if (!r.rounds_until_done(400)) return broken(factory, "an operation that can't be stopped does not end");
  if (l.answered.error || l.answered.value != 1)
    return broken(factory, "an operation that was answered before ended as cancelled");
  if (l.kept.error || l.kept.value != 1)
    return broken(factory, "an operation that the kernel could not stop lost its result");
  return {};
}

// ---- Who tries again on each error gives way each time

struct retries {
  cancel_slot* slot = nullptr;
  int tries = 0;
  int others = 0;
  bool is_over = false;
};
constexpr int too_many = 1'000;

task sleeps_again(rig& r, retries& n) {
  for (int k = 0; !n.is_over && k != too_many; ++k, ++n.tries) {
    const outcome slept = co_await r.sleep(r.now() + ms, n.slot);
    if (!slept.error) co_return;
  }
}
task asks_again(rig& r, retries& n) {
  for (int k = 0; !n.is_over && k != too_many; ++k, ++n.tries) {
    const outcome asked = co_await r.ask(device_answers(forever), n.slot);
    if (!asked.error) co_return;
  }
}
task waits_again(rig& r, retries& n, any_event& event) {
  for (int k = 0; !n.is_over && k != too_many; ++k, ++n.tries) {
    const outcome woken = co_await r.wait(event, n.slot);
    if (!woken.error) co_return;
  }
}
task runs_beside(rig& r, retries& n) {
  for (; n.others != 20; ++n.others) {
    const outcome yielded = co_await r.yield();
    static_cast<void>(yielded);
  }
  n.is_over = true;
}

violation who_tries_again_gives_way(const composition_factory& factory) {
  retries n;
  rig r{factory};
  n.slot = &r.slot();
  r.request(*n.slot);
  if (factory.timers != nullptr) r.begin(sleeps_again(r, n));
  if (factory.has_io()) r.begin(asks_again(r, n));
  if (factory.channel != nullptr) r.begin(waits_again(r, n, r.event()));
  r.begin(runs_beside(r, n));
  if (!r.rounds_until_done(1'000))
    return broken(factory, "tasks that try again under a requested slot do not end");
  if (n.tries > 500)
    return broken(factory, "tasks that try again under a requested slot did so ", n.tries,
                  " times while another one ran 20 times");
  return {};
}

}  // namespace

std::vector<clause> one_way_to_stop() {
  return {
      {"C2", "EndsEachWaitOfATaskOnceWhoeverRequests", ends_each_wait_once<task>},
      {"C2", "EndsEachWaitOfAFreeCoroutineOnceWhoeverRequests", ends_each_wait_once<free_task>},
      {"C2", "SoItDoesBehindAClosedChannel", so_it_does_behind_a_closed_channel, needed::channel},
      {"C2", "AResultThatCameIsKept", a_result_that_came_is_kept, needed::io},
      {"C2", "WhoTriesAgainGivesWay", who_tries_again_gives_way},
  };
}

}  // namespace pinion::scheduler::testing
