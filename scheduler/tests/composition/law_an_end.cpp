// SPDX-License-Identifier: Apache-2.0
//
// C2: an end leaves nothing.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rig.hpp"

namespace pinion::scheduler::testing {
namespace {

constexpr duration us{1'000}, ms{1'000'000};
constexpr duration for_long = ms * 600'000;

// In which part of a round the last task ends.
enum class place : std::uint8_t { task, poll, drain };

[[nodiscard]] bool is_there(const composition_factory& f, place at) {
  if (at == place::poll) return f.timers != nullptr;
  return at != place::drain || f.channel != nullptr;
}

struct left {
  int ended = 0;
  int others = 0;
};
template <class Coroutine>
Coroutine goes_on_for_ever(rig& r, left& n, cancel_slot& closing) {
  while (!closing.is_requested()) {
    if (r.factory().timers != nullptr)
      co_await r.sleep(r.now() + us * 100, &closing);
    else
      co_await r.ask(device_answers(us * 100), &closing);
  }
  ++n.ended;
}
task is_woken_for_ever(rig& r, left& n, cancel_slot& closing, any_event& event, any_event& last) {
  while (!closing.is_requested()) {
    const outcome how = co_await r.wait(event, &closing);
    static_cast<void>(how);
  }
  r.push(last);
  ++n.ended;
}
// They are the last to end, each in another part of a round, and nothing is to come behind them.
task ends_last_in_a_slice(rig& r, left& n, cancel_slot& closing) {
  if (r.factory().timers != nullptr)
    co_await r.sleep(r.now() + for_long, &closing);
  else if (r.factory().has_io())
    co_await r.ask(device_answers(forever), &closing);
  else
    co_await r.wait(r.event(), &closing);
  for (int k = 0; k != 5; ++k) co_await r.yield();
  ++n.ended;
}
free_task ends_last_in_a_poll(rig& r, left& n, cancel_slot& closing) {
  co_await r.sleep(r.now() + for_long, &closing);
  co_await r.sleep(r.now() + ms, nullptr);
  ++n.ended;
}
free_task ends_last_in_a_drain(rig& r, left& n, cancel_slot& closing, any_event& event) {
  co_await r.wait(event, &closing);
  for (int k = 0; k != 5; ++k) {
    r.push(event);
    co_await r.wait(event, nullptr);
  }
  ++n.ended;
}
void begin_the_last(rig& r, left& n, cancel_slot& closing, place in) {
  if (in == place::poll)
    r.begin(ends_last_in_a_poll(r, n, closing));
  else if (in == place::drain)
    r.begin(ends_last_in_a_drain(r, n, closing, r.event()));
  else
    r.begin(ends_last_in_a_slice(r, n, closing));
}
free_task asks_without_a_slot(rig& r, left& n) {
  const outcome how = co_await r.ask(device_answers(forever), nullptr);
  n.others += how.is_cancelled() ? 1 : 0;
}

violation ended(const composition_factory& factory, place last_in) {
  left n;
  rig r{factory};
  cancel_slot& closing = r.slot();
  any_event* last = nullptr;
  int tasks = 1;
  begin_the_last(r, n, closing, last_in);
  if (factory.timers != nullptr || factory.has_io()) {
    r.begin(goes_on_for_ever<task>(r, n, closing));
    r.begin(goes_on_for_ever<free_task>(r, n, closing));
    tasks += 2;
  }
  if (factory.has_io()) r.begin(asks_without_a_slot(r, n));
  if (factory.channel != nullptr) {
    last = &r.event();
    r.begin(is_woken_for_ever(r, n, closing, r.event(), *last));
    ++tasks;
  }
  for (int rounds = 0; rounds != 20; ++rounds) r.round();
  int asked = 0;
  const std::uint64_t stuck = r.stuck();
  r.end(closing, [&] { return n.ended == tasks || ++asked == 1'000; });
  if (n.ended != tasks)
    return broken(factory, "after 1,000 rounds of an end, ", tasks - n.ended, " tasks still wait");
  if (r.stuck() != stuck) return broken(factory, "an end waited though nothing was to come any more");
  if (factory.has_io() && n.others != 1)
    return broken(factory, "an operation without a slot was not answered by the end");
  if (factory.has_io() && (r.io().in_flight() != 0 || r.kernel().inner.in_flight() != 0))
    return broken(factory, "an end left ", r.kernel().inner.in_flight(),
                  " operations in flight, which the kernel may still write for");
  if (factory.timers != nullptr && r.timers().size() != 0) return broken(factory, "an end left timers armed");
  if (last == nullptr) return {};
  if (!last->is_woken()) return broken(factory, "what was pushed last was not handed out by the end");
  if (r.channel().sender().push(*last) != waker::push_result::closed)
    return broken(factory, "a push after the end is not told that nobody is there");
  return {};
}

task goes_on_for_a_while(rig& r, left& n) {
  for (int k = 0; k != 5; ++k) co_await r.yield();
  ++n.ended;
}
violation an_end_runs_who_is_ready(const composition_factory& factory) {
  left n;
  rig r{factory};
  r.begin(goes_on_for_a_while(r, n));
  r.round();
  r.end(r.slot(), [] { return true; });
  if (n.ended != 1) return broken(factory, "an end left a task that is ready");
  return {};
}

violation an_end_leaves_nothing(const composition_factory& factory) {
  constexpr std::array all{place::task, place::poll, place::drain};
  for (std::size_t way = 0; way != all.size(); ++way) {
    if (!factory.tries(way, all.size()) || !is_there(factory, all[way])) continue;
    if (violation what = ended(factory, all[way])) return what;
  }
  return {};
}

}  // namespace

std::vector<clause> an_end() {
  return {
      {"C2", "AnEndLeavesNothing", an_end_leaves_nothing},
      {"C2", "AnEndRunsWhoIsReady", an_end_runs_who_is_ready},
  };
}

}  // namespace pinion::scheduler::testing
