// SPDX-License-Identifier: Apache-2.0
//
// Turns of parts that can't work together, one for each number. They do not compile, and CTest looks for the
// remedy and both types in what the compiler says (law C5). So it does for a coroutine that waits for tasks
// and is none, and for what would pass by an executor's cell.
#include <pinion/iosubmit.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

namespace pinion::scheduler {

using timer_set = timer::timer_queue<timer::call_wheel>;
using in_futex = waker::wake_channel<waker::tagged_inbox, waker::futex_notifier>;
using in_ring = waker::wake_channel<waker::tagged_inbox, waker::msg_ring_notifier>;
using ring_io = iosubmit::submission<iosubmit::batch_or_idle, iosubmit::uring_ring>;

#if PAIR == 1
void refused(timer_set& timers, in_futex& channel, ring_io& io) { turn loop{timers, channel, io}; }
#elif PAIR == 2
void refused(timer_set& timers, in_ring& channel) { turn loop{timers, channel}; }
#elif PAIR == 3
// An answer that may throw: who hands it out could not go on.
void throws(ring_answer& /*self*/, std::int32_t /*result*/) {}
ring_answer refused{&throws};
#elif PAIR == 4
struct of_no_executor {
  struct promise_type {
    of_no_executor get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}
  };
};
of_no_executor refused(event& opened) { static_cast<void>(co_await opened.wait()); }
#elif PAIR == 5
// A queue that vanishes while its tasks run (rule U5 of cell.hpp).
void refused(task_queue& queue) { delete &queue; }
#elif PAIR == 6
// What tasks share, kept without a cell and across a run of theirs (rule U2).
struct refused : basic_executor<> {
  auto& keeps() { return shared_.order; }
};
#elif PAIR == 7
struct blind_parts : default_parts {
  using source = preempt::tsc_budget;
};
void refused(basic_executor<blind_parts>& loop) { stall_detector watches{loop}; }
#elif PAIR == 8
// It tells of stalls in a handler of signals, where nothing can be looked up.
struct signalled_parts : default_parts {
  using source = preempt::posix_timer_source;
};
void refused(basic_executor<signalled_parts>& loop) { stall_detector watches{loop}; }
#endif

}  // namespace pinion::scheduler
