// SPDX-License-Identifier: Apache-2.0
//
// Each system call of a turn fails, once and for ever, with each errno that the kernel has for it
// (faults.cpp): the loop goes on, what was accepted is answered once, what lasts is reported or is the
// answer, and nothing spins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <pinion/base/diagnostic.hpp>
#include <string>
#include <thread>
#include <vector>

#include "faults.hpp"
#include "pipe.hpp"
#include "violation.hpp"
#include "watchdog.hpp"

namespace pinion::scheduler::testing {
namespace {

using namespace std::chrono_literals;
using pinion::testing::in_words;
using pinion::testing::violation;

struct fault_case {
  composition which;
  faulty how;
  bool lasts;
  friend std::string to_string(const fault_case& of) {
    return std::string{of.how.name}
        .append(of.lasts ? " for ever" : " once")
        .append(of.how.from_the_start ? " from the start" : "")
        .append(" to ")
        .append(to_string(of.how.what))
        .append(" of ")
        .append(to_string(of.which));
  }
  friend void PrintTo(const fault_case& of, std::ostream* into) { *into << to_string(of); }
};

std::atomic<int> reports{0};

// What is asked of a loop while something fails. All but `heard` is the owner's.
struct work {
  struct letter : waker::wake_call {
    explicit letter(std::atomic<int>& count) noexcept
        : wake_call([](wake_call& self) {
            static_cast<letter&>(self).heard.fetch_add(1, std::memory_order_release);
          }),
          heard(count) {}
    std::atomic<int>& heard;
  };

  std::atomic<int> heard{0};
  letter node{heard};
  pipe bytes, quiet;
  cancel_slot all;
  bool sleeps = true, reads = true;
  int slept = 0, read = 0, refused = 0;
};

task sleeps(loop_executor& /*by*/, any_timers& timers, work& of) {
  while (of.sleeps) {
    co_await timer::sleep_for(timers, 300us);
    ++of.slept;
  }
}

// Gives way after an error, or it would be the one that spins.
task reads(loop_executor& /*by*/, any_timers& timers, any_io& io, work& of) {
  std::array<std::byte, 64> into{};
  while (of.reads) {
    const auto count = co_await iosubmit::awaiting(io, iosubmit::entries::read(of.bytes.out(), into), of.all);
    if (count) {
      of.read += static_cast<int>(*count);
    } else {
      ++of.refused;
      co_await timer::sleep_for(timers, 300us);
    }
  }
}

// What begins while something fails already.
task reads_once(loop_executor& /*by*/, any_io& io, work& of) {
  std::array<std::byte, 64> into{};
  const auto count = co_await iosubmit::awaiting(io, iosubmit::entries::read(of.quiet.out(), into), of.all);
  of.refused += count ? 0 : 1;
}

// Another thread, which pushes and writes a byte when it was heard.
class sender {
 public:
  sender(work& of, const engine& loop) : thread_([this, &of, to = loop.sender()] { run(of, *to); }) {}
  sender(const sender&) = delete;
  sender& operator=(const sender&) = delete;
  ~sender() { stop(); }
  /// How often it has pushed.
  int stop() {
    is_over_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) thread_.join();
    return pushed_;
  }

 private:
  void run(work& of, const any_sender& to) {
    while (!is_over_.load(std::memory_order_relaxed)) {
      if (of.heard.load(std::memory_order_acquire) != pushed_) {
        std::this_thread::yield();
        continue;
      }
      ++pushed_;
      of.bytes.put_byte();
      to.push(of.node);
    }
  }

  std::atomic<bool> is_over_{false};
  int pushed_ = 0;
  std::thread thread_;
};

// Calls of the owner's thread, against what it had to do: so many for what is tried again each millisecond,
// for a wake with its read, for each time that it slept, and for each fault that ends a wait.
class spin_check {
 public:
  spin_check(const work& of, const faulty& how)
      : of_(of), how_(how), heard_(of.heard.load(std::memory_order_relaxed)), slept_(of.slept),
        refused_(of.refused) {}
  [[nodiscard]] violation result() const {
    const auto calls = static_cast<int>(seam::made() - before_);
    const auto ms = static_cast<int>((monotonic_clock::now() - begun_).ns / 1'000'000);
    const int done =
        of_.heard.load(std::memory_order_relaxed) - heard_ + of_.slept - slept_ + of_.refused - refused_;
    const int allowed = 100 + 5 * ms + 10 * done + (how_.times == fault::always ? 0 : 4 * how_.times);
    if (calls <= allowed) return {};
    return in_words("it spins: ", calls, " calls in ", ms, " ms, for ", done, " ends of waits");
  }

