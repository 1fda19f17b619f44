// SPDX-License-Identifier: Apache-2.0
//
// An epoll loop of one's own with a socket, timers, and another thread that wakes it. The loop waits by
// itself, and the turn does the rest: what is due, what was pushed, for how long it may wait, and that a push
// ends the wait.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <thread>

#include "sockets.hpp"

using namespace std::chrono_literals;
namespace timer = pinion::timer;
namespace waker = pinion::waker;

int main() {
  const descriptor epoll{must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")};
  timer::timer_queue<timer::call_wheel> timers;
  waker::default_channel channel;
  waker::wake_event event{channel};
  waker::epoll_set watched{.descriptor = epoll.get(), .data = 0};
  pinion::scheduler::turn loop{timers, channel, watched};

  std::array<int, 2> ends{};
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  const descriptor here{ends[0]};
  epoll_event wanted{.events = EPOLLIN, .data = {.u64 = 1}};
  must(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, here.get(), &wanted), "epoll_ctl");
  int ticks = 0;
  timer::timer_call tick{[](timer::timer_call& c) { ++*static_cast<int*>(c.context); }, &ticks};
  timers.after(20ms, tick);
  std::thread other{[&event, sender = channel.sender(), there = descriptor{ends[1]}] {
    ::send(there.get(), "abc", 3, MSG_NOSIGNAL);
    sender.push(event);
  }};

  int letters = 0;
  for (bool is_open = true; is_open || !event.is_woken() || ticks == 0;) {
    const pinion::instant until = loop.prepare();
    epoll_event came{};
    const int count = ::epoll_wait(epoll.get(), &came, 1, pinion::poll_timeout(until));
    loop.woke();
    char letter = 0;
    if (count != 1 || came.data.u64 == watched.data) continue;  // a timer's time, or a wake: for the turn
    is_open = ::recv(here.get(), &letter, 1, 0) == 1;
    letters += is_open ? 1 : 0;
    if (!is_open) ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, here.get(), nullptr);
  }
  other.join();
  std::printf("%d letters, %d tick, woken\n", letters, ticks);
}
