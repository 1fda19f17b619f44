// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>

#include "pipe.hpp"
#include "seam.hpp"

namespace pinion::scheduler::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t rounds_max = 1'000'000;

// Turns until that is so. False: it went round for ever.
template <class IsSo>
bool turns_until(engine& loop, IsSo is_so, bool stays_ready = false) {
  for (std::size_t rounds = 0; !is_so(); ++rounds) {
    if (rounds == rounds_max) return false;
    loop.turn(stays_ready);
  }
  return true;
}

bool is_over_epoll(const composition& of) {
  return of.ring == "epoll_ring" || of.ring == "either_without_uring";
}

// One operation, which says what it was answered, and has something done then.
struct asked : iosubmit::operation {
  explicit asked(const ring_entry& what, std::function<void()> then = {}) noexcept
      : operation{what, &done}, next(std::move(then)) {}
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<asked&>(self);
    mine.result = result;
    ++mine.answers;
    if (mine.next) mine.next();
  }
  std::function<void()> next;
  std::int32_t result = 0;
  int answers = 0;
};

// A wake that has something done.
struct called : waker::wake_call {
  explicit called(std::function<void()> what) : wake_call(&came), then(std::move(what)) {}
  static void came(wake_call& self) { static_cast<called&>(self).then(); }
  std::function<void()> then;
};

violation timers_end_waits(const composition& which) {
  const auto loop = make_engine(which);
  any_timers& timers = loop->timers();
  int fired = 0, early = 0, cancelled = 0;
  const auto arm = [&](std::chrono::microseconds ahead) {
    const instant due = timers.deadline(ahead);
    return timers.at(due, boxed([&, due] {
                       ++fired;
                       early += monotonic_clock::now() < due ? 1 : 0;
                     }));
  };
  arm(300us), arm(1ms), arm(1ms);
  const timer::handle taken_back = timers.at(timers.deadline(500us), [&] { ++cancelled; });
  const timer::handle pushed_on = timers.at(timers.deadline(100us), [&] { ++fired; });
  const instant later = timers.deadline(2ms);
  timers.reschedule(pushed_on, later);
  if (!timers.cancel(taken_back)) return in_words("a timer that was armed could not be cancelled");

  if (!turns_until(*loop, [&] { return fired == 4; }))
    return in_words("of 4 timers ", fired, " ended a wait");
  if (early != 0 || monotonic_clock::now() < later) return in_words("a timer fired early");
  if (cancelled != 0 || timers.size() != 0) return in_words("a timer fired that was cancelled, or is left");
  return {};
}

// Each push after the one before was heard of: none may merge, so each has to end a wait by itself.
violation wakes_end_waits(const composition& which) {
  constexpr int pushes = 40;
  const auto loop = make_engine(which);
  std::atomic<int> heard{0};
  called woken{[&] { heard.fetch_add(1, std::memory_order_release); }};
  std::thread other{[&, to = loop->sender()] {
    for (int k = 0; k != pushes; ++k) {
      while (heard.load(std::memory_order_acquire) != k) std::this_thread::yield();
      to->push(woken);
    }
  }};
  const bool ended = turns_until(*loop, [&] { return heard.load(std::memory_order_relaxed) == pushes; });
  other.join();
  return ended ? violation{} : in_words("of ", pushes, " pushes ", heard.load(), " were heard");
}

// The call in which it waits, where that can be seen.
call wait_of(const composition& of) {
  if (of.ring == "none") return of.notifier == "eventfd_notifier" ? call::eventfd_wait : call::none;
  return is_over_epoll(of) || of.ring == "epoll_set" ? call::epoll_wait : call::uring_wait;
}

