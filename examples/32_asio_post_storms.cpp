// SPDX-License-Identifier: Apache-2.0
//
// Storms of asio::post from foreign threads, and the same wakes through one wake_channel in the io_context. Counted, not timed:
// what is allocated, how many handlers the io_context is made to run, which calls wake it.
//
// In each storm two threads wake a thousand tasks each, while the loop sleeps; the first task that runs is a long one, so that all
// the others come meanwhile. Asio, too, wakes its loop once: what a post costs is an allocation, a mutex and a handler of its
// own. The channel pays for its place in the loop by two calls for each sleep, to read its descriptor and to listen to it again.
//
// Beside the channel stands a timer store, and one timer of the io_context for all that are in it: set when a deadline comes that
// is nearer than what it is set for. An idle timeout that each turn pushes on sets it once.
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace timer = pinion::timer;
namespace waker = pinion::waker;

namespace {

constexpr int storms = 50;
constexpr std::size_t threads = 2, tasks_each = 1'000;

// Memory ordering of all these: the default. They are here to count.
struct counts {
  std::atomic<std::size_t> allocations, handlers, wakes, listens, run;
  std::atomic<bool> is_asleep;
  std::thread::id loop;
};
counts counted;

void count_anew() {
  counted.allocations = counted.handlers = counted.wakes = counted.listens = counted.run = 0;
  counted.loop = std::this_thread::get_id();
}

}  // namespace

/// These two stand in front of the C library's, to count: an io_context is woken by a change of what its epoll watches.
extern "C" int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  if (operation == EPOLL_CTL_MOD)
    ++(std::this_thread::get_id() == counted.loop ? counted.listens : counted.wakes);
  return static_cast<int>(syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}
extern "C" int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
  counted.is_asleep = timeout != 0;
  const long ready = syscall(SYS_epoll_pwait, epoll, events, count, timeout, nullptr, std::size_t{8});
  counted.is_asleep = false;
  return static_cast<int>(ready);
}

namespace {

/// Counts what Asio allocates for a handler.
template <class T>
struct counting_allocator {
  using value_type = T;
  counting_allocator() = default;
  template <class U>
  explicit(false) counting_allocator(const counting_allocator<U>&) {}
  T* allocate(std::size_t count) {
    ++counted.allocations;
    return std::allocator<T>{}.allocate(count);
  }
  void deallocate(T* at, std::size_t count) { std::allocator<T>{}.deallocate(at, count); }
  bool operator==(const counting_allocator&) const = default;
};

/// What is woken.
struct task : waker::wake_node {
  void run() {
    // The first of its storm takes until all the others have been woken.
    if (counted.run++ % (threads * tasks_each) == 0) all_woken.arrive_and_wait();
  }
  static inline std::barrier<> all_woken{threads + 1};
};

/// Lets `wake` be called for each task by two threads, storm after storm, each when the loop sleeps.
template <class Wake>
void play_storms(Wake wake) {
  constexpr std::size_t tasks = threads * tasks_each;
  std::barrier<> begin{threads};
  std::vector<std::jthread> stormy;
  for (std::size_t t = 0; t < threads; ++t) {
    stormy.emplace_back([&begin, wake] {
      std::vector<task> own(tasks_each);
      for (std::size_t storm = 0; storm <= storms; ++storm) {
        while (counted.run != storm * tasks || !counted.is_asleep) std::this_thread::yield();
        if (storm == storms) break;
        begin.arrive_and_wait();  // no wake before both threads have seen it asleep
        for (task& each : own) wake(each);
        task::all_woken.arrive_and_wait();
      }
    });
  }
}

void print(const char* what) {
  std::printf(
      "%s\n  tasks run: %zu\n  allocations: %zu\n  handlers run: %zu\n  calls that woke the loop: %zu\n"
      "  calls by which it went on listening: %zu\n",
      what, counted.run.load(), counted.allocations.load(), counted.handlers.load(), counted.wakes.load(),
      counted.listens.load());
}

/// Runs the storms against a context that this thread runs, and prints what they cost.
template <class Wake>
void play_and_print(asio::io_context& context, const char* what, Wake wake) {
  count_anew();
  const std::jthread playing{[&] {
    play_storms(wake);
    print(what);
    context.stop();
  }};
  context.run();
}

// ---- Before: each wake is a post

void before() {
  asio::io_context context{1};
  const auto stay = asio::make_work_guard(context);
  const asio::steady_timer timer{
      context};  // as any server has something that makes its context sleep in epoll
  play_and_print(context, "before: asio::post", [&context](task& woken) {
    const auto handler = [&woken] {
      ++counted.handlers;
      woken.run();
    };
    asio::post(context, asio::bind_allocator(counting_allocator<void>{}, handler));
  });
}

// ---- After: one channel, whose descriptor the io_context watches

struct counted_calls : waker::eventfd_calls {
  static int add_one(int descriptor) noexcept {
    ++counted.wakes;
    return waker::eventfd_calls::add_one(descriptor);
  }
  static int take(int descriptor) noexcept {
    ++counted.listens;
    return waker::eventfd_calls::take(descriptor);
  }
};

/// A turn of the loop. An io_context has no place to arm before it sleeps, so the inbox is armed right after each drain.
class turn_in_context {
 public:
  using channel = waker::wake_channel<waker::tagged_inbox, waker::basic_eventfd_notifier<counted_calls>>;

