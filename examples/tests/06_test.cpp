// SPDX-License-Identifier: Apache-2.0
//
// What the adaptor of example 06 owes to those who copy it: a timer that is left runs, however the others ended.
// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
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
    wheel_in_context timers{context};
    bool second_ran = false;
    timers.after(1ms, [] { throw 1; });
    timers.after(20ms, [&] { second_ran = true; });
    int thrown = 0;
    try {
      context.run();
    } catch (int) {
      ++thrown;
    }
    context.run();
    expect(thrown == 1 && second_ran, "the timer after one that threw");
  }
  {
    asio::io_context context;
    wheel_in_context timers{context};
    const timer::handle only = timers.after(30s, [] {});
    timers.cancel(only);
    expect(context.run_for(10s) != 0 && context.stopped(), "a context whose only timer was cancelled ends");
  }
  {
    asio::io_context context;
    wheel_in_context timers{context};
    bool ran = false;
    const timer::handle later = timers.after(30s, [&] { ran = true; });
    timers.push_on(later, 0s);
    context.run_one_for(10s);
    context.run_one_for(10s);
    expect(ran, "a timer that was moved to an earlier time");
  }
  expect(std::chrono::steady_clock::now() - begin < 25s, "none of it waited");
  return failures == 0 ? 0 : 1;
}