 private:
  const work& of_;
  const faulty& how_;
  int heard_, slept_, refused_;
  std::uint64_t before_ = seam::made();
  instant begun_ = monotonic_clock::now();
};

// Until so much more was heard, or slept; the reads go along.
violation goes_on(engine& loop, work& of, int heard, int slept) {
  const int heard_then = of.heard.load(std::memory_order_relaxed) + heard, slept_then = of.slept + slept;
  const instant limit = monotonic_clock::now() + ceil(20s);
  while (of.heard.load(std::memory_order_relaxed) < heard_then || of.slept < slept_then) {
    if (monotonic_clock::now() > limit)
      return in_words("in 20 s ", heard_then - of.heard.load(), " wakes and ", slept_then - of.slept,
                      " timers did not come");
    loop.turn();
  }
  return {};
}

// Whether a wake ends no wait, while it lasts or afterwards.
bool is_deaf_to(const fault_case& asked) {
  if (asked.how.then == outcome::ends_watches) return !asked.lasts;
  return asked.how.then == outcome::is_deaf && (asked.lasts || asked.how.from_the_start);
}

violation under_fault(engine& loop, work& of, const fault_case& asked) {
  const spin_check calls{of, asked.how};
  if (violation what = goes_on(loop, of, 5, 5)) return what;
  if (violation what = calls.result()) return what;
  if (is_deaf_to(asked)) return {};
  // And with nothing but wakes to go on for.
  of.sleeps = false;
  const spin_check quiet{of, asked.how};
  if (violation what = goes_on(loop, of, 5, 0)) return what;
  return quiet.result();
}

violation ends(engine& loop, work& of, sender& other) {
  of.sleeps = of.reads = false;
  loop.end(of.all, [&] { return loop.tasks().live == 0; });
  const int pushed = other.stop();
  const int left = of.bytes.size();
  const bool is_read = loop.io() != nullptr;
  if (is_read && of.read + left != pushed)
    return in_words("of ", pushed, " bytes ", of.read, " were read, ", left, " are left");
  if (is_read && loop.io()->in_flight() != 0) return in_words("something stays in flight");
  // The sender may have been told `closed`, once.
  const int heard = of.heard.load(std::memory_order_relaxed);
  if (heard != pushed && heard + 1 != pushed) return in_words("of ", pushed, " wakes ", heard, " were heard");
  return {};
}

class FaultsTest : public ::testing::TestWithParam<fault_case> {
 protected:
  static void SetUpTestSuite() {
    watched = std::make_unique<watchdog>(std::chrono::seconds{60},
                                         [] { return to_string(*now_in.load(std::memory_order_acquire)); });
  }
  static void TearDownTestSuite() { watched.reset(); }
  void SetUp() override {
    now_in.store(&GetParam(), std::memory_order_release);
    watched->progress();
    seam::mend();
    reports.store(0);
    set_diagnostic_sink([](const diagnostic&) noexcept { reports.fetch_add(1); });
  }
  void TearDown() override {
    seam::mend();
    set_diagnostic_sink(nullptr);
  }

  static inline std::unique_ptr<watchdog> watched;
  static inline std::atomic<const fault_case*> now_in{nullptr};
};

TEST_P(FaultsTest, TheLoopGoesOnAndLosesNothing) {
  const fault_case& asked = GetParam();
  if (!why_not_here(asked.which).empty()) GTEST_SKIP() << why_not_here(asked.which);
  const fault how{
      .what = asked.how.what, .error = asked.how.error, .times = asked.lasts ? asked.how.times : 1};
  violation what, at_the_end;
  int met = 0, reported = 0, refused = 0;
  // A call that depends on who sleeps when may not be made on a busy machine, and is waited for once more.
  for (int attempts = 0; attempts != 20 && met == 0 && !what && !at_the_end; ++attempts) {
    if (asked.how.from_the_start) seam::fail(how);
    work of;
    const std::unique_ptr<engine> loop = make_engine(asked.which);
    sleeps(loop->tasks(), loop->timers(), of);
    if (loop->io() != nullptr) reads(loop->tasks(), loop->timers(), *loop->io(), of);
    sender other{of, *loop};
    if (!asked.how.from_the_start) {
      what = goes_on(*loop, of, 2, 2);
      seam::fail(how);
      if (loop->io() != nullptr) reads_once(loop->tasks(), *loop->io(), of);
    }

    if (!what) what = under_fault(*loop, of, asked);
    met = seam::met();
    reported = reports.load();
    refused = of.refused;
    seam::mend();
    at_the_end = ends(*loop, of, other);
  }

  EXPECT_FALSE(what) << what.what();
  EXPECT_FALSE(at_the_end) << at_the_end.what();
  EXPECT_GT(met, 0) << "the fault was not met";
  const bool is_told = asked.how.then != outcome::passes && asked.how.then != outcome::is_answer;
  EXPECT_TRUE(reported > 0 || !asked.lasts || !is_told) << "it was not reported";
  EXPECT_TRUE(reported == 0 || asked.how.then != outcome::passes) << "it was reported, though it passes";
  EXPECT_TRUE(refused > 0 || asked.how.then != outcome::is_answer) << "it was nobody's answer";
}

std::vector<fault_case> cases() {
  std::vector<fault_case> all;
  for (const faulty& how : faults())
    for (const composition& which : compositions_that_make(how.what))
      for (const bool lasts : {false, true}) all.push_back({which, how, lasts});
  return all;
}

std::string name_of(const ::testing::TestParamInfo<fault_case>& of) {
  std::string name = to_string(of.param);
  std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Real, FaultsTest, ::testing::ValuesIn(cases()), &name_of);

}  // namespace
}  // namespace pinion::scheduler::testing
