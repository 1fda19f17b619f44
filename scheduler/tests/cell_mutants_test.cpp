// SPDX-License-Identifier: Apache-2.0
//
// A slice loop with the faults that one invites where queues are borrowed. Each is caught by the rule that it
// breaks, and the right one breaks none. A queue that vanishes while it runs is none of them: that does not
// compile (refused_pairs.cpp), but an executor that does is (cell_test.cpp).
#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/scheduler.hpp>
#include <source_location>
#include <string>
#include <utility>

namespace pinion::scheduler {
namespace {

enum class flaw : std::uint8_t {
  none,
  held_across_run,     // the borrow of the order is not left before tasks run
  used_after_run,      // it is left, and asked again behind the tasks
  retaken_every_task,  // all is entered anew for each task
};

/// An executor without timers, I/O and wakes.
template <class Cell, flaw Flaw>
class hand_made : public executor_base {
 public:
  hand_made() : executor_base(calls) {
    slice_by(slicer_.word(), slicer_.log());
    add({}, slicer_.add({}).value());
  }
  void run() {
    const on_this_thread here{*this};
    constexpr std::uint32_t most = Flaw == flaw::retaken_every_task ? 1 : 1'000;
    while (!shared()->order.empty()) {
      auto order = shared();
      task_queue& queue = *order->order.next(now_).queue;
      if constexpr (Flaw != flaw::held_across_run) order.leave();
      run_slice(cell, queue, most);
      if constexpr (Flaw == flaw::used_after_run || Flaw == flaw::held_across_run) {
        if (is_empty(queue)) order->order.remove(queue);
      } else {
        if (is_empty(queue)) shared()->order.remove(queue);
      }
    }
  }

  Cell cell;

 private:
  auto shared() { return enter(cell, std::source_location::current()); }
  static void ready_by(executor_base& by, runnable& task) noexcept {
    auto& self = static_cast<hand_made&>(by);
    self.make_ready(self.cell, task);
  }
  static constexpr part_calls calls{&ready_by, nullptr, nullptr, nullptr, nullptr, nullptr};

  preempt::slicer<preempt::operation_budget> slicer_;
};

task<> yields(int& gone_on, int times) {
  for (int k = 0; k != times; ++k) {
    co_await yield();
    ++gone_on;
  }
}
// Ten tasks that yield ten times.
template <class Loop>
int run_yields(Loop& loop) {
  int gone_on = 0;
  for (int k = 0; k != 10; ++k) join_handle<>{loop, yields(gone_on, 10), loop.main_queue()}.detach();
  loop.run();
  return gone_on;
}

template <flaw Flaw>
int run_watched() {
  hand_made<checked_cell, Flaw> loop;
  return run_yields(loop);
}

TEST(CellMutantsTest, TheRightLoopBreaksNoRule) {
  hand_made<unchecked_cell, flaw::none> bare;

  EXPECT_EQ(run_watched<flaw::none>(), 100);
  EXPECT_EQ(run_yields(bare), 100);
}

TEST(CellMutantsTest, ABorrowThatIsHeldAcrossRunBreaksU3) {
  EXPECT_DEATH((run_watched<flaw::held_across_run>()), "end the borrow before a task runs\n.*condition: U3");
}

TEST(CellMutantsTest, ABorrowThatIsUsedAfterRunBreaksU2) {
  EXPECT_DEATH((run_watched<flaw::used_after_run>()), "by a borrow that has ended.*\n.*condition: U2");
}

// A third cell: it counts borrows, and is as unchecked_cell else.
struct counting_cell : unchecked_cell {
  template <class T>
  [[nodiscard]] borrow<T> enter(T& what, const std::source_location& place) noexcept {
    ++borrows;
    return unchecked_cell::enter(what, place);
  }
  int borrows = 0;
};
static_assert(executor_cell<counting_cell>);

// Law: a slice of n tasks takes each by one borrow, and has a handful of its own; a task that becomes ready
// in a queue that runs takes none.
constexpr int borrows_at_most = 110 + 10;

TEST(CellMutantsTest, ASwitchBorrowsOnce) {
  hand_made<counting_cell, flaw::none> loop;

  EXPECT_EQ(run_yields(loop), 100);
  EXPECT_LE(loop.cell.borrows, borrows_at_most);
}

TEST(CellMutantsTest, ABorrowThatIsRetakenForEveryTaskIsSeenByTheirCount) {
  hand_made<counting_cell, flaw::retaken_every_task> loop;

  EXPECT_EQ(run_yields(loop), 100);
  EXPECT_GT(loop.cell.borrows, borrows_at_most);
}

}  // namespace
}  // namespace pinion::scheduler
