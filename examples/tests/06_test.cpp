// SPDX-License-Identifier: Apache-2.0
//
// What example 06 owes to those who copy it, with its own timers and clock: a timer that is left runs,
// however the others ended. NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../06_io_context.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

static int failures = 0;
static void expect(bool holds, const char* what) {
  if (!holds) ++failures;
  std::printf("%s: %s\n", holds ? "ok" : "FAILED", what);
}

int main() {
  const auto begin = std::chrono::steady_clock::now();
  {
    asio::io_context context;
    timer_set timers;
    const pinion::asio::turn loop{context, timers};
    bool second_ran = false;
    timers.after(1ms, [] { throw 1; });
    timers.after(20ms, [&] { second_ran = true; });
    int thrown = 0;
    try {
      context.run();
    } catch (int) {
      ++thrown;
    }
    context.run_for(10s);
    expect(thrown == 1 && second_ran, "the timer after one that threw");
  }
  {
    asio::io_context context;
    timer_set timers;
    const pinion::asio::turn loop{context, timers};
    const pinion::timer::handle only = timers.after(30s, [] {});
    context.poll();
    timers.cancel(only);
    expect(context.run_for(10s) != 0 && context.stopped(), "a context whose only timer was cancelled ends");
  }
  {
    asio::io_context context;
    timer_set timers;
    const pinion::asio::turn loop{context, timers};
    bool ran = false;
    const pinion::timer::handle later = timers.after(30s, [&] { ran = true; });
    context.poll();
    timers.push_on(later, 0s);
    context.run_for(10s);
    expect(ran && context.stopped(), "a timer that was moved to an earlier time");
  }
  expect(std::chrono::steady_clock::now() - begin < 25s, "none of it waited");
  return failures == 0 ? 0 : 1;
}
