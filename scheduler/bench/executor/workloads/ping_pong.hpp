// SPDX-License-Identifier: Apache-2.0
//
// Two loops, each on a thread and a core of its own, and a task of each: they wake each other in turn, and
// each sleeps while the other one runs.
//
//   const conversation m = measure_ping_pong<executor_player>(10'000);
//
// What is played is the ping_pong of waker/bench, by tasks: each writes into the ball, in turn, what only
// this order of writers gives. Making the loops is not charged.
//
// A player is a loop and the place where it is sent the ball:
//
//   void send(std::uint64_t payload);             // any thread
//   task wait();                                  // awaited by a task of its own: the payload that was sent
//   std::uint64_t run(task of plays());
#pragma once

#include <bench/program/clock.hpp>
#include <bench/program/cores.hpp>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <pinion/scheduler.hpp>
#include <pinion/waker.hpp>
#include <thread>
#include <utility>

#include "../../../../waker/bench/workloads/ping_pong.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using waker::bench::conversation;
using waker::bench::hit;

/// Until it has had the ball `rounds` times. The player that serves keeps it then.
template <class Player>
typename Player::task plays(Player& mine, Player& other, std::uint64_t owner, std::size_t rounds) {
  const bool serves = owner == 1;
  if (serves) other.send(0);
  std::uint64_t payload = 0;
  for (std::size_t had = 1; had <= rounds; ++had) {
    co_await mine.wait();
    payload = hit(mine.ball, owner);
    if (had < rounds || !serves) other.send(payload);
  }
  co_return payload;
}

/// An operation is a way there and back: two wakes.
template <class Player>
conversation measure_ping_pong(std::size_t rounds) {
  conversation result{.operations = rounds};
  std::latch both_there{2}, both_done{2};
  Player* players[2] = {};
  double cpu_seconds[2] = {};
  const auto play = [&](std::size_t which) {
    const pinion::bench::on_core place{which};
    Player mine;
    players[which] = &mine;
    both_there.arrive_and_wait();
    const pinion::bench::wall_stopwatch wall;
    const pinion::bench::stopwatch cpu;
    const std::uint64_t payload = mine.run(plays(mine, *players[1 - which], which + 1, rounds));
    cpu_seconds[which] = cpu.seconds();
    if (which == 0) {
      result.wall_seconds = wall.seconds();
      result.checksum = payload;
    }
    both_done.arrive_and_wait();  // the other one may be on its way back from a push
  };
  std::thread second{play, 1};
  play(0);
  second.join();
  result.cpu_seconds = cpu_seconds[0] + cpu_seconds[1];
  for (std::size_t k = 0; k < rounds; ++k) result.expected = hit(hit(result.expected, 2), 1);
  return result;
}

/// An executor, woken through its channel.
struct executor_player {
  using task = scheduler::task<std::uint64_t>;
  using channel = scheduler::executor::channel_type;

  scheduler::executor loop;
  waker::wake_event<channel> came{loop.channel()};
  channel::sender_type sender = loop.channel().sender();
  std::uint64_t ball = 0;  // its sender writes it; handed over with the push

  void send(std::uint64_t payload) {
    ball = payload;
    sender.push(came);
  }
  auto wait() { return came.wait(); }
  std::uint64_t run(task what) { return loop.run(std::move(what)); }
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
