// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, and that a coroutine can be written with
// nothing else.
#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <mutex>
#include <ranges>
#include <string>
#include <system_error>
#include <vector>

import pinion.preempt;

namespace {

using namespace pinion::preempt;
using pinion::instant;

template <preempt_source Source>
class loop {
 public:
  [[nodiscard]] const word& preempt_word() const noexcept { return source.word(); }
  pinion::runnable& running() noexcept { return *running_; }
  void ready(pinion::runnable& task) noexcept { ready_.push(task); }
  slice_log& slices() noexcept { return log_; }

  void run() {
    while ((running_ = ready_.pop()) != nullptr) {
      ++turns;
      source.begin(instant{0}, instant{1});
      log_.began(counts, instant{0});
      running_->where.resume();
      log_.ended(instant{1});
    }
    source.rest();
  }

  Source source;
  queue_slices counts;
  std::size_t turns = 0;

 private:
  slice_log log_;
  pinion::ready_list ready_;
  pinion::runnable* running_ = nullptr;
};

template <class Loop>
struct task {
  struct promise_type {
    explicit promise_type(Loop& on, auto&...) : loop(on) {}
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
    Loop& executor() noexcept { return loop; }
    Loop& loop;
  };
  std::coroutine_handle<promise_type> handle;
};

using eager = loop<always_due>;
static_assert(yielding_executor<eager> && can_yield<task<eager>::promise_type>);

task<eager> every_form(eager& on, std::vector<int>& values) {
  co_await yield_if_needed(on);
  co_await yield_if_needed();
  co_await for_each(on, values, [](int& value) { ++value; });
  co_await for_each<2>(values, [](int& value) { ++value; });
  for (auto chunk : chunks<2>(values)) {
    for (int& value : chunk) value *= 10;
    co_await yield_if_needed(on);
  }
  auto pace = yield_every<2>(on);
  auto pace_here = yield_every<2>();
  for (int i = 0; i < 4; ++i) {
    co_await pace;
    co_await pace_here;
  }
  call_budget whole{100};
  call_budget part{whole, 1};
  for (int i = 0; i < 2; ++i) co_await part.spend(on);
  co_await part.spend();
  while_holding(no_yield{on}, [&] { values.push_back(checkpoint(on.preempt_word()) ? 1 : 0); });
}

TEST(preempt_module, EveryFormYieldsInACoroutine) {
  eager on;
  std::vector values{1, 2, 3};
  const auto one = every_form(on, values);
  pinion::runnable all;
  all.where = one.handle;
  on.ready(all);

  on.run();

  EXPECT_TRUE(one.handle.done());
  EXPECT_EQ(values, (std::vector{30, 40, 50, 1}));
  EXPECT_EQ(on.turns, 1U + 2U + 3U + 2U + 2U + 2U + 2U + 2U);
  one.handle.destroy();
}

TEST(preempt_module, TheTraitsOfGuardsAreExported) {
  static_assert(holds_off_yield<std::unique_lock<std::mutex>> && !holds_off_yield<int>);
  static_assert(may_yield_after<std::suspend_never>);

  EXPECT_TRUE(holds_off_yield<no_yield>);
}

TEST(preempt_module, PiecesMayBeKeptWhereTheRangeIsThere) {
  std::vector values{1, 2, 3};
  using of_a_name = decltype(chunks<2>(values));
  static_assert(std::ranges::borrowed_range<of_a_name>);
  static_assert(!std::ranges::borrowed_range<decltype(chunks<2>(std::vector<int>{}))>);

  EXPECT_EQ(of_a_name{chunks<2>(values)}.size(), 2U);
}

// A ring that is never entered.
struct no_ring {
  [[nodiscard]] static int descriptor() noexcept { return -1; }
  [[nodiscard]] static bool is_owner() noexcept { return true; }
  static bool queue(const pinion::ring_entry&, pinion::ring_answer&) noexcept { return false; }
};

TEST(preempt_module, EverySourceIsExportedWithItsOptions) {
  static_assert(preempt_source<never_due> && preempt_source<scripted_source> &&
                preempt_source<ticker_source> && preempt_source<posix_timer_source> &&
                preempt_source<uring_source<no_ring>> && preempt_source<tsc_budget>);
  static_assert(posix_timer_options{}.signal == 0 && uring_source_options{}.period == quantum_min * 100 &&
                uring_view{}.flags == nullptr && tsc_budget_options{}.checks_max == 1'024);
  static_assert(source_traits{operation_budget::traits}.counts);
  operation_budget budget{operation_budget_options{.operations = 2}};

  budget.begin(instant{0}, instant{1});

  EXPECT_FALSE(budget.spend(1));
  EXPECT_TRUE(budget.spend(1));
}

// A source of somebody else's: every other check is due.
class every_other : asking_word {
 public:
  static constexpr source_traits traits{.asks = true, .counts = true};
  every_other()
      : asking_word([](asking_word& self) noexcept {
          auto& mine = static_cast<every_other&>(self);
          return (++mine.asked_ & 1U) == 0;
        }) {}
  [[nodiscard]] const pinion::preempt::word& word() const noexcept { return *this; }
  static void begin(instant, instant) noexcept {}
  static void rest() noexcept {}

 private:
  unsigned asked_ = 0;
};

TEST(preempt_module, WordsForSourcesOfOnesOwnAreExported) {
  static_assert(preempt_source<every_other>);
  const every_other source;
  slice_word word;

  EXPECT_FALSE(source.word().is_due());
  EXPECT_TRUE(source.word().is_due());
  word.begin();
  EXPECT_FALSE(word.is_due());
  word.end_now();
  EXPECT_TRUE(word.is_due());
}

TEST(preempt_module, StallsAreToldOf) {
  stall seen;
  const stall_watch watch{
      .after = quantum_max,
      .hook = stall_hook{
          .function = [](void* to, const stall& what) noexcept { *static_cast<stall*>(to) = what; },
          .context = &seen}};
  slice_log log;
  queue_slices slices;
  log.report_above(watch.after, watch.hook);

  log.began(slices, instant{0});
  log.ended(instant{0} + quantum_max * 2);

  EXPECT_EQ(seen.length, quantum_max * 2);
  EXPECT_EQ(seen.who, &slices);
}

TEST(preempt_module, TheRuleAndTheLogAreExported) {
  slice_rule rule;
  const auto queue = rule.add(queue_terms{.quantum = pinion::duration{2'000'000}});
  ASSERT_TRUE(queue.has_value());
  queue_slices counts;

  counts.add(pinion::duration{100});

  EXPECT_EQ(rule.add({.quantum = quantum_max * 2}).error().code, std::errc::invalid_argument);
  EXPECT_EQ(rule.end_of(*queue, slice_state{.now = instant{1}, .others_ready = true}), instant{2'000'001});
  EXPECT_EQ(counts.longest, pinion::duration{100});
  EXPECT_FALSE(to_string(counts).empty());
}

TEST(preempt_module, TheDefaultSourceAndItsThreadAreExported) {
  ticker own{ticker_options{}};
  ticker_source source{own};

  static_assert(preempt_source<default_source>);
  EXPECT_EQ(own.wakes(), 0U);
  EXPECT_FALSE(source.word().is_due());
}

}  // namespace
