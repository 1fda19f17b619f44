// SPDX-License-Identifier: Apache-2.0
//
// The samples of use that headers of preempt's forms open with, word for word, and what each claims.
#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <pinion/preempt.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "turn_loop.hpp"

namespace pinion {
namespace {

struct my_lock {
  struct guard {
    explicit guard(int& of) : held(&of) { ++of; }
    guard(guard&& other) noexcept : held(std::exchange(other.held, nullptr)) {}
    ~guard() {
      if (held != nullptr) --*held;
    }
    int* held;
  };
  struct taking : std::suspend_never {
    int& held;
    explicit taking(int& of) : held(of) {}
    [[nodiscard]] guard await_resume() const { return guard{held}; }
  };
};

}  // namespace
}  // namespace pinion

using pinion::my_lock;

template <>
inline constexpr bool pinion::preempt::holds_off_yield<my_lock::guard> = true;

namespace pinion {
namespace {

template <class = void>
using task = preempt::testing::task;
using preempt::testing::turn_loop;
using namespace std::chrono_literals;

// Runs a coroutine that is due at each check; how many turns it took.
template <class Body>
std::size_t turns_of(Body body) {
  preempt::always_due source;
  turn_loop executor{source};
  task<> one = body(executor);
  executor.spawn(one);
  executor.run();
  EXPECT_TRUE(one.is_done());
  one.rethrow();
  return executor.turns;
}

struct block {
  int number;
};
std::vector<int> hashed;
void hash(const block& what) { hashed.push_back(what.number); }
bool parse(std::string_view line) { return !line.empty(); }
std::vector<int> worked;
void work(int row) { worked.push_back(row); }

task<> answer(std::span<const int> rows, preempt::call_budget& whole) {
  preempt::call_budget part{whole, 32};  // 32 between two yields, and not more than is left of the whole
  for (int row : rows) {
    co_await part.spend(2);  // by promise.executor()
    work(row);
  }
}

task<> hash_all(auto& executor, std::span<const block> blocks) {
  for (const block& each : blocks) {
    hash(each);
    co_await preempt::yield_if_needed(executor);  // goes on at once, unless it is due
  }
  co_await preempt::yield_if_needed();  // the same, by promise.executor()
}

TEST(FormSamplesTest, ALoopOfATaskGivesWayWhereItIsDue) {
  hashed.clear();
  const std::vector<block> blocks{{1}, {2}};
  const std::size_t turns =
      turns_of([&](turn_loop& executor) -> task<> { return hash_all(executor, blocks); });

  EXPECT_EQ(hashed, (std::vector{1, 2}));
  EXPECT_EQ(turns, 1U + 2U + 1U);
}

TEST(FormSamplesTest, APaceLooksEachSoManyTimes) {
  const std::vector<int> values(128, 1);
  int sum = 0;
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    auto pace = preempt::yield_every<64>(executor);  // looks each 64th time: for bodies of some nanoseconds
    for (int value : values) {
      sum += value;
      co_await pace;
    }
    auto here = preempt::yield_every<64>();  // the same, by promise.executor()
    for (int value : values) {
      sum += value;
      co_await here;
    }
  });

  EXPECT_EQ(sum, 256);
  EXPECT_EQ(turns, 1U + 2U + 2U);
}

struct node {
  int number;
  const node* next;
};
void visit(const node& at) { worked.push_back(at.number); }

bool walk(const node*& at, const preempt::word& word) {  // can't yield: it unwinds, and is called again
  while (at != nullptr) {
    visit(*at);
    at = at->next;
    if (preempt::checkpoint(word)) return false;  // after some work, or it would never end
  }
  return true;
}

TEST(FormSamplesTest, APlainFunctionUnwindsWhereItIsDueAndGoesOnWhereItWas) {
  worked.clear();
  const node third{3, nullptr}, second{2, &third}, first{1, &second};
  const node* at = &first;
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    while (!walk(at, executor.preempt_word())) co_await preempt::yield_now(executor);
  });

  EXPECT_EQ(worked, (std::vector{1, 2, 3}));
  EXPECT_EQ(turns, 1U + 3U);
}

struct my_loop {
  runnable& running() noexcept { return *running_; }
  void ready(runnable& task) noexcept { ready_.push(task); }
  const preempt::word& preempt_word() const noexcept { return slices_.word(); }
  preempt::slice_log& slices() noexcept { return slices_.log(); }
  bool turn(instant now) {  // runs one task
    running_ = ready_.pop();
    if (running_ == nullptr) return false;
    slices_.begin(queue_, {.now = now, .others_ready = !ready_.empty()});
    running_->where.resume();
    slices_.end(monotonic_clock::now());
    return true;
  }
  ready_list ready_;
  runnable* running_ = nullptr;
  preempt::slicer<> slices_;
  preempt::slicer<>::queue queue_ = *slices_.add({.quantum = ceil(1ms)});
};
static_assert(preempt::yielding_executor<my_loop>);

// Begins in an executor's turn, and goes at its end.
struct in_my_loop {
  struct promise_type : runnable {
    explicit promise_type(my_loop& loop, const auto&...) : on(loop) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      loop.ready(*this);
    }
    static in_my_loop get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    [[nodiscard]] my_loop& executor() const noexcept { return on; }
    my_loop& on;
  };
};

in_my_loop spins(my_loop& loop, int& checks) {
  while (checks != -1) {
    ++checks;
    co_await preempt::yield_if_needed(loop);
  }
}
in_my_loop stops(my_loop& /*loop*/, int& checks) {
  co_await preempt::yield_if_needed();
  checks = -1;
}

