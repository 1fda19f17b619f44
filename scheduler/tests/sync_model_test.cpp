// SPDX-License-Identifier: Apache-2.0
//
// Random programs over a channel and a semaphore, beside an oracle of plain lists that says how each wait
// ends, when it is decided, and in which order tasks are made ready.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/scheduler/sync/channel.hpp>
#include <pinion/scheduler/sync/semaphore.hpp>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "small_executor.hpp"
#include "violation.hpp"

namespace pinion::scheduler {
namespace {

using pinion::testing::in_words;
using pinion::testing::small_executor;
using pinion::testing::task;
using pinion::testing::violation;

constexpr int cancelled = -1, closed = -2, pending = -3;  // else: the value, or the units

// What both oracles keep of waits: how each ends, and in which order those that had to wait go on.
struct decisions {
  std::deque<int> how;
  std::deque<std::size_t> ready;
  std::deque<bool> is_requested;

  std::size_t add() {
    how.push_back(pending);
    is_requested.push_back(false);
    return how.size() - 1;
  }
  void decide(std::size_t wait, int as) {
    how[wait] = as;
    ready.push_back(wait);
  }
};

struct channel_oracle : decisions {
  std::size_t room = 0;
  bool is_closed = false;
  std::deque<int> values;
  std::deque<std::pair<std::size_t, int>> senders;
  std::deque<std::size_t> receivers;

  bool accept(int value) {
    if (!receivers.empty()) {
      decide(receivers.front(), value);
      receivers.pop_front();
      return true;
    }
    if (values.size() >= room) return false;
    values.push_back(value);
    return true;
  }
  std::optional<int> give() {
    if (!senders.empty()) {  // as if there were room for one more meanwhile
      values.push_back(senders.front().second);
      decide(senders.front().first, senders.front().second);
      senders.pop_front();
    }
    if (values.empty()) return std::nullopt;
    const int first = values.front();
    values.pop_front();
    return first;
  }
  void send(std::size_t wait, int value) {
    if (is_requested[wait]) return decide(wait, cancelled);
    if (is_closed) return decide(wait, closed);
    if (accept(value))
      how[wait] = value;
    else
      senders.emplace_back(wait, value);
  }
  void receive(std::size_t wait) {
    if (is_requested[wait]) return decide(wait, cancelled);
    if (const auto value = give())
      how[wait] = *value;
    else if (is_closed)
      decide(wait, closed);
    else
      receivers.push_back(wait);
  }
  void cancel(std::size_t wait) {
    is_requested[wait] = true;
    if (std::erase_if(senders, [&](const auto& one) { return one.first == wait; }) +
            std::erase(receivers, wait) !=
        0)
      decide(wait, cancelled);
  }
  void close() {
    is_closed = true;
    for (const auto& [wait, value] : senders) decide(wait, closed);
    for (const std::size_t wait : receivers) decide(wait, closed);
    senders.clear();
    receivers.clear();
  }
};

struct semaphore_oracle : decisions {
  std::size_t available = 0;
  std::deque<std::pair<std::size_t, std::size_t>> waits;

  void serve() {
    for (; !waits.empty() && waits.front().second <= available; waits.pop_front()) {
      available -= waits.front().second;
      decide(waits.front().first, static_cast<int>(waits.front().second));
    }
  }
  bool take(std::size_t count) {
    const bool can = waits.empty() && count <= available;
    if (can) available -= count;
    return can;
  }
  void acquire(std::size_t wait, std::size_t count) {
    if (is_requested[wait]) return decide(wait, cancelled);
    if (take(count))
      how[wait] = static_cast<int>(count);
    else
      waits.emplace_back(wait, count);
  }
  void release(std::size_t count) {
    available += count;
    serve();
  }
  void cancel(std::size_t wait) {
    is_requested[wait] = true;
    if (std::erase_if(waits, [&](const auto& one) { return one.first == wait; }) == 0) return;
    decide(wait, cancelled);
    serve();
  }
};

// One program: its tasks, their slots, and the first thing that differed.
template <class Oracle>
struct program {
  explicit program(std::uint64_t from) : random(from), seed(from) {}
  // All have ended when it goes.
  ~program() {
    for (cancel_slot& slot : slots) slot.request();
    loop.run();
  }

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random() % limit); }
  void differs(const violation& in) {
    if (!broken) broken = violation{in.what() + " (seed " + std::to_string(seed) + ')'};
  }
  std::size_t add() {
    slots.emplace_back();
    return oracle.add();
  }
  // A wait is over; `had_to_wait` where the oracle had not decided it when it began, or it failed.
  void over(std::size_t wait, int how, bool had_to_wait) {
    if (oracle.how[wait] != how)
      differs(in_words("wait ", wait, " ended as ", how, ", not as ", oracle.how[wait]));
    if (!had_to_wait) return;
    if (oracle.ready.empty() || oracle.ready.front() != wait)
      differs(in_words("wait ", wait, " went on out of its turn"));
    else
      oracle.ready.pop_front();
  }
  void cancel_any() {
    if (slots.empty()) return;
    const std::size_t back = below(std::min<std::size_t>(slots.size(), 12));
    const std::size_t wait = slots.size() - 1 - back;
    if (slots[wait].is_requested()) return;
    oracle.cancel(wait);
    slots[wait].request();
  }
  void spawn(task&& one) { loop.spawn(tasks.emplace_back(std::move(one))); }
  // A step of the loop, or all that is ready.
  void go_on() {
    if (below(3) == 0) {
      loop.run();
      if (!oracle.ready.empty()) differs(in_words("wait ", oracle.ready.front(), " should have gone on"));
    } else {
      loop.turn();
    }
  }
  // In this call, or inside a task.
  void do_somewhere(std::function<void()> what) {
    if (below(2) == 0) return what();
    spawn([](std::function<void()> inside) -> task {
      inside();
      co_return;
    }(std::move(what)));
  }

