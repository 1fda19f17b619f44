// SPDX-License-Identifier: Apache-2.0
//
// Timers inside a connection: an idle timeout that each request pushes on, a deadline for each request, a
// keep-alive that repeats. They cost no allocation and no handle, and are gone when the connection is. The
// time is virtual.
#include <chrono>
#include <cstdio>
#include <memory>
#include <pinion/sim.hpp>
#include <pinion/timer.hpp>

using namespace std::chrono_literals;
namespace timer = pinion::timer;

/// A server leaves the clock out, and gets the monotonic one.
using timer_set = timer::timer_queue<timer::call_wheel, pinion::sim::virtual_clock::view>;

class connection {
 public:
  connection(timer_set& timers, int number)
      : number_(number), idle_(timers, timer::calls<&connection::close_idle>, *this),
        request_(timers, timer::calls<&connection::fail_request>, *this),
        keep_alive_(timers, timer::calls<&connection::send_keep_alive>, *this) {
    idle_.arm(30s);
    keep_alive_.start(10s, timer::missed_ticks::skip);
  }

  void begin_request() {
    idle_.arm(30s);  // armed already: moved, with one store
    request_.arm(5s);
  }
  void end_request() { request_.cancel(); }
  [[nodiscard]] bool is_open() const { return open_; }

 private:
  void close_idle() {
    std::printf("%d: idle, closed\n", number_);
    keep_alive_.stop();
    open_ = false;
  }
  void fail_request() { std::printf("%d: the request took too long\n", number_); }
  void send_keep_alive(timer::tick t) {
    std::printf("%d: keep-alive, %llu missed\n", number_, static_cast<unsigned long long>(t.missed));
  }

  int number_;
  bool open_ = true;
  timer::intrusive_timer<timer_set> idle_;
  timer::intrusive_timer<timer_set> request_;
  timer::interval<timer_set> keep_alive_;
};

int main() {
  pinion::sim::virtual_clock clock{pinion::instant{0}};
  timer_set timers{clock};
  const auto wait = [&](std::chrono::seconds d) {
    clock.advance_by(pinion::ceil(d));
    timers.run();
  };

  connection first{timers, 1};
  auto second = std::make_unique<connection>(timers, 2);
  std::printf("%zu timers armed\n", timers.size());

  first.begin_request();
  wait(3s);
  first.end_request();  // in time
  second->begin_request();
  wait(6s);        // too late
  second.reset();  // the peer is gone, and its timers with it
  std::printf("%zu timers armed\n", timers.size());

  wait(2s);
  wait(25s);  // a long turn elsewhere: the keep-alives of 20 s and 30 s are due as one
  while (first.is_open()) wait(1s);
  std::printf("%zu timers armed\n", timers.size());
}
