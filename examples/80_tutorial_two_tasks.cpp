// SPDX-License-Identifier: Apache-2.0
//
// The tutorial, step 2: two tasks beside the one that spawns them, and what they give.
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <string>

using namespace pinion::scheduler;
using namespace std::chrono_literals;

task<std::string> greeting(std::string name, std::chrono::milliseconds thinks) {
  co_await sleep_for(thinks);
  co_return "hello, " + name;
}

task<> greets_two() {
  join_handle<std::string> ada = spawn(greeting("Ada", 20ms));
  join_handle<std::string> bob = spawn(greeting("Bob", 10ms));
  const std::string first = co_await ada, second = co_await bob;
  std::printf("%s\n%s\n", first.c_str(), second.c_str());
}

int main() { pinion::scheduler::executor{}.run(greets_two()); }
