// SPDX-License-Identifier: Apache-2.0
//
// Thousands of steady_timers in an io_context, and the same connections on one deferred_wheel, whose turn
// takes a single steady_timer of the context. Counted, not timed: how often the kernel's timer is set, and
// how many handlers the io_context is made to run for timeouts that never happen.
//
// Each connection has an idle timeout, pushed on by each of its requests, and each request has a timeout of
// its own, which its reply cancels. Requests come one at a time, so that each one's timeout is the earliest
// of all; with several in flight Asio sets the kernel's timer less often. In the end a batch of short timers
// really fires.
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <deque>
#include <pinion/asio.hpp>
#include <pinion/timer.hpp>
#include <vector>

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {
constexpr int connections = 5'000;
constexpr int rounds = 4;
std::size_t kernel_timer_set = 0;
}  // namespace

/// Stands in front of the C library's, to count.
extern "C" int timerfd_settime(int fd, int flags, const itimerspec* to, itimerspec* was) noexcept {
  ++kernel_timer_set;
  return static_cast<int>(syscall(SYS_timerfd_settime, fd, flags, to, was));
}

namespace {

void print(const char* what, std::size_t set, std::size_t handlers, std::size_t fired) {
  std::printf("%s\n  kernel timer set for the requests: %zu\n  handlers run for them: %zu\n  short timers "
              "fired: %zu\n",
              what, set, handlers, fired);
}

// ---- Before: each timer is a steady_timer

void before() {
  asio::io_context context;
  std::size_t handlers = 0, fired = 0;
  std::deque<asio::steady_timer> idle, request;
  const auto arm = [&](asio::steady_timer& t, std::chrono::seconds wait) {
    t.expires_after(wait);  // cancels the wait, whose handler runs in the io_context
    t.async_wait([&](boost::system::error_code) { ++handlers; });
  };
  for (int c = 0; c < connections; ++c) {
    arm(idle.emplace_back(context), 60s);
    request.emplace_back(context);
  }
  kernel_timer_set = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int c = 0; c < connections; ++c) {
      arm(idle[static_cast<std::size_t>(c)], 60s);
      arm(request[static_cast<std::size_t>(c)], 30s);
      request[static_cast<std::size_t>(c)].cancel();  // the reply
      context.poll();
    }
  }
  const std::size_t set = kernel_timer_set, handlers_run = handlers;

  for (asio::steady_timer& t : idle) t.cancel();
  for (int c = 0; c < connections; ++c) {
    asio::steady_timer& t = request[static_cast<std::size_t>(c)];
    t.expires_after(std::chrono::microseconds{c});
    t.async_wait([&](boost::system::error_code e) { fired += e ? 0U : 1U; });
  }
  context.run();
  print("before: 10000 steady_timers", set, handlers_run, fired);
}

// ---- After: one wheel, and one steady_timer that the turn has for it

/// Time since the program began: which timers share a bucket of the wheel, and with it what is printed, is
/// then always the same. A server leaves this out.
struct since_start {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  [[nodiscard]] pinion::instant now() const noexcept {
    return pinion::instant{} + pinion::floor(std::chrono::steady_clock::now() - start);
  }
};
using callback = pinion::inline_function<void()>;
using timer_set = pinion::asio::timer_queue<pinion::timer::deferred_wheel<callback>, since_start>;

void after() {
  asio::io_context context;
  timer_set timers;
  const pinion::asio::turn loop{context, timers};
  std::size_t handlers = 0, fired = 0;
  std::vector<pinion::timer::handle> idle;
  for (int c = 0; c < connections; ++c) idle.push_back(timers.after(60s, [] {}));
  kernel_timer_set = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const pinion::timer::handle h : idle) {
      timers.push_on(h, 60s);
      const pinion::timer::handle request = timers.after(30s, [] {});
      timers.cancel(request);  // the reply
      handlers += context.poll();
    }
  }
  const std::size_t set = kernel_timer_set;

  for (const pinion::timer::handle h : idle) timers.cancel(h);
  for (int c = 0; c < connections; ++c) timers.after(std::chrono::microseconds{c}, [&] { ++fired; });
  context.run();  // until the last has fired
  print("after: one deferred_wheel, one steady_timer", set, handlers, fired);
}

}  // namespace

int main() {
  before();
  after();
}
