// SPDX-License-Identifier: Apache-2.0
//
// What all workloads of wakes have in common: the interface of who is measured, what is sent, and how threads
// wait for each other outside of what is measured.
//
// A contestant is a way from any thread to one owner, behind some twenty lines (contestants.hpp, peers/,
// trial/):
//
//   using item = …;                                     // has `payload`, what is sent, and `number`, which of its sender's it is
//   explicit contestant(std::size_t items_max);         // how many items there are, of all senders
//   explicit contestant::sender(contestant&);           // one for each thread that sends
//   void sender::push(item&);                           // the item is the caller's, and is not touched until it was drained
//   template <class Run> std::size_t drain(Run run);    // the owner, busy: calls run(item&) with what is there; how many
//
// and, where it knows how to sleep:
//
//   template <class Run> void park(Run run);            // the owner: sleeps until there may be something; may run it, too
//
// and, where senders' items have to be known before, or come in another order than a thread pushed them:
//
//   void enlist(item&);
//   static constexpr bool keeps_order = false;
//
// Everybody sends an object of the sender's, as a wake is one: what is pushed is its address, and the owner
// reads what the sender has written there. Items lie on lines of their own.
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/cores.hpp>
#include <bench/program/program.hpp>
#include <bench/program/random_numbers.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pinion/base/sync.hpp>
#include <thread>
#include <vector>

namespace pinion::waker::bench {

using pinion::bench::measured;
using pinion::bench::on_core;
using pinion::bench::random_numbers;
using pinion::bench::stopwatch;
using pinion::bench::usable_cores;

/// What those send who link nothing of their own into it.
struct alignas(64) plain_item {
  std::uint64_t payload = 0;
  std::size_t number = 0;
};

/// Items for this contestant, numbered from `first` on.
template <class Contestant>
std::vector<typename Contestant::item> make_items(Contestant& contestant, std::size_t count,
                                                  std::size_t first = 0) {
  std::vector<typename Contestant::item> items(count);
  for (std::size_t k = 0; k < count; ++k) {
    items[k].number = first + k;
    if constexpr (requires { contestant.enlist(items[k]); }) contestant.enlist(items[k]);
  }
  return items;
}

/// Whether what one thread pushed comes in that order.
template <class Contestant>
inline constexpr bool keeps_order = true;
template <class Contestant>
  requires requires { Contestant::keeps_order; }
inline constexpr bool keeps_order<Contestant> = Contestant::keeps_order;

/// Ends the program: a benchmark that waits for ever would tell nobody why.
[[noreturn]] inline void give_up(const char* what) {
  std::fprintf(stderr, "waited too long for %s: a wake was lost, or the machine is far too busy\n", what);
  std::_Exit(3);
}

/// A place in a loop that waits for another thread: cheap at first, then it gives the core away, as there may
/// be more threads than cores; and at last it gives up.
class patience {
 public:
  explicit patience(const char* what) noexcept : what_(what) {}
  void look_again() {
    if (++looks_ < looks_on_core) {
      std_sync::pause();
      return;
    }
    if (looks_ > looks_max) give_up(what_);
    std::this_thread::yield();
  }
  /// What was waited for has come.
  void renew() noexcept { looks_ = 0; }

 private:
  static constexpr std::uint64_t looks_on_core = 256;
  static constexpr std::uint64_t looks_max = 50'000'000;
  const char* what_;
  std::uint64_t looks_ = 0;
};

template <class Condition>
void wait_until(const char* what, Condition condition) {
  for (patience waiting{what}; !condition();) waiting.look_again();
}

/// Who sent what, in one number.
inline std::uint64_t stamped(std::size_t sender, std::uint64_t sequence) noexcept {
  return std::uint64_t{sender} << 40 | sequence;
}

/// Wall time since `begun`.
inline double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace pinion::waker::bench
