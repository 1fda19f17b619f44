// SPDX-License-Identifier: Apache-2.0
//
// What the ring of example 31 owes to those who copy it: it loses no answer where more is asked than it has
// room for, and no wake and no timer beside that.
#include <unistd.h>

#include <atomic>
#include <memory>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../31_wake_a_uring_loop.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

namespace {

struct nop : ring_answer {
  explicit nop(int& left) : ring_answer{&done}, left_(left) {}
  static void done(ring_answer& self, std::int32_t /*result*/) noexcept { --static_cast<nop&>(self).left_; }

 private:
  int& left_;
};

// One thread's: pushes again when the loop has seen the last one.
struct ping : waker::wake_call {
  ping() noexcept : wake_call(&came) {}
  static void came(wake_call& self) {
    auto& mine = static_cast<ping&>(self);
    mine.seen.store(mine.seen.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    mine.seen.notify_one();
  }
  std::atomic<int> seen{0};
};

}  // namespace

int main() {
  ::alarm(40);
  constexpr int each = 2'000;
  own_ring ring{8};
  if (ring.error != 0) {
    std::printf("Skipped: io_uring_queue_init: %s\n", std::strerror(ring.error));
    return 77;
  }
  timer::timer_queue<timer::call_wheel> timers;
  waker::default_channel channel;
  scheduler::turn loop{timers, channel, ring};
  std::array<ping, 2> pings;
  int ticks = 0, left = each;
  timer::timer_call tick{[](timer::timer_call& c) { ++*static_cast<int*>(c.context); }, &ticks};
  std::vector<std::unique_ptr<nop>> asked;
  std::vector<std::jthread> others;
  for (ping& mine : pings) {
    others.emplace_back([&mine, sender = channel.sender()] {
      for (int i = 0; i < each; ++i) {
        sender.push(mine);
        mine.seen.wait(i, std::memory_order_acquire);
      }
    });
  }
  for (int i = 0; i < each; ++i) {
    asked.push_back(std::make_unique<nop>(left));
    ring_entry entry = entries::nop();
    entry.user_data = user_data_of(*asked.back(), 0);
    while (!ring.put(entry)) loop();
  }
  ring.unwatch(own_ring::mark);  // as the kernel ends a watch whose completions find no room
  // One after the other, so that some of its waits are ended by a time alone.
  for (int wanted = 1; wanted <= 20; ++wanted) {
    timers.after(1ms, tick);
    while (ticks < wanted) loop();
  }
  while (left != 0 || pings[0].seen.load() < each || pings[1].seen.load() < each) loop();
  std::printf("%d answers, %d and %d wakes, %d ticks\n", each - left, pings[0].seen.load(),
              pings[1].seen.load(), ticks);
}
