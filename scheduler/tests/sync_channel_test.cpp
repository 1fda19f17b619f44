// SPDX-License-Identifier: Apache-2.0
//
// channel: nothing that was accepted is lost, and who keeps a value. What it shares with the others of sync/
// is in sync_laws_test.cpp; random programs are in sync_model_test.cpp.
#include <pinion/scheduler/sync/channel.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "allocations.hpp"
#include "small_executor.hpp"
#include "sync_waits.hpp"

namespace pinion::scheduler {
namespace {

using pinion::testing::small_executor;
using pinion::testing::task;
using letter = std::unique_ptr<char>;

template <std::size_t Room>
struct channel_of {
  ~channel_of() {
    all.request();
    one.request();
    loop.run();
  }

  // Writes what becomes of it: the value in capitals where it was sent, `x` where it was closed, `!` where it
  // was cancelled. What it keeps then is `kept`.
  task sends(char name, cancel_slot& slot) {
    auto value = std::make_unique<char>(name);
    const auto sent = co_await of.send(std::move(value), slot);
    if (sent)
      log += static_cast<char>(name - 'a' + 'A');
    else
      log += sent.error() == errc::closed ? 'x' : '!';
    if (value) kept += *value;
  }
  // Writes the value.
  task receives(cancel_slot& slot) {
    const auto value = co_await of.receive(slot);
    if (value)
      log += **value;
    else
      log += value.error() == errc::closed ? 'x' : '!';
  }
  void begin(task&& next) {
    loop.spawn(tasks.emplace_back(std::move(next)));
    loop.run();
  }
  [[nodiscard]] char take() {
    const auto value = of.try_receive();
    loop.run();
    return value ? **value : '-';
  }

