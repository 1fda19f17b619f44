// SPDX-License-Identifier: Apache-2.0
//
// Values from other threads: three workers look for primes and send what they found, piece by piece; one
// owner adds it up and sleeps while nothing is there. What is sent is a value of any type, moved into the
// inbox and out of it; each costs one allocation. An object that is woken often derives from wake_node
// instead, and costs none (43_echo_server_in_one_turn).
#include <cstdio>
#include <pinion/waker.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace waker = pinion::waker;

struct piece {
  int worker;
  std::vector<int> primes;
};
using results = waker::wake_channel<waker::value_inbox<piece>, waker::futex_notifier>;

bool is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

// A thread's: ten pieces of a thousand numbers. A push makes a system call only if the owner sleeps.
void search(int worker, const results::sender_type& owner) {
  for (int first = worker * 10'000; first != (worker + 1) * 10'000; first += 1'000) {
    piece found{.worker = worker, .primes = {}};
    for (int number = first; number != first + 1'000; ++number)
      if (is_prime(number)) found.primes.push_back(number);
    owner.push(std::move(found));
  }
}

int main() {
  results channel;
  waker::parker park{channel};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 3; ++worker) workers.emplace_back(search, worker, channel.sender());

  int pieces[3] = {};
  std::size_t primes = 0;
  const auto add = [&](piece&& came) { ++pieces[came.worker], primes += came.primes.size(); };
  while (pieces[0] + pieces[1] + pieces[2] < 30) {
    park(pinion::never);  // until something is there
    channel.drain(add);
  }
  for (std::thread& each : workers) each.join();
  std::printf("%d, %d and %d pieces: %zu primes below 30000\n", pieces[0], pieces[1], pieces[2], primes);

  // An owner that ends: a value that comes too late stays the sender's.
  channel.close([](piece&&) {});
  piece late{.worker = 0, .primes = {30'011}};
  if (channel.sender().push(std::move(late)) == waker::push_result::closed)
    std::printf("too late, and still the sender's: %d\n",
                late.primes.front());  // NOLINT(bugprone-use-after-move)
}
