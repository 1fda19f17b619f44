// SPDX-License-Identifier: Apache-2.0
//
// Who holds up my loop? A task that never checks can't be stopped. It can be told of twice: while it runs, by whoever ends slices,
// and when it is through, by the log, which knows what ran.
//
// The time is virtual: work() lets it pass, and asks the board meanwhile as the ticker's thread would. In a program it is
//
//   preempt::ticker_source source{preempt::ticker::shared(), {.after = ceil(2ms), .hook = {&still_runs, &logger}}};
#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <pinion/preempt.hpp>

namespace preempt = pinion::preempt;
using namespace std::chrono_literals;
using pinion::ceil;

unsigned us(pinion::duration length) { return static_cast<unsigned>(length.ns / 1'000); }

// One for each kind of work: the log tells of a slice by this address.
struct queue {
  const char* name;
  preempt::queue_slices slices{};
};

class loop {
 public:
  loop() {
    board_.add(slice_, {.after = ceil(2ms), .hook = {.function = &still_runs, .context = this}});
    log_.report_above(ceil(2ms), {.function = &has_run, .context = this});
  }
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;

  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return slice_.word(); }
  void yield(std::coroutine_handle<> where) noexcept { ready_.push_back({running_, where}); }
  preempt::slice_log& slices() noexcept { return log_; }
  void spawn(queue& in, std::coroutine_handle<> where) { ready_.push_back({&in, where}); }
  [[nodiscard]] unsigned now_us() const { return us(now_ - pinion::instant{0}); }

  void run() {
    while (!ready_.empty()) {
      const waiting next = ready_.front();
      ready_.pop_front();
      running_ = next.in;
      slice_.begin(now_ + ceil(1ms));
      log_.began(running_->slices, now_);
      tick_ = board_.tick(now_);
      next.where.resume();
      log_.ended(now_);
    }
    slice_.begin(pinion::never);
  }

  void work(pinion::duration length) {
    const pinion::instant end = now_ + length;
    while (now_ < end) {
      now_ = std::min(tick_, end);
      if (now_ == tick_) tick_ = board_.tick(now_);
    }
  }

 private:
  struct waiting {
    queue* in;
    std::coroutine_handle<> where;
  };

  // By the ticker, on its thread: which task that is, only its loop's thread knows for certain. Here they are one.
  static void still_runs(void* context, const preempt::stall& seen) noexcept {
    const auto& self = *static_cast<loop*>(context);
    std::printf("%5u us  %s runs on, %u us after the end of its slice\n", self.now_us(), self.running_->name,
                us(seen.length));
  }
  static void has_run(void* context, const preempt::stall& seen) noexcept {
    const auto& self = *static_cast<loop*>(context);
    std::printf("%5u us  %s has run for %u us\n", self.now_us(), self.running_->name, us(seen.length));
  }

  preempt::tick_board board_{ceil(100us)};
  preempt::ticked_slice slice_;
  preempt::slice_log log_;
  std::deque<waiting> ready_;
  queue* running_ = nullptr;
  pinion::instant now_{0}, tick_{0};
};

struct task {
  struct promise_type {
    promise_type(loop& on, queue& in, auto&&...) {
      on.spawn(in, std::coroutine_handle<promise_type>::from_promise(*this));
    }
    static task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

// 3 ms in units of 250 us, and a check after each.
task checks(loop& on, queue& in) {
  for (int unit = 0; unit < 12; ++unit) {
    on.work(ceil(250us));
    co_await preempt::yield_if_needed(on);
  }
  std::printf("%5u us  %s is done\n", on.now_us(), in.name);
}

// 7 ms at a stretch.
task never_checks(loop& on, queue& in) {
  on.work(ceil(7ms));
  std::printf("%5u us  %s is done\n", on.now_us(), in.name);
  co_return;
}

task says_hello(loop& on, queue& in) {
  std::printf("%5u us  %s: hello\n", on.now_us(), in.name);
  co_return;
}

int main() {
  loop on;
  queue batch{.name = "batch"}, report{.name = "report"}, request{.name = "request"};
  checks(on, batch);
  never_checks(on, report);
  says_hello(on, request);
  on.run();
}