  small_executor loop;
  channel<letter, Room> of;
  cancel_slot all, one;
  std::string log, kept;
  std::deque<task> tasks;
};

TEST(Channel, ValuesComeInTheOrderInWhichTheyWereAccepted) {
  channel_of<2> to;
  for (const char name : {'a', 'b', 'c', 'd'}) to.begin(to.sends(name, to.all));
  EXPECT_EQ(to.log, "AB");
  EXPECT_EQ(to.of.size(), 2U);

  EXPECT_EQ(to.take(), 'a');
  EXPECT_EQ(to.log, "ABC") << "its room is the next one's";
  EXPECT_EQ(to.of.size(), 2U);

  for (const char name : {'b', 'c', 'd', '-'}) EXPECT_EQ(to.take(), name);
  EXPECT_EQ(to.log, "ABCD");
  EXPECT_EQ(to.kept, "");
}

TEST(Channel, ReceiversThatWaitAreServedInTheirOrder) {
  channel_of<2> to;
  for (int k = 0; k != 3; ++k) to.begin(to.receives(to.all));

  for (const char name : {'a', 'b', 'c', 'd'}) EXPECT_TRUE(to.of.try_send(std::make_unique<char>(name)));
  EXPECT_EQ(to.log, "");
  EXPECT_EQ(to.of.size(), 1U) << "three were handed over";
  to.loop.run();

  EXPECT_EQ(to.log, "abc");
}

TEST(Channel, WithoutRoomASenderWaitsForItsReceiver) {
  channel_of<0> to;
  EXPECT_FALSE(to.of.try_send(std::make_unique<char>('n')));
  to.begin(to.sends('a', to.all));
  EXPECT_EQ(to.log, "");

  to.begin(to.receives(to.all));
  EXPECT_EQ(to.log, "aA") << "the sender goes on in its turn";
  to.begin(to.receives(to.all));
  to.begin(to.sends('b', to.all));
  EXPECT_EQ(to.log, "aABb");
  to.begin(to.sends('c', to.all));

  EXPECT_EQ(to.take(), 'c');
  EXPECT_EQ(to.log, "aABbC");
}

TEST(Channel, ASenderThatIsCancelledKeepsItsValue) {
  channel_of<1> to;
  to.begin(to.sends('a', to.all));
  to.begin(to.sends('b', to.one));
  to.begin(to.sends('c', to.all));

  to.one.request();
  to.loop.run();
  to.begin(to.sends('d', to.one));

  EXPECT_EQ(to.log, "A!!");
  EXPECT_EQ(to.kept, "bd");
  EXPECT_EQ(to.take(), 'a');
  EXPECT_EQ(to.take(), 'c');
}

TEST(Channel, WhatWasAcceptedIsSentWhateverIsCancelledAfterwards) {
  channel_of<1> to;
  to.begin(to.sends('a', to.all));
  to.begin(to.sends('b', to.one));

  EXPECT_EQ(**to.of.try_receive(), 'a');
  to.one.request();
  to.of.close();
  to.loop.run();

  EXPECT_EQ(to.log, "AB");
  EXPECT_EQ(to.kept, "");
  EXPECT_EQ(to.take(), 'b');
}

TEST(Channel, AReceiverThatIsCancelledLosesNoValue) {
  channel_of<1> to;
  to.begin(to.receives(to.one));
  to.begin(to.receives(to.all));

  to.one.request();
  EXPECT_TRUE(to.of.try_send(std::make_unique<char>('a')));
  to.loop.run();
  EXPECT_EQ(to.log, "!a");
  to.begin(to.sends('b', to.all));
  to.begin(to.receives(to.one));

  EXPECT_EQ(to.log, "!aB!");
  EXPECT_EQ(to.take(), 'b');
}

TEST(Channel, AValueThatWasHandedOverIsTheReceivers) {
  channel_of<1> to;
  to.begin(to.receives(to.one));

  EXPECT_TRUE(to.of.try_send(std::make_unique<char>('a')));
  to.one.request();
  to.of.close();
  EXPECT_EQ(to.take(), '-');

  EXPECT_EQ(to.log, "a");
}

TEST(Channel, ClosedItAcceptsNothingAndIsEmptied) {
  channel_of<2> to;
  for (const char name : {'a', 'b', 'c'}) to.begin(to.sends(name, to.all));

  to.of.close();
  to.of.close();
  EXPECT_EQ(to.log, "AB");
  to.loop.run();
  EXPECT_EQ(to.log, "ABx");
  EXPECT_EQ(to.kept, "c");
  auto more = std::make_unique<char>('d');
  EXPECT_FALSE(to.of.try_send(std::move(more)));
  EXPECT_TRUE(more);
  to.begin(to.sends('e', to.all));
  EXPECT_EQ(to.kept, "ce");
  for (int k = 0; k != 3; ++k) to.begin(to.receives(to.all));

  EXPECT_EQ(to.log, "ABxxabx");
  EXPECT_TRUE(to.of.is_closed());
}

TEST(Channel, ClosingEndsReceiversThatWait) {
  channel_of<0> to;
  for (int k = 0; k != 2; ++k) to.begin(to.receives(to.all));

  to.of.close();
  EXPECT_EQ(to.log, "");
  to.loop.run();

  EXPECT_EQ(to.log, "xx");
}

TEST(Channel, AWaitThatFailsWhenItBeginsGivesWay) {
  channel_of<1> to;
  to.of.close();
  to.loop.spawn(to.tasks.emplace_back(to.receives(to.all)));
  to.loop.spawn(to.tasks.emplace_back(to.sends('a', to.all)));

  to.loop.turn();
  to.loop.turn();
  EXPECT_EQ(to.log, "");
  to.loop.run();

  EXPECT_EQ(to.log, "xx");
}

struct counted {
  explicit counted(int& of) noexcept : alive(&of) { ++*alive; }
  counted(counted&& other) noexcept : alive(other.alive) { ++*alive; }
  ~counted() { --*alive; }
  int* alive;
};

TEST(Channel, WhatIsLeftIsDestroyedWithIt) {
  int alive = 0;
  {
    channel<counted, 3> of;
    for (int k = 0; k != 7; ++k) {
      EXPECT_TRUE(of.try_send(counted{alive}));
      EXPECT_TRUE(of.try_send(counted{alive}));
      EXPECT_TRUE(of.try_receive());
      if (k < 6) {
        EXPECT_TRUE(of.try_receive());
      }
    }
    EXPECT_TRUE(of.try_send(counted{alive}));
    EXPECT_TRUE(of.try_send(counted{alive}));
    EXPECT_FALSE(of.try_send(counted{alive}));
    EXPECT_EQ(of.size(), of.capacity());
    EXPECT_EQ(alive, 3);
  }

  EXPECT_EQ(alive, 0);
}

TEST(Channel, AValueGoesOnceFromATaskToATaskWithoutAllocation) {
  struct moved_once {
    moved_once() = default;
    moved_once(moved_once&& other) noexcept : moves(other.moves + 1) {}
    int moves = 0;
  };
  small_executor loop;
  channel<moved_once, 4> of;
  int sum = 0, moves = 0;
  const auto sender = [&]() -> task {
    for (int k = 0; k != 1'000; ++k)
      if (!co_await of.send(moved_once{})) co_return;
    of.close();
  };
  const auto receiver = [&]() -> task {
    while (auto value = co_await of.receive()) {
      ++sum;
      moves = std::max(moves, value->moves);
    }
  };
  task from = sender(), to = receiver();
  loop.spawn(from);
  loop.spawn(to);
  const std::size_t before = pinion::testing::allocations_so_far();

  loop.run();

  EXPECT_EQ(pinion::testing::allocations_so_far(), before);
  EXPECT_EQ(sum, 1'000);
  EXPECT_LE(moves, 3) << "into the room, out of it, into the result";
}

}  // namespace
}  // namespace pinion::scheduler
