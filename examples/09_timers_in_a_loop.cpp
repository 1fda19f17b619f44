// SPDX-License-Identifier: Apache-2.0
//
// A loop of one's own: a timer_queue says how long epoll may wait, and runs what is due. A request, which
// another timer stands for here, pushes the idle timeout on.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <pinion/timer.hpp>

using namespace pinion;
using namespace pinion::timer;
using namespace std::chrono_literals;

int main() {
  timer_queue<default_store<inline_function<void()>>> timers;

  const int epoll = ::epoll_create1(EPOLL_CLOEXEC), socket = ::eventfd(0, EFD_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {}};
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) != 0) {
    std::perror("epoll or eventfd: are descriptors left (ulimit -n)");
    return 1;
  }

  bool is_open = true;
  const handle idle = timers.after(500ms, [&] {
    std::puts("no request for half a second: closed");
    is_open = false;
  });
  timers.after(10ms, [&] { ::eventfd_write(socket, 1); });  // a client

  while (is_open) {
    const int ready = ::epoll_wait(epoll, &event, 1, timers.timeout_ms());  // until something is due
    if (ready == 1) {
      eventfd_t requests = 0;
      ::eventfd_read(socket, &requests);
      std::puts("a request");
      timers.push_on(idle, 500ms);
    }
    timers.run(64);  // at most so many a turn
  }
  ::close(socket);
  ::close(epoll);
}