TEST(FormSamplesTest, AnExecutorEndsATurnOfATaskThatSpins) {
  my_loop loop;
  int checks = 0;
  spins(loop, checks);
  stops(loop, checks);
  int turns = 0;

  while (loop.turn(monotonic_clock::now())) ++turns;

  EXPECT_EQ(checks, -1) << "the other task came to run";
  EXPECT_GE(turns, 3);
}

struct request {
  std::vector<int> rows;
};
struct connection {
  std::vector<request> requests;
  std::size_t at = 0;
  const request* read() { return at == requests.size() ? nullptr : &requests[at++]; }
};

TEST(FormSamplesTest, ABudgetIsSpentByATaskAndByWhatItCalls) {
  worked.clear();
  connection from{{{{1, 2}}, {std::vector<int>(40)}}};
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    preempt::call_budget budget{256};
    while (const request* next = from.read()) {  // that is always ready
      co_await budget.spend(executor);           // one unit; lets others run first, if none is left
      co_await answer(next->rows, budget);
    }
  });

  EXPECT_EQ(worked.size(), 42U);
  EXPECT_EQ(turns, 1U + 2U) << "40 rows of 2 units, by 32";
}

bool walk(std::span<const int>& rest,
          preempt::call_budget& budget) {  // a plain function unwinds, and is called again
  for (; !rest.empty(); rest = rest.subspan(1)) {
    if (!budget.try_spend()) return false;
    work(rest.front());
  }
  return true;
}

TEST(FormSamplesTest, APlainFunctionUnwindsWhereTheBudgetIsSpent) {
  worked.clear();
  const std::vector<int> rows(10);
  std::span<const int> rest{rows};
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    preempt::call_budget budget{4};
    while (!walk(rest, budget)) co_await budget.spend(executor, 0);  // once there is something to spend
  });

  EXPECT_EQ(worked.size(), 10U);
  EXPECT_EQ(turns, 3U);
}

TEST(FormSamplesTest, ALoopOverChunksChecksBetweenThem) {
  std::vector<int> values(3'000, 1);
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    for (auto chunk : preempt::chunks<1024>(values)) {  // std::span where the range is contiguous
      for (int& value : chunk) value *= 3;  // as fast as without checks: the compiler may vectorise it
      co_await preempt::yield_if_needed(executor);
    }
  });

  EXPECT_EQ(values, std::vector<int>(3'000, 3));
  EXPECT_EQ(turns, 4U);
}

TEST(FormSamplesTest, ForEachVisitsEveryElement) {
  hashed.clear();
  const std::vector<block> blocks{{1}, {2}};
  const std::vector<int> values(128, 1);
  int sum = 0;
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    co_await preempt::for_each(executor, blocks, [&](const block& each) { hash(each); });
    co_await preempt::for_each<64>(executor, values,
                                   [&](int value) { sum += value; });  // looks before each 64th
    co_await preempt::for_each(blocks, hash);                          // by promise.executor()
  });

  EXPECT_EQ(hashed, (std::vector{1, 2, 1, 2}));
  EXPECT_EQ(sum, 128);
  EXPECT_EQ(turns, 1U + 2U + 2U + 2U);
}

TEST(FormSamplesTest, ForEachEndsWhereItsFunctionSaysFalse) {
  const std::vector<std::string_view> lines{"a", "", "b"};
  bool is_all = false;
  const std::size_t turns = turns_of([&](turn_loop& executor) -> task<> {
    // Where the function returns bool, false is enough: nothing more is visited, and false comes out.
    const bool all =
        co_await preempt::for_each(executor, lines, [&](std::string_view line) { return parse(line); });
    if (!all) co_return;
    is_all = true;
  });

  EXPECT_FALSE(is_all);
  EXPECT_EQ(turns, 3U);
}

struct locked_table {
  std::vector<int> rows;
  int held = 0;
  int held_at_insert = 0;
  my_lock::taking lock() { return my_lock::taking{held}; }
  void insert(int row) {
    rows.push_back(row);
    held_at_insert = held;
  }
};

TEST(FormSamplesTest, ALockIsHeldByAPlainFunctionAlone) {
  locked_table table;
  const int row = 7;
  turns_of([&](turn_loop&) -> task<> {
    preempt::while_holding(co_await table.lock(), [&] { table.insert(row); });  // no coroutine
  });

  static_assert(!preempt::may_yield_after<decltype(table.lock())>);  // for an executor to ask
  EXPECT_EQ(table.rows, std::vector{7});
  EXPECT_EQ(table.held_at_insert, 1);
  EXPECT_EQ(table.held, 0);
}

TEST(FormSamplesTest, AGuardOfNoTypeHoldsOffYields) {
  preempt::never_due source;
  turn_loop executor{source};
  {
    // for what no type tells: a check in its life is a broken contract, which a checked build reports
    preempt::no_yield hold{executor};
    EXPECT_EQ(executor.slices().is_held(), is_checked);
  }

  EXPECT_FALSE(executor.slices().is_held());
}

TEST(FormSamplesTest, ALoopThatLooksAtTheWordEndsWhereItIsDue) {
  preempt::operation_budget source{{.operations = 3}};
  turn_loop executor{source};
  source.begin(instant{0}, instant{1});
  int left = 10;
  const auto more = [&] { return left != 0; };
  const auto work = [&] { --left; };

  const preempt::word& word = executor.preempt_word();
  while (more()) {
    work();
    if (word.is_due()) break;  // or, in a coroutine: co_await yield_if_needed(executor)
  }

  EXPECT_EQ(left, 7);
}

}  // namespace
}  // namespace pinion
