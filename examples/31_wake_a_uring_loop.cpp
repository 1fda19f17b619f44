// SPDX-License-Identifier: Apache-2.0
//
// An io_uring of one's own, here liburing's, as the I/O of a turn with timers that another thread wakes.
// `own_ring` is all that this takes: the end of a round, the wait, and whom to tell of completions that
// answer nobody, by which wakes come.
#include <liburing.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <pinion/iosubmit.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <span>
#include <thread>

#include "sockets.hpp"

using namespace pinion;
using namespace std::chrono_literals;
using entries = iosubmit::entries;

struct own_ring {
  explicit own_ring(unsigned room) : error{-io_uring_queue_init(room, &ring, 0)} {}
  ~own_ring() {
    if (error == 0) io_uring_queue_exit(&ring);
  }

  // For a turn: the end of a round, without a wait and with one. Both hand over all that was put.
  void turn(instant /*now*/) {
    io_uring_submit(&ring);
    reap();
  }
  template <class Woke>
  void park(instant until, Woke woke) {
    auto limit = kernel_time::of(until - monotonic_clock::now()).as<__kernel_timespec>();
    io_uring_cqe* first = nullptr;
    io_uring_submit_and_wait_timeout(&ring, &first, 1, &limit,
                                     nullptr);  // an error ends the wait, and no more
    woke();
    reap();
  }

  // For the one channel, which the turn attaches: a watch, its end, and whom to tell of its completions.
  expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&> told) {
    wakes = told;
    return mark;
  }
  void remove_sink(std::uint8_t /*of*/) noexcept { wakes = {}; }
  bool watch(const ring_entry& entry) noexcept { return put(entry); }
  bool unwatch(std::uint64_t user_data) noexcept {
    return put({.operation = kernel::codes::cancel, .address = user_data});  // whose own answer is for nobody
  }

  // For everybody. False: there is no room, and the kernel makes none.
  bool put(const ring_entry& entry) noexcept {
    io_uring_sqe* place = io_uring_get_sqe(&ring);
    if (place == nullptr && io_uring_submit(&ring) > 0) place = io_uring_get_sqe(&ring);
    if (place != nullptr) std::memcpy(place, &entry, sizeof entry);
    return place != nullptr;
  }
  void reap() {
    for (io_uring_cqe* each = nullptr; io_uring_peek_cqe(&ring, &each) == 0;) {
      const ring_completion done{.user_data = each->user_data, .result = each->res, .flags = each->flags};
      io_uring_cqe_seen(&ring, each);
      if (names_answer(done.user_data, 0))
        answer_of(done.user_data).answered(answer_of(done.user_data), done.result);
      else if (wakes && mark_of(done.user_data) == mark)
        wakes(done);
    }
  }

  static constexpr std::uint8_t mark = 2;
  io_uring ring{};
  int error;
  callback<const ring_completion&> wakes;
};

// Receives letters until the other end closes.
struct receiver : ring_answer {
  receiver(own_ring& of, int from) : ring_answer{&received}, ring(of), socket(from) { ask(); }
  void ask() {
    ring_entry entry = entries::recv(socket, std::span{&letter, 1});
    entry.user_data = user_data_of(*this, 0);
    is_over = !ring.put(entry);
  }
  static void received(ring_answer& self, std::int32_t count) noexcept {
    auto& mine = static_cast<receiver&>(self);
    if (count <= 0) return void(mine.is_over = true);
    ++mine.letters;
    mine.ask();
  }
  own_ring& ring;
  int socket, letters = 0;
  std::byte letter{};
  bool is_over = false;
};

int main() {
  own_ring ring{8};
  if (ring.error != 0) {
    std::printf("Skipped: an io_uring can't be had: %s\n", std::strerror(ring.error));
    return 77;
  }
  timer::timer_queue<timer::call_wheel> timers;
  waker::default_channel channel;
  waker::wake_event event{channel};
  scheduler::turn loop{timers, channel, ring};

  std::array<int, 2> ends{};
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  const descriptor here{ends[0]};
  receiver mail{ring, here.get()};
  int ticks = 0;
  timer::timer_call tick{[](timer::timer_call& c) { ++*static_cast<int*>(c.context); }, &ticks};
  timers.after(20ms, tick);
  std::thread other{[&event, sender = channel.sender(), there = descriptor{ends[1]}] {
    ::send(there.get(), "abc", 3, MSG_NOSIGNAL);
    sender.push(event);
  }};

  while (!event.is_woken() || !mail.is_over || ticks == 0) loop();
  other.join();
  std::printf("%d letters, %d tick, woken\n", mail.letters, ticks);
}