  explicit turn_in_context(asio::io_context& context)
      : alarm_(context), watched_(context, ::dup(wakes_.notifier().descriptor())) {
    turn();
  }
  [[nodiscard]] channel::sender_type sender() const { return wakes_.sender(); }

  std::size_t alarms = 0, timeouts = 0;

 private:
  void turn() {
    do {
      wakes_.drain([](waker::wake_node& node) { static_cast<task&>(node).run(); });
    } while (!wakes_.try_arm());
    timers_.reschedule(idle_, pinion::monotonic_clock::now() + idle_limit);
    poll_timers();
    // A signal from here on makes the descriptor readable, and is heard also if it comes before the wait.
    watched_.async_wait(
        asio::posix::stream_descriptor::wait_read,
        asio::bind_allocator(counting_allocator<void>{}, [this](const boost::system::error_code& error) {
          if (error) return;
          ++counted.handlers;
          wakes_.notifier().consume();
          turn();
        }));
  }

  void poll_timers() {
    timers_.poll(pinion::monotonic_clock::now(),
                 [this](timer::handle, pinion::instant, char&&) { ++timeouts; });
    const pinion::instant next = timers_.next_wakeup();
    if (next >= alarm_at_) return;
    ++alarms;
    alarm_at_ = next;
    const std::chrono::nanoseconds ahead{(next - pinion::monotonic_clock::now()).ns};
    alarm_.expires_after(ahead);  // which cancels the one before
    alarm_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      alarm_at_ = pinion::never;
      poll_timers();
    });
  }

  static constexpr pinion::duration idle_limit = pinion::ceil(std::chrono::hours{1});

  channel wakes_;
  timer::deferred_wheel<char> timers_{pinion::monotonic_clock::now()};
  timer::handle idle_ = timers_.schedule(pinion::monotonic_clock::now() + idle_limit, 'i');
  asio::steady_timer alarm_;
  pinion::instant alarm_at_ = pinion::never;
  asio::posix::stream_descriptor watched_;
};

void after() {
  asio::io_context context{1};
  const turn_in_context turn{context};
  play_and_print(context, "after: one wake_channel",
                 [sender = turn.sender()](task& woken) { sender.push(woken); });
  std::printf("  times its timer was set: %zu\n  timeouts: %zu\n", turn.alarms, turn.timeouts);
}

}  // namespace

int main() {
  before();
  after();
}
