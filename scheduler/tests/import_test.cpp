// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, that a turn waits for its timer, and tasks for
// each other. The same entities through `import`: that names are exported, that a turn waits for its timer,
// and that frames come from an allocator.
#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <memory>
#include <utility>

import pinion.scheduler;

namespace {

TEST(scheduler_module, ATurnWaitsForItsTimer) {
  pinion::timer::timer_queue<pinion::timer::call_wheel> timers;
  bool fired = false;
  pinion::timer::timer_call call{[](pinion::timer::timer_call& c) { *static_cast<bool*>(c.context) = true; },
                                 &fired};
  pinion::scheduler::turn loop{timers, pinion::scheduler::absent};
  const pinion::instant due = pinion::monotonic_clock::now() + pinion::duration{1'000'000};
  timers.at(due, call);

  while (!fired) loop();

  EXPECT_GE(pinion::monotonic_clock::now(), due);
  EXPECT_EQ(loop.statistics().fired, pinion::is_counted ? 1U : 0U);
}

pinion::scheduler::task<int> gives(int value) { co_return value; }
pinion::scheduler::task<int> adds(int one, int other) {
  auto beside = pinion::scheduler::spawn(gives(other));
  co_await pinion::scheduler::yield();
  co_await pinion::scheduler::sleep_for(pinion::duration{1'000});
  co_return co_await gives(one) + co_await beside;
}

TEST(scheduler_module, AnExecutorRunsTasks) {
  pinion::scheduler::executor loop;
  EXPECT_EQ(loop.run(adds(40, 2)), 42);
}

TEST(scheduler_module, AnExecutorNamesItsCell) {
  struct watched_parts : pinion::scheduler::default_parts {
    using cell = pinion::scheduler::checked_cell;
  };
  static_assert(pinion::scheduler::executor_cell<pinion::scheduler::default_cell>);
  static_assert(!pinion::scheduler::unchecked_cell::is_checking);
  pinion::scheduler::basic_executor<watched_parts> loop;

  EXPECT_EQ(loop.run(adds(40, 2)), 42);
}

pinion::scheduler::task<int> asks(pinion::scheduler::remote_executor worker) {
  const auto given = co_await pinion::scheduler::spawn_on(worker, [] { return gives(42); });
  co_return given ? *given : 0;
}

TEST(scheduler_module, ATaskAwaitsOneOfAPool) {
  const pinion::scheduler::executor_pool pool{{.count = 1}};
  EXPECT_EQ(pinion::scheduler::block_on(asks(pool[0])), 42);
}

// Ready at once, and gone at its end.
struct queued_task {
  struct promise_type : pinion::runnable {
    explicit promise_type(pinion::run_queue& on, auto&&...) noexcept : by(on) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      by.ready(*this);
    }
    static queued_task get_return_object() noexcept { return {}; }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    [[nodiscard]] pinion::run_queue& executor() const noexcept { return by; }
    pinion::run_queue& by;
  };
};

struct shared {
  pinion::scheduler::event begun;
  pinion::scheduler::mutex one_at_a_time;
  pinion::scheduler::semaphore units{0};
  pinion::scheduler::gate inside;
  pinion::scheduler::channel<std::unique_ptr<int>, 1> values;
  pinion::cancel_slot slot;
  int received = 0;
  bool was_cancelled = false;
};

queued_task sends(pinion::run_queue& /*on*/, shared& with) {
  const auto inside = with.inside.enter();
  if (!inside || !co_await with.begun.wait()) co_return;
  const auto guard = co_await with.one_at_a_time.lock();
  for (int value = 1; value != 4; ++value)
    if (!guard || !co_await with.values.send(std::make_unique<int>(value))) co_return;
  with.values.close();
  const auto units = co_await with.units.hold(1, with.slot);
  with.was_cancelled = !units && units.error() == pinion::wait_cancelled();
}
queued_task receives(pinion::run_queue& /*on*/, shared& with) {
  while (const auto value = co_await with.values.receive()) with.received += **value;
  with.slot.request();
  if (const auto closed = co_await with.inside.close(); closed && !with.inside.enter()) with.received += 100;
}

TEST(scheduler_module, TasksWaitForEachOther) {
  pinion::run_queue tasks;
  shared with;
  sends(tasks, with);
  receives(tasks, with);
  tasks.run();

  with.begun.set();
  while (tasks.has_ready()) tasks.run();

  EXPECT_EQ(with.received, 106);
  EXPECT_TRUE(with.was_cancelled);
  EXPECT_FALSE(with.one_at_a_time.is_locked());
}

TEST(scheduler_module, ATaskTakesFromWhatServersLiveOn) {
  pinion::scheduler::executor loop;
  const auto takes = [](pinion::scheduler::executor& by) -> pinion::scheduler::task<int> {
    auto buffers = by.io().buffers({.count = 2, .size = 16});
    auto connections = by.io().acceptor(-1);
    auto from = by.io().receiver(-1, buffers);
    const auto socket = co_await connections.next();
    const auto part = co_await from.next();
    const auto count = co_await by.io().send_zc(-1, {});
    co_return (socket ? 0 : 1) + (part ? 0 : 1) + (count ? 0 : 1);
  };

  EXPECT_EQ(loop.run(takes(loop)), 3) << "there is no such descriptor";
}

TEST(scheduler_module, FramesComeFromAnAllocator) {
  pinion::scheduler::slab_frames frames;
  const pinion::scheduler::use_frames here{frames};

  void* const frame = pinion::scheduler::allocate_frame(100);

  EXPECT_EQ(frames.statistics().blocks, 1U);
  pinion::scheduler::free_frame(frame, 100);
  EXPECT_EQ(frames.statistics().blocks, 0U);
  static_assert(pinion::scheduler::frame_allocator<pinion::scheduler::malloc_frames>);
}

}  // namespace
