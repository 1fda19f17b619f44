// SPDX-License-Identifier: Apache-2.0
//
// A loop of one's own, and its test in virtual time. What it runs tries again after 1 s, 2 s, 4 s and so on
// up to every hour, as a client does whose server is gone. The test lets a day pass under each of five
// clocks, and looks whether two tries came closer to each other than they should.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <pinion/sim.hpp>
#include <pinion/timer.hpp>
#include <thread>
#include <utility>

using namespace pinion;
using namespace std::chrono_literals;

namespace {

template <class Clock>
class loop {
 public:
  using task = std::function<void()>;

  explicit loop(Clock clock = {}) : clock_(clock) {}

  void after(duration delay, task what) { timers_.schedule(now_ + delay, std::move(what)); }
  [[nodiscard]] instant now() const { return now_; }
  [[nodiscard]] instant next_wakeup() const { return timers_.next_wakeup(); }

  // One reading for the whole turn, taken after the wait, which may have ended early or late.
  void turn() {
    now_ = clock_.now();
    timers_.poll(now_, 64, [](timer::handle, instant, task&& what) { what(); });
  }

  // In production, loop<monotonic_clock>.
  void run() {
    while (next_wakeup() != never) {
      std::this_thread::sleep_for(ceil_to<std::chrono::nanoseconds>(next_wakeup() - clock_.now()));
      turn();
    }
  }

 private:
  Clock clock_;
  instant now_ = clock_.now();
  timer::deferred_wheel<task> timers_{now_};
};

// Tries, and tries again after twice as long.
struct retry {
  loop<sim::virtual_clock::view>& on;
  const sim::virtual_clock& clock;
  duration delay = ceil(1s);
  instant last = clock.time();
  int tries = 0;
  int too_soon = 0;

  void wait() {
    on.after(delay, [this] { attempt(); });
  }
  void attempt() {
    ++tries;
    if (clock.time() - last < delay) ++too_soon;
    last = clock.time();
    delay = std::min(delay * 2, ceil(1h));
    wait();
  }
};

// A day in which the clock does `trouble` at the end of each sleep.
void a_day(const char* name, void (*trouble)(sim::virtual_clock&, std::size_t sleep)) {
  sim::virtual_clock clock{instant{std::uint64_t{1} << 63}};
  loop<sim::virtual_clock::view> tested{clock};
  retry client{tested, clock};
  client.wait();

  std::size_t sleep = 0;
  sim::run_until(clock, clock.time() + ceil(24h), tested, [&] {
    trouble(clock, ++sleep);
    tested.turn();
  });

  std::printf("%s: %d tries, %d of them too soon\n", name, client.tries, client.too_soon);
}

}  // namespace

int main() {
  a_day("as it should be", [](sim::virtual_clock&, std::size_t) {});
  a_day("wakes late", [](sim::virtual_clock& clock, std::size_t) { clock.advance_by(ceil(2s)); });
  a_day("wakes early", [](sim::virtual_clock& clock, std::size_t sleep) {
    if (sleep % 2 != 0) clock.go_back_by(ceil(10ms));
  });
  a_day("is suspended", [](sim::virtual_clock& clock, std::size_t sleep) {
    if (sleep == 15) clock.advance_by(ceil(6h));
  });
  a_day("goes back", [](sim::virtual_clock& clock, std::size_t sleep) {
    if (sleep == 15) clock.go_back_by(ceil(5h));
  });
}
