// SPDX-License-Identifier: Apache-2.0
//
// Turns of what an io_context can't serve, one for each number. They do not compile, and CTest looks for the
// remedy in what the compiler says (law C5).
#include <pinion/asio.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>

namespace pinion::asio {

using silent_timers = timer::timer_queue<timer::call_wheel>;
using in_futex = waker::wake_channel<waker::tagged_inbox, waker::futex_notifier>;
using in_ring = waker::wake_channel<waker::tagged_inbox, waker::msg_ring_notifier>;
using scheduler::absent;

#if PAIR == 1
void refused(boost::asio::io_context& context, silent_timers& timers) { turn loop{context, timers}; }
#elif PAIR == 2
void refused(boost::asio::io_context& context, in_futex& channel) { turn loop{context, absent, channel}; }
#elif PAIR == 3
void refused(boost::asio::io_context& context, in_ring& channel) { turn loop{context, absent, channel}; }
#elif PAIR == 4
void refused(boost::asio::io_context& context, pinion::run_queue& tasks) {
  turn loop{context, absent, absent, tasks};
}
#endif

}  // namespace pinion::asio
