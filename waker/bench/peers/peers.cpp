// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <sys/epoll.h>

#include <atomic>
#include <bench/program/program.hpp>

#include "../benchmarks.hpp"
#include "doorbell.hpp"
#include "mutexed_deque.hpp"
#if PINION_BENCH_BOOST
#include "asio_post.hpp"
#include "boost_lockfree.hpp"
#endif
#if PINION_BENCH_MOODYCAMEL
#include "moodycamel.hpp"
#endif

#if PINION_BENCH_BOOST
// The linker calls the first for epoll_ctl, and gives the second the name of the first (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" int __wrap_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event);
extern "C" int __real_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event);

int __wrap_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) {
  pinion::waker::bench::counted_signals.fetch_add(1, std::memory_order_relaxed);
  return __real_epoll_ctl(epoll, operation, descriptor, event);
}
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace pinion::waker::bench {

void add_peers() {
  add_queue<mutexed_deque>("mutexed_deque");
  add_sleeper<doorbell<mutexed_deque>>("deque_doorbell");
#if PINION_BENCH_BOOST
  add_queue<boost_lockfree>("boost_lockfree");
  add_sleeper<doorbell<boost_lockfree>>("lockfree_doorbell");
  add_queue<asio_post>("asio_post");
  add_sleeper<asio_post>("asio_post");
#else
  pinion::bench::leave_out("boost_lockfree", "Boost was not found");
  pinion::bench::leave_out("lockfree_doorbell", "Boost was not found");
  pinion::bench::leave_out("asio_post", "Boost was not found");
#endif
#if PINION_BENCH_MOODYCAMEL
  add_queue<moodycamel_queue>("moodycamel");
  add_sleeper<doorbell<moodycamel_queue>>("moodycamel_doorbell");
#else
  pinion::bench::leave_out("moodycamel", "concurrentqueue.h was not found");
  pinion::bench::leave_out("moodycamel_doorbell", "concurrentqueue.h was not found");
#endif
}

}  // namespace pinion::waker::bench
