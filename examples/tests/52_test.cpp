// SPDX-License-Identifier: Apache-2.0
//
// What the loop of example 52 owes to those who copy it: a task that becomes ready in the middle of another
// queue's slice runs in its own queue, as soon as that slice is over.
#include <unistd.h>

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../52_who_holds_up_my_loop.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

namespace {

unsigned begun_us = 0;
task begins_now(loop& on, queue&) {
  begun_us = on.now_us();
  co_return;
}

// 3 ms, as checks() is; after the first unit another queue has something to run.
task makes_ready(loop& on, queue& in) {
  for (int unit = 0; unit < 12; ++unit) {
    on.work(ceil(250us));
    if (unit == 0) begins_now(on, on.request);
    co_await preempt::yield_if_needed(in);
  }
}

}  // namespace

int main() {
  ::alarm(30);
  loop on;
  makes_ready(on, on.batch);
  checks(on, on.batch);  // stands before what is behind it in this queue, and in no other
  while (on.round()) {
  }
  std::printf("it ran after %u us, and all after %u us\n", begun_us, on.now_us());
  return begun_us == 1'000 && on.now_us() == 6'000 ? 0 : 1;
}