// Law C3: however long a round was, the wait behind it is to end at the next wakeup: as the kernel is told,
// which a signal has come back at once. A thread that loses its core between the clock and the call tells too
// much; so it counts whether any of some waits was right.
violation deadlines_are_points(const composition& which) {
  constexpr int attempts = 50;
  constexpr duration round{2'000'000}, late{500'000};
  const call waits = wait_of(which);
  if (waits == call::none) return {};
  const auto loop = make_engine(which);
  loop->timers().at(loop->timers().deadline(900ms), [] {});
  for (int k = 0; k != attempts; ++k) {
    const instant begun = monotonic_clock::now();
    loop->timers().at(begun, [&] {
      while (monotonic_clock::now() < begun + round) {
      }
    });
    seam::fail({.what = waits, .error = EINTR, .times = 1});
    seam::forget_wait();
    const bool has_waited = turns_until(*loop, [] { return seam::last_wait() != never; });
    seam::mend();
    if (!has_waited) return in_words("it never waits");
    if (seam::last_wait() <= loop->timers().next_wakeup() + late) return {};
  }
  return in_words("behind a round of ", round.ns, " ns each wait is to end too late, ", attempts, " times");
}

task reads(loop_executor& /*by*/, any_io& io, int descriptor, int times, std::atomic<int>& got, int& wrong) {
  std::array<std::byte, 8> bytes{};
  for (int k = 0; k != times; ++k) {
    const auto count = co_await iosubmit::awaiting(io, iosubmit::entries::read(descriptor, bytes));
    wrong += count && *count == 1 ? 0 : 1;
    got.fetch_add(1, std::memory_order_release);
  }
}

task writes(loop_executor& /*by*/, any_io& io, int descriptor, int times, int& wrong) {
  const std::array<std::byte, 1> bytes{};
  for (int k = 0; k != times; ++k) {
    const auto count = co_await iosubmit::awaiting(io, iosubmit::entries::write(descriptor, bytes));
    wrong += count && *count == 1 ? 0 : 1;
  }
}

// Both what another thread ends, and what the same loop does.
violation io_completes(const composition& which) {
  constexpr int times = 20;
  const pipe from_outside, around;
  const auto loop = make_engine(which);
  std::atomic<int> got{0}, got_around{0};
  int wrong = 0;
  reads(loop->tasks(), *loop->io(), from_outside.out(), times, got, wrong);
  std::thread other{[&] {
    for (int k = 0; k != times; ++k) {
      while (got.load(std::memory_order_acquire) != k) std::this_thread::yield();
      from_outside.put_byte();
    }
  }};
  bool ended = turns_until(*loop, [&] { return loop->tasks().live == 0; });
  other.join();
  reads(loop->tasks(), *loop->io(), around.out(), 1, got_around, wrong);
  writes(loop->tasks(), *loop->io(), around.in(), 1, wrong);
  ended = ended && turns_until(*loop, [&] { return loop->tasks().live == 0; });
  if (!ended || wrong != 0)
    return in_words("of ", times, " reads ", got.load(), " ended, ", wrong, " of them badly");
  // The timeout of a slice is answered, too.
  if (!turns_until(*loop, [&] { return loop->io()->in_flight() == 0; }))
    return in_words("something stays in flight");
  return {};
}

task waits_for_wake(loop_executor& /*by*/, event& never_woken, cancel_slot& slot, int& ended) {
  const auto woken = co_await never_woken.wait(slot);
  ended += !woken && woken.error() == std::errc::operation_canceled ? 1 : 0;
}
task sleeps_for_ever(loop_executor& /*by*/, any_timers& timers, cancel_slot& slot, int& ended) {
  const auto slept = co_await timer::sleep_until(timers, never, slot);
  ended += !slept && slept.error() == std::errc::operation_canceled ? 1 : 0;
}
task reads_nothing(loop_executor& /*by*/, any_io& io, int quiet, cancel_slot& slot, int& ended) {
  std::array<std::byte, 8> bytes{};
  const auto read = co_await iosubmit::awaiting(io, iosubmit::entries::read(quiet, bytes), slot);
  ended += !read && read.error() == std::errc::operation_canceled ? 1 : 0;
}
task requests(loop_executor& /*by*/, cancel_slot& slot) {
  slot.request();
  co_return;
}

// From which kind of callback a slot is requested.
enum class origin : std::uint8_t { task, timer, wake, answer };

void request_from(origin where, engine& loop, cancel_slot& slot, called& wake, asked& nothing) {
  switch (where) {
  case origin::task: return static_cast<void>(requests(loop.tasks(), slot));
  case origin::timer: loop.timers().at(loop.timers().deadline(200us), [&slot] { slot.request(); }); return;
  case origin::wake: loop.sender()->push(wake); return;
  case origin::answer: loop.io()->queue(nothing); return;
  }
}

// Each kind of wait, by a request from each kind of callback: each ends with the one error, in a turn.
violation each_wait_is_cancelled(const composition& which) {
  const pipe quiet;
  const auto loop = make_engine(which);
  const bool has_io = loop->io() != nullptr;
  const int waits = has_io ? 3 : 2;
  event never_woken{loop->channel()};
  for (const origin where : {origin::task, origin::timer, origin::wake, origin::answer}) {
    if (where == origin::answer && !has_io) continue;
    cancel_slot slot;
    int ended = 0;
    called wake{[&] { slot.request(); }};
    asked nothing{iosubmit::entries::nop(), [&] { slot.request(); }};
    waits_for_wake(loop->tasks(), never_woken, slot, ended);
    sleeps_for_ever(loop->tasks(), loop->timers(), slot, ended);
    if (has_io) reads_nothing(loop->tasks(), *loop->io(), quiet.out(), slot, ended);
    if (!turns_until(*loop, [&] { return !loop->tasks().has_ready(); }))
      return in_words("tasks are ready for ever");
    request_from(where, *loop, slot, wake, nothing);
    if (!turns_until(*loop, [&] { return loop->tasks().live == 0; }) || ended != waits)
      return in_words("of ", waits, " waits ", ended, " were cancelled, from callback ",
                      static_cast<int>(where));
  }
  return {};
}

task checks_until_due(loop_executor& by, int most, int& checks) {
  const instant limit = monotonic_clock::now() + ceil(10s);
  checks = 1;
  while (!by.preempt_word().is_due() && checks != most && monotonic_clock::now() < limit) ++checks;
  co_return;
}
task yields(loop_executor& by, int times, int& left) {
  for (int k = 0; k != times; ++k) {
    co_await preempt::yield_if_needed();
    co_await preempt::yield_now(by);
  }
  --left;
}

// After how many checks a source that knows no time is due; 0: after a millisecond.
int checks_until_due_of(std::string_view source) {
  if (source == "always_due") return 1;
  if (source == "scripted_source") return 3;
  if (source == "operation_budget") return 128;
  return 0;
}

violation slices_end(const composition& which) {
  constexpr int many = 100'000;
  constexpr duration nearly_quantum{980'000};
  const auto loop = make_engine(which);
  int checks = 0;
  const bool is_never = which.source == "never_due";
  const instant begun = monotonic_clock::now();
  checks_until_due(loop->tasks(), is_never ? many : 0, checks);
  if (!turns_until(*loop, [&] { return loop->tasks().live == 0; }))
    return in_words("a task did not come to its end");
  const duration length = monotonic_clock::now() - begun;
  const int wanted = is_never ? many : checks_until_due_of(which.source);
  if (wanted != 0 && checks != wanted)
    return in_words("the slice ended at check ", checks, " and not at ", wanted);
  if (wanted == 0 && length >= ceil(10s)) return in_words("the slice did not end in 10 s");
  if (wanted == 0 && which.source != "uring_source" && length < nearly_quantum)
    return in_words("a slice of 1 ms ended after ", length.ns, " ns");

  int left = 3;
  for (int k = 0; k != 3; ++k) yields(loop->tasks(), 50, left);
  if (!turns_until(*loop, [&] { return left == 0; }))
    return in_words(left, " of 3 tasks that yield did not end");
  return {};
}

// Law C6, by the calls that really were made.
violation idle_is_one_call(const composition& which) {
  const auto loop = make_engine(which);
  const auto tick = [&](std::chrono::milliseconds ahead) {
    loop->timers().at(loop->timers().deadline(ahead), [] {});
    return turns_until(*loop, [&] { return loop->timers().size() == 0; });
  };
  if (!tick(1ms)) return in_words("a timer did not end a wait");  // what was queued to attach has gone
  constexpr std::uint64_t rounds = 100, ticks = 20, now_and_then = 10;

  std::uint64_t before = seam::made();
  const instant begun = monotonic_clock::now();
  for (std::uint64_t k = 0; k != rounds; ++k) loop->turn(true);
  const std::uint64_t busy = seam::made() - before;
  // epoll tells nothing without being asked; a ring's flags do. A timer of slices may be armed each
  // millisecond, and answered.
  const std::uint64_t asked_for = is_over_epoll(which) ? rounds : 0;
  const std::uint64_t slices = 2 * (monotonic_clock::now() - begun).ns / 1'000'000;
  if (busy > asked_for + slices + now_and_then) return in_words(rounds, " busy rounds made ", busy, " calls");

  tick(1ms);  // the last slice's timer may end a wait still
  before = seam::made();
  for (std::uint64_t k = 0; k != ticks; ++k) tick(1ms);
  const std::uint64_t idle = seam::made() - before;
  if (idle > ticks + now_and_then) return in_words(ticks, " ticks made ", idle, " calls");
  return {};
}

// Law C6: an answer that pushes into its own channel wakes nobody, since the owner is awake.
violation nobody_signals_himself(const composition& which) {
  const kernel_time soon = kernel_time::of(duration{500'000});
  bool has_come = false;
  waker::push_result pushed{};
  called letter{[&] { has_come = true; }};
  std::unique_ptr<engine> loop;
  asked late{iosubmit::entries::timeout(soon), [&] { pushed = loop->sender()->push(letter); }};
  loop = make_engine(which);
  loop->io()->queue(late);
  if (!turns_until(*loop, [&] { return has_come; })) return in_words("what an answer pushed did not come");
  if (pushed != waker::push_result::queued) return in_words("an answer had to signal its own loop");
  return {};
}

task pushes_last(loop_executor& /*by*/, event& waited_for, cancel_slot& slot, engine& loop, called& last,
                 int& ended) {
  const auto woken = co_await waited_for.wait(slot);
  ended += woken ? 0 : 1;
  loop.sender()->push(last);
}
task tries_again(loop_executor& /*by*/, any_io& io, int quiet, cancel_slot& slot, int& ended) {
  std::array<std::byte, 8> bytes{};
  while (!slot.is_requested()) {
    const auto read = co_await iosubmit::awaiting(io, iosubmit::entries::read(quiet, bytes), slot);
    ended += read ? 0 : 1;
  }
}

violation an_end_loses_nothing(const composition& which) {
  const pipe quiet;
  std::array<std::byte, 8> bytes{};
  asked without_slot{iosubmit::entries::read(quiet.out(), bytes)};
  int ended = 0, heard = 0;
  called last{[&] { ++heard; }};
  {
    const auto loop = make_engine(which);
    cancel_slot all;
    event waited_for{loop->channel()};
    pushes_last(loop->tasks(), waited_for, all, *loop, last, ended);
    sleeps_for_ever(loop->tasks(), loop->timers(), all, ended);
    if (loop->io() != nullptr) {
      tries_again(loop->tasks(), *loop->io(), quiet.out(), all, ended);
      loop->io()->queue(without_slot);
    }
    if (!turns_until(*loop, [&] { return !loop->tasks().has_ready(); }))
      return in_words("tasks are ready for ever");
    const int waits = static_cast<int>(loop->tasks().live);

    loop->end(all, [&] { return loop->tasks().live == 0; });
    if (ended != waits) return in_words("of ", waits, " waits ", ended, " ended with an error");
    if (loop->io() != nullptr && without_slot.answers != 1) return in_words("an operation was not answered");
    if (heard != 1) return in_words("what was pushed last was heard ", heard, " times");
    if (loop->sender()->push(last) != waker::push_result::closed) return in_words("a late push was not told");
  }
  return heard == 1 ? violation{} : in_words("what was pushed too late was heard");
}

// Law C7: also from a loop that never waits.
violation what_is_queued_leaves(const composition& which) {
  asked first{iosubmit::entries::nop()};
  const auto loop = make_engine(which);
  loop->io()->queue(first);
  const instant limit = monotonic_clock::now() + ceil(10s);
  const bool ended =
      turns_until(*loop, [&] { return first.answers != 0 || monotonic_clock::now() > limit; }, true);
  if (!ended || first.answers != 1) return in_words("an operation did not leave in 10 s");
  return {};
}

}  // namespace

const std::vector<clause>& laws() {
  static const std::vector<clause> all{
      {"TimersEndWaits", &timers_end_waits},
      {"DeadlinesArePoints", &deadlines_are_points},
      {"WakesFromAnotherThreadEndWaits", &wakes_end_waits},
      {"IoCompletes", &io_completes, true},
      {"EachKindOfWaitIsCancelledFromEachKindOfCallback", &each_wait_is_cancelled},
      {"SlicesEnd", &slices_end},
      {"AnIdleRoundIsOneCallAndABusyOneNone", &idle_is_one_call},
      {"AnAnswerSignalsNotItsOwnLoop", &nobody_signals_himself, true},
      {"AnEndLosesNothing", &an_end_loses_nothing},
      {"WhatIsQueuedLeavesFromALoopThatIsNeverIdle", &what_is_queued_leaves, true},
  };
  return all;
}

}  // namespace pinion::scheduler::testing