  std::mt19937_64 random;
  std::uint64_t seed;
  Oracle oracle;
  violation broken;
  small_executor loop;
  std::deque<cancel_slot> slots;
  std::deque<task> tasks;
};

int failed_as(std::error_code error) { return error == errc::closed ? closed : cancelled; }

template <std::size_t Room>
struct channel_program : program<channel_oracle> {
  explicit channel_program(std::uint64_t from) : program(from) { oracle.room = Room; }
  ~channel_program() {
    for (cancel_slot& slot : slots) slot.request();
    loop.run();
  }

  task sends(std::size_t wait, int number) {
    auto value = std::make_unique<int>(number);
    oracle.send(wait, number);
    const bool has_to_wait = oracle.how[wait] < 0;
    const auto sent = co_await of.send(std::move(value), slots[wait]);
    over(wait, sent ? number : failed_as(sent.error()), has_to_wait);
    if (static_cast<bool>(value) == sent.has_value())
      differs(in_words("value ", number, " is at both ends or none"));
  }
  task receives(std::size_t wait) {
    oracle.receive(wait);
    const bool has_to_wait = oracle.how[wait] < 0;
    const auto value = co_await of.receive(slots[wait]);
    over(wait, value ? **value : failed_as(value.error()), has_to_wait);
  }
  void try_send() {
    const int number = next++;
    if (of.try_send(std::make_unique<int>(number)) != (!oracle.is_closed && oracle.accept(number)))
      differs(in_words("try_send() of ", number));
  }
  void try_receive() {
    const auto value = of.try_receive();
    const auto expected = oracle.give();
    if (value.has_value() != expected.has_value() || (value && **value != *expected))
      differs(in_words("try_receive()"));
  }
  void step() {
    switch (below(8)) {
    case 0:
    case 1: spawn(sends(add(), next++)); break;
    case 2:
    case 3: spawn(receives(add())); break;
    case 4: do_somewhere([this] { try_send(); }); break;
    case 5: do_somewhere([this] { try_receive(); }); break;
    case 6: do_somewhere([this] { cancel_any(); }); break;
    default:
      if (below(300) == 0) {
        oracle.close();
        of.close();
      }
    }
    go_on();
    if (of.size() != oracle.values.size()) differs(in_words("there are ", of.size(), " values"));
  }

  channel<std::unique_ptr<int>, Room> of;
  int next = 0;
};

struct semaphore_program : program<semaphore_oracle> {
  explicit semaphore_program(std::uint64_t from) : program(from), of(below(4)) {
    oracle.available = of.available();
  }
  ~semaphore_program() {
    for (cancel_slot& slot : slots) slot.request();
    loop.run();
  }

  task acquires(std::size_t wait, std::size_t count) {
    oracle.acquire(wait, count);
    const bool has_to_wait = oracle.how[wait] < 0;
    const auto got = co_await of.acquire(count, slots[wait]);
    over(wait, got ? static_cast<int>(count) : failed_as(got.error()), has_to_wait);
  }
  void release(std::size_t count) {
    of.release(count);
    oracle.release(count);
  }
  void step() {
    const std::size_t count = below(below(8) == 0 ? 9 : 3);
    switch (below(5)) {
    case 0:
    case 1: spawn(acquires(add(), count)); break;
    case 2: do_somewhere([this, count] { release(count); }); break;
    case 3:
      do_somewhere([this, count] {
        if (of.try_acquire(count) != oracle.take(count)) differs(in_words("try_acquire() of ", count));
      });
      break;
    default: do_somewhere([this] { cancel_any(); });
    }
    go_on();
    if (of.available() != oracle.available) differs(in_words(of.available(), " are available"));
  }

  semaphore of;
};

template <class Program>
violation plays(std::uint64_t seeds, int steps) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Program one{seed};
    for (int k = 0; k != steps && !one.broken; ++k) one.step();
    one.loop.run();
    if (!one.oracle.ready.empty()) one.differs(in_words("wait ", one.oracle.ready.front(), " never went on"));
    if (one.broken) return one.broken;
  }
  return {};
}

TEST(SyncModel, AChannelWithoutRoomIsAsItsOracle) {
  EXPECT_EQ(plays<channel_program<0>>(60, 1'000).what(), "");
}

TEST(SyncModel, AChannelForOneIsAsItsOracle) { EXPECT_EQ(plays<channel_program<1>>(60, 1'000).what(), ""); }

TEST(SyncModel, AChannelForThreeIsAsItsOracle) { EXPECT_EQ(plays<channel_program<3>>(60, 1'000).what(), ""); }

TEST(SyncModel, ASemaphoreIsAsItsOracle) { EXPECT_EQ(plays<semaphore_program>(60, 1'000).what(), ""); }

}  // namespace
}  // namespace pinion::scheduler
