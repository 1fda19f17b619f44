// SPDX-License-Identifier: Apache-2.0
//
// Storms of asio::post from foreign threads, and the same wakes through one wake_channel whose turn is in the
// io_context. Counted, not timed: what the wakes allocate, how many handlers the io_context is made to run,
// which calls wake it.
//
// In each storm two threads wake a thousand tasks each, while the loop sleeps; the first task that runs is a
// long one, so that all the others come meanwhile. Asio, too, wakes its loop once: what a post costs is an
// allocation, a mutex and a handler of its own. The channel pays for its place in the loop by two calls for
// each sleep, which read its descriptor: once the signal, and once to find that there is no other.
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <pinion/asio.hpp>
#include <pinion/waker.hpp>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace waker = pinion::waker;

namespace {

constexpr int storms = 50;
constexpr std::size_t threads = 2, tasks_each = 1'000;

// Memory ordering of all these: the default. They are here to count.
struct counts {
  std::atomic<std::size_t> allocations, wakes, reads, run;
  std::atomic<bool> is_asleep;
  std::thread::id loop;
};
counts counted;
thread_local bool is_waking = false;

void count_anew() {
  counted.allocations = counted.wakes = counted.reads = counted.run = 0;
  counted.loop = std::this_thread::get_id();
}
[[nodiscard]] bool is_loop() { return std::this_thread::get_id() == counted.loop; }

}  // namespace

/// These stand in front of the C library's, to count: an io_context is woken by a change of what its epoll
/// watches, and has its handlers from aligned_alloc.
extern "C" int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  if (operation == EPOLL_CTL_MOD && !is_loop()) ++counted.wakes;
  return static_cast<int>(syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}
extern "C" int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
  counted.is_asleep = timeout != 0;
  const long ready = syscall(SYS_epoll_pwait, epoll, events, count, timeout, nullptr, std::size_t{8});
  counted.is_asleep = false;
  return static_cast<int>(ready);
}
extern "C" ssize_t read(int fd, void* into, std::size_t size) {
  if (is_loop()) ++counted.reads;
  return syscall(SYS_read, fd, into, size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (is_waking) ++counted.allocations;
  void* at = nullptr;
  return posix_memalign(&at, alignment, size) == 0 ? at : nullptr;
}

namespace {

/// What is woken.
struct task : waker::wake_call {
  task() : wake_call([](wake_call& self) { static_cast<task&>(self).run(); }) {}
  void run() {
    // The first of its storm takes until all the others have been woken.
    if (counted.run++ % (threads * tasks_each) == 0) all_woken.arrive_and_wait();
  }
  static inline std::barrier<> all_woken{threads + 1};
};

/// Lets `wake` be called for each task by two threads, storm after storm, each when the loop sleeps; and
/// prints what that cost.
template <class Wake>
void play_storms(asio::io_context& context, const char* what, const Wake& wake) {
  count_anew();
  constexpr std::size_t tasks = threads * tasks_each;
  std::barrier<> begin{threads};
  std::size_t woken = 0;
  std::vector<std::jthread> stormy;
  for (std::size_t t = 0; t < threads; ++t) {
    stormy.emplace_back([&begin, &context, &woken, t, wake] {
      std::vector<task> own(tasks_each);
      for (std::size_t storm = 0; storm < storms; ++storm) {
        while (counted.run != storm * tasks || !counted.is_asleep) std::this_thread::yield();
        begin.arrive_and_wait();  // no wake before both threads have seen it asleep
        is_waking = true;
        for (task& each : own) wake(each);
        is_waking = false;
        task::all_woken.arrive_and_wait();
      }
      while (counted.run != storms * tasks || !(t != 0 || counted.is_asleep)) std::this_thread::yield();
      if (t != 0) return;
      woken = counted.wakes;
      context.stop();
    });
  }
  const std::size_t handlers = context.run();
  stormy.clear();
  std::printf(
      "%s\n  tasks run: %zu\n  allocations: %zu\n  handlers run: %zu\n  calls that woke the loop: %zu\n"
      "  calls that read what woke it: %zu\n",
      what, counted.run.load(), counted.allocations.load(), handlers, woken, counted.reads.load());
}

// ---- Before: each wake is a post

void before() {
  asio::io_context context{1};
  const auto stay = asio::make_work_guard(context);
  const asio::steady_timer timer{
      context};  // as any server has something that makes its context sleep in epoll
  play_storms(context, "before: asio::post",
              [&context](task& woken) { asio::post(context, [&woken] { woken.run(); }); });
}

// ---- After: one channel, whose turn is in the io_context

struct counted_calls : waker::eventfd_calls {
  static int add_one(int descriptor) noexcept {
    ++counted.wakes;
    return waker::eventfd_calls::add_one(descriptor);
  }
};

void after() {
  asio::io_context context{1};
  waker::wake_channel<waker::tagged_inbox, waker::basic_eventfd_notifier<counted_calls>> channel;
  const pinion::asio::turn loop{context, pinion::scheduler::absent, channel};
  context.poll();  // the turn's first round
  play_storms(context, "after: one wake_channel",
              [sender = channel.sender()](task& woken) { sender.push(woken); });
}

}  // namespace

int main() {
  before();
  after();
}
