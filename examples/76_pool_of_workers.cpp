// SPDX-License-Identifier: Apache-2.0
//
// A pool of workers, an executor for each processor: each counts the primes in its ranges, main's task
// adds what they found. A worker that looks for primes looks at its word, too, and so gives way in time.
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <pinion/preempt/yield_if_needed.hpp>
#include <pinion/scheduler.hpp>
#include <system_error>
#include <vector>

using namespace pinion::scheduler;

constexpr int ranges = 50;
constexpr int range_size = 10'000;

bool is_prime(int number) {
  for (int by = 2; by * by <= number; ++by)
    if (number % by == 0) return false;
  return number >= 2;
}

task<int> counts_primes(int from) {
  int found = 0;
  for (int number = from; number != from + range_size; ++number) {
    if (is_prime(number)) ++found;
    co_await pinion::preempt::yield_if_needed();
  }
  co_return found;
}

task<int> asks(const remote_executor& worker, int from) {
  const auto found = co_await spawn_on(worker, [from] { return counts_primes(from); });
  if (!found) throw std::system_error{found.error()};
  co_return *found;
}

task<int> asks_all(const executor_pool& pool) {
  std::vector<join_handle<int>> asked;
  for (std::size_t range = 0; range != ranges; ++range)
    asked.push_back(spawn(asks(pool[range % pool.size()], static_cast<int>(range) * range_size)));
  int found = 0;
  for (auto& each : asked) found += co_await each;
  co_return found;
}

int main() {
  const executor_pool pool;
  std::printf("%d primes below %d\n", block_on(asks_all(pool)), ranges * range_size);
}
