// SPDX-License-Identifier: Apache-2.0
//
// The smallest program of tasks.
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <pinion/scheduler.hpp>

using namespace pinion::scheduler;

task<> hello() {
  co_await sleep_for(std::chrono::milliseconds{10});
  std::puts("hello");
}

int main() { pinion::scheduler::executor{}.run(hello()); }
