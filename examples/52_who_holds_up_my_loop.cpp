// SPDX-License-Identifier: Apache-2.0
//
// Who holds up my loop? A task that never checks can't be stopped. It can be told of twice: while it runs, by
// whoever ends slices, and when it is through, by the log, which knows what ran.
//
// The time is virtual: work() lets it pass, and ends slices and tells of a stall where a ticker's threads
// would. In a program it is
//
//   const preempt::stall_watch watch{.after = ceil(2ms), .hook = {&still_runs, &logger}};
//   preempt::ticker_source source{preempt::ticker::shared(), watch};
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <pinion/preempt.hpp>

namespace preempt = pinion::preempt;
using namespace std::chrono_literals;
using pinion::ceil;

unsigned us(pinion::duration length) { return static_cast<unsigned>(length.ns / 1'000); }

// The tasks of one kind of work, and what makes it an executor that they can yield on. The log tells of a
// slice by the address of its counts.
struct queue : pinion::run_queue {
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return word; }
  preempt::slice_log& slices() noexcept { return log; }

  const char* name;
  preempt::slice_word& word;
  preempt::slice_log& log;
  preempt::queue_slices counts{};
};

class loop {
 public:
  loop() { log_.report_above(ceil(2ms), {.function = &has_run, .context = this}); }
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;

  [[nodiscard]] unsigned now_us() const { return us(now_ - pinion::instant{0}); }

  // A slice of 1 ms for each queue that has something to run. False: none had.
  bool round() {
    bool any = false;
    for (queue* each : {&batch, &report, &request}) {
      if (!each->has_ready()) continue;
      any = true;
      in_ = each;
      end_ = now_ + ceil(1ms);
      word_.begin();
      log_.began(each->counts, now_);
      each->run([this] { return word_.is_due(); });
      log_.ended(now_);
    }
    return any;
  }

  void work(pinion::duration length) {
    const pinion::instant until = now_ + length;
    const pinion::instant late = end_ + watch_.after;
    if (now_ < late && late <= until) {
      now_ = late;
      watch_.hook({.length = now_ - end_, .lasts = true, .who = this});
    }
    now_ = until;
    if (end_ <= now_) word_.end_now();
  }

 private:
  // On a thread of the ticker's: which task that is, only its loop's thread knows for certain. Here they are
  // one.
  static void still_runs(void* context, const preempt::stall& seen) noexcept {
    const auto& self = *static_cast<loop*>(context);
    std::printf("%5u us  %s runs on, %u us after the end of its slice\n", self.now_us(), self.in_->name,
                us(seen.length));
  }
  static void has_run(void* context, const preempt::stall& seen) noexcept {
    const auto& self = *static_cast<loop*>(context);
    std::printf("%5u us  %s has run for %u us\n", self.now_us(), self.in_->name, us(seen.length));
  }

  preempt::slice_word word_;
  preempt::slice_log log_;
  preempt::stall_watch watch_{.after = ceil(2ms), .hook = {.function = &still_runs, .context = this}};
  queue* in_ = nullptr;
  pinion::instant now_{0}, end_{0};

 public:
  queue batch{{}, "batch", word_, log_}, report{{}, "report", word_, log_},
      request{{}, "request", word_, log_};
};

struct task {
  struct promise_type : pinion::runnable {
    promise_type(loop&, queue& in) noexcept {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      in.ready(*this);
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
    co_await preempt::yield_if_needed(in);
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
  checks(on, on.batch);
  never_checks(on, on.report);
  says_hello(on, on.request);
  while (on.round()) {
  }
}
