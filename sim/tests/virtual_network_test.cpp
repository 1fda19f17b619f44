// SPDX-License-Identifier: Apache-2.0
//
// What a virtual_network answers, what waits in it, each of its faults, and that a seed gives one run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/sim/virtual_network.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "network_world.hpp"

namespace pinion::sim {
namespace {

using namespace std::chrono_literals;
using codes = pinion::kernel::codes;
using testing::connected_world, testing::port, testing::result, testing::word, testing::world;

constexpr std::uint16_t other_port = 8;

TEST(virtual_network, CarriesBytesBothWaysInTheirOrderAndInTime) {
  connected_world in{{.latency = ceil(1ms)}};
  std::string asked(10, ' '), told(10, ' ');
  const instant before = in.clock.time();

  EXPECT_EQ(in.answer(in.send(in.client, "hel")), 3);
  EXPECT_EQ(in.answer(in.send(in.client, "lo")), 2);
  EXPECT_EQ(in.clock.time(), before) << "a send is answered when its bytes are taken";
  in.settle();
  EXPECT_EQ(in.answer(in.recv(in.server, asked)), 5);
  EXPECT_EQ(in.answer(in.send(in.server, "HELLO")), 5);
  EXPECT_EQ(in.answer(in.recv(in.client, told)), 5);

  EXPECT_EQ(asked.substr(0, 5), "hello");
  EXPECT_EQ(told.substr(0, 5), "HELLO");
  EXPECT_LE((in.clock.time() - before).ns, 3 * ceil(1ms).ns);
  EXPECT_GT(in.clock.time(), before);
}

TEST(virtual_network, ARecvGivesWhatHasComeAndNothingThatIsOnItsWay) {
  connected_world in{{.latency = ceil(10ms)}};
  std::string into(2, ' ');

  in.send(in.client, "x");
  in.send(in.client, "y");

  EXPECT_EQ(in.answer(in.recv(in.server, into)), 1);
  EXPECT_EQ(into, "x ");
  EXPECT_EQ(in.answer(in.recv(in.server, into)), 1);
  EXPECT_EQ(into, "y ");
}

TEST(virtual_network, KeepsTheOrderOfManySendsWhicheverPacketIsTheFirst) {
  connected_world in{{.latency = ceil(10ms), .shorts = 500}, 3};
  std::string asked, told;
  for (int k = 0; k < 200; ++k) asked.push_back(static_cast<char>('a' + k % 23));

  for (std::size_t at = 0; at < asked.size();)
    at += static_cast<std::size_t>(
        in.answer(in.send(in.client, std::string_view{asked}.substr(at, 7))).value_or(0));
  std::string part(5, ' ');
  while (told.size() < asked.size()) {
    const result count = in.answer(in.recv(in.server, part));
    ASSERT_GT(count.value_or(0), 0);
    told += part.substr(0, static_cast<std::size_t>(*count));
  }

  EXPECT_EQ(told, asked);
}

TEST(virtual_network, ASendWaitsWhereTheBufferIsFullAndTakesWhatThereIsRoomFor) {
  connected_world in{{.buffer = 4}};
  std::string into(3, ' ');

  EXPECT_EQ(in.answer(in.send(in.client, "abcdef")), 4);
  const std::uint64_t waits = in.send(in.client, "ef");
  in.settle();
  EXPECT_EQ(in.told(waits), result{}) << "nothing has been received";
  EXPECT_EQ(in.answer(in.recv(in.server, into)), 3);

  EXPECT_EQ(in.answer(waits), 2);
  EXPECT_EQ(into, "abc");
  in.settle();
  EXPECT_EQ(in.answer(in.recv(in.server, into)), 3);
  EXPECT_EQ(into, "def");
}

TEST(virtual_network, ARecvThatWaitedMakesRoomForASendThatWaitedLonger) {
  connected_world in{{.buffer = 4}};
  std::string into(4, ' ');

  EXPECT_EQ(in.answer(in.send(in.client, "abcd")), 4);
  const std::uint64_t waits = in.send(in.client, "ef");
  const std::uint64_t received = in.recv(in.server, into);
  EXPECT_EQ(in.network.waiting(), 2U) << "the bytes are on their way";

  EXPECT_EQ(in.answer(received), 4);
  EXPECT_EQ(in.told(waits), 2);
}

TEST(virtual_network, OfTwoThatWaitForTheSameBytesTheEarlierIsAnswered) {
  connected_world in;
  std::string earlier(5, ' '), later(5, ' ');
  const std::uint64_t first = in.recv(in.server, earlier);
  const std::uint64_t second = in.recv(in.server, later);

  in.answer(in.send(in.client, "hello"));
  in.settle();

  EXPECT_EQ(in.told(first), 5);
  EXPECT_EQ(in.told(second), result{});
  EXPECT_EQ(earlier, "hello");
}

TEST(virtual_network, TheEndComesBehindTheBytesWhicheverPacketIsTheFirst) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    connected_world in{{.latency = ceil(10ms)}, seed};
    std::string into(9, ' ');
    in.answer(in.send(in.client, "bye"));
    EXPECT_EQ(in.network.close(in.client), 0);

    EXPECT_EQ(in.answer(in.recv(in.server, into)), 3) << "seed " << seed;
    EXPECT_EQ(in.answer(in.recv(in.server, into)), 0);
  }
}

TEST(virtual_network, AWaitingRecvIsAnsweredWhenItsBytesComeAndLosesNoneIfItIsCancelled) {
  connected_world in;
  std::string gone(5, ' '), into(5, ' ');
  const std::uint64_t first = in.recv(in.server, gone);
  EXPECT_EQ(in.network.waiting(), 1U);

  in.answer(in.send(in.client, "hello"));  // on its way
  EXPECT_EQ(in.answer(in.cancel(first)), 0);

  EXPECT_EQ(in.answer(first), -ECANCELED);
  EXPECT_EQ(in.network.waiting(), 0U);
  EXPECT_EQ(in.answer(in.recv(in.server, into)), 5);
  EXPECT_EQ(into, "hello");
  EXPECT_EQ(gone, "     ");
}

TEST(virtual_network, ACancelledAcceptLeavesTheConnectionToTheNext) {
  world in;
  const int listener = in.network.listen(&port, sizeof port);
  const std::uint64_t first = in.accept(listener);

  EXPECT_EQ(in.answer(in.cancel(first)), 0);
  EXPECT_EQ(in.answer(first), -ECANCELED);
  EXPECT_EQ(in.answer(in.connect(in.network.socket())), 0);

  EXPECT_GT(in.answer(in.accept(listener)).value_or(-1), listener);
}

TEST(virtual_network, ACloseEndsNothingThatWaitsAndTheConnectionWhenThatHasEnded) {
  connected_world in;
  std::string into(5, ' '), at_client(5, ' ');
  const std::uint64_t waits = in.recv(in.server, into);
  const std::uint64_t other = in.recv(in.client, at_client);

  in.network.close(in.server);
  in.settle();
  EXPECT_EQ(in.told(waits), result{}) << "as in Linux, where the entry keeps the file";
  EXPECT_EQ(in.told(other), result{}) << "so the other end is not told";
  EXPECT_EQ(in.answer(in.recv(in.server, into)), -EBADF);

  in.answer(in.cancel(waits));
  EXPECT_EQ(in.answer(other), 0) << "now it is";
}

TEST(virtual_network, AConnectionThatIsClosedWithBytesUnreadIsReset) {
  connected_world in;
  std::string into(5, ' ');
  in.answer(in.send(in.client, "hello"));
  in.settle();

  in.network.close(in.server);
  in.settle();

  EXPECT_EQ(in.answer(in.recv(in.client, into)), -ECONNRESET);
  EXPECT_EQ(in.answer(in.send(in.client, "x")), -ECONNRESET);
}

TEST(virtual_network, APacketToAClosedEndResets) {
  connected_world in;
  std::string into(5, ' ');
  in.network.close(in.server);
  in.settle();
  EXPECT_EQ(in.answer(in.recv(in.client, into)), 0) << "it was closed in order";

  EXPECT_EQ(in.answer(in.send(in.client, "x")), 1) << "the first send does not know";
  in.settle();

  EXPECT_EQ(in.answer(in.send(in.client, "x")), -ECONNRESET);
}

TEST(virtual_network, AListenerThatGoesResetsWhoWasNotAccepted) {
  world in;
  const int listener = in.network.listen(&port, sizeof port);
  const int client = in.network.socket(), other = in.network.socket();
  std::string into(1, ' ');
  EXPECT_EQ(in.answer(in.connect(client)), 0);

  in.network.close(listener);

  EXPECT_EQ(in.answer(in.recv(client, into)), -ECONNRESET);
  EXPECT_EQ(in.answer(in.connect(other)), -ECONNREFUSED) << "nobody listens";
  EXPECT_EQ(in.answer(in.connect(in.network.socket())), -ECONNREFUSED) << "nor a socket in its place";
}

TEST(virtual_network, AConnectReachesTheListenerOfItsAddressAlone) {
  world in;
  static_cast<void>(in.network.listen(&port, sizeof port));
  const int client = in.network.socket();

  EXPECT_EQ(in.answer(in.connect(client, other_port)), -ECONNREFUSED);
  EXPECT_EQ(in.answer(in.connect(client)), 0) << "a socket that was refused can be connected again";
  EXPECT_EQ(in.answer(in.connect(client)), -EISCONN);
}

TEST(virtual_network, WhatCantBeIsAnError) {
  connected_world in;
  std::string byte(1, ' ');

  EXPECT_EQ(in.answer(in.recv(3, byte)), -EBADF) << "a descriptor of the process";
  EXPECT_EQ(in.answer(in.recv(in.network.socket(), byte)), -ENOTCONN);
  EXPECT_EQ(in.answer(in.send(in.network.socket(), byte)), -EPIPE);
  EXPECT_EQ(in.answer(in.accept(in.client)), -EINVAL);
  EXPECT_EQ(in.answer(in.ask({.operation = codes::fsync, .descriptor = in.client})), -EINVAL);
  EXPECT_EQ(in.network.close(in.client + 100), -EBADF);
}

TEST(virtual_network, GivesTheLowestDescriptorThatIsFree) {
  world in;
  const int first = in.network.socket(), second = in.network.socket();
  EXPECT_EQ(first, virtual_network::first_descriptor);

  EXPECT_EQ(in.answer(in.ask({.operation = codes::close, .descriptor = first})), 0);

  EXPECT_EQ(in.network.open_descriptors(), 1U);
  EXPECT_EQ(in.network.socket(), first);
  EXPECT_EQ(in.network.socket(), second + 1);

  in.network.close(second);
  in.network.close(first);
  EXPECT_EQ(in.network.socket(), first);
  EXPECT_EQ(in.network.socket(), second);
  EXPECT_EQ(in.network.socket(), second + 2);
}

TEST(virtual_network, FaultsComeWhereTheyAreAskedForAlways) {
  std::string byte(1, ' ');

  world no_descriptors{{.failed_accepts = 1000}};
  const int listener = no_descriptors.network.listen(&port, sizeof port);
  EXPECT_EQ(no_descriptors.answer(no_descriptors.connect(no_descriptors.network.socket())), 0);
  EXPECT_EQ(no_descriptors.answer(no_descriptors.accept(listener)), -EMFILE);
  EXPECT_EQ(no_descriptors.answer(no_descriptors.accept(listener)), -EMFILE) << "it is still there";

  world refuses{{.refused_connects = 1000}};
  static_cast<void>(refuses.network.listen(&port, sizeof port));
  EXPECT_EQ(refuses.answer(refuses.connect(refuses.network.socket())), -ECONNREFUSED);

  connected_world resets{{.resets = 1000}};
  const std::uint64_t waits = resets.recv(resets.server, byte);
  EXPECT_EQ(resets.answer(resets.send(resets.client, byte)), 1);
  EXPECT_EQ(resets.answer(waits), -ECONNRESET);

  connected_world stalls{{.stall = ceil(5s), .stalls = 1000}};
  EXPECT_GE(stalls.clock.time(), instant{} + ceil(5s));

  world loses{{.stall = forever, .stalls = 1000}};
  static_cast<void>(loses.network.listen(&port, sizeof port));
  EXPECT_EQ(loses.answer(loses.connect(loses.network.socket())), result{}) << "it never comes";

  connected_world shortens{{.shorts = 1000}};
  EXPECT_LT(shortens.answer(shortens.send(shortens.client, "hello")).value_or(9), 5);
  EXPECT_EQ(shortens.answer(shortens.send(shortens.client, byte)), 1) << "one byte can't be cut";
}

// A run of many sends and receives, whatever they are answered.
std::uint64_t hash_of(std::uint64_t seed) {
  connected_world in{{.shorts = 300, .resets = 20}, seed};
  std::string into(16, ' ');
  for (int k = 0; k < 50; ++k) {
    in.send(in.client, "some words");
    in.answer(in.recv(in.server, into));
  }
  return in.network.hash();
}

TEST(virtual_network, ASeedGivesOneRunAndAnotherSeedAnother) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    hashes.push_back(hash_of(seed));
    EXPECT_EQ(hash_of(seed), hashes.back()) << "seed " << seed;
  }

  std::ranges::sort(hashes);
  EXPECT_TRUE(std::ranges::adjacent_find(hashes) == hashes.end());
}

TEST(virtual_network, TellsOfEachAnswer) {
  world in;
  std::vector<network_event> seen;
  in.network.watch([&](const network_event& event) { seen.push_back(event); });
  const int socket = in.network.socket();

  in.network.close(socket);

  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].operation, codes::close);
  EXPECT_EQ(seen[0].descriptor, socket);
  EXPECT_EQ(seen[0].result, 0);
  EXPECT_EQ(seen[0].at, in.clock.time());
}

TEST(virtual_network, MayLoseTheDescriptorThatAnAnswerIsToldOf) {
  world in;
  const int socket = in.network.socket();
  in.network.watch([&](const network_event& event) {
    if (event.operation == codes::recv) in.network.close(event.descriptor);
  });

  EXPECT_EQ(in.answer(in.ask({.operation = codes::recv, .descriptor = socket})), -ENOTCONN);

  EXPECT_EQ(in.network.open_descriptors(), 0U);
}

TEST(virtual_network, OutlivesItsRing) {
  virtual_clock clock{instant{0}};
  virtual_network network{clock, 1};
  const int listener = network.listen(&port, sizeof port);
  const int client = network.socket();
  {
    virtual_ring ring{clock};
    network.serve(ring);
    ring.put(
        {.operation = codes::connect, .descriptor = client, .offset = sizeof port, .address = word(&port)});
    ring.enter({.count = 1});
  }

  EXPECT_EQ(network.close(client), 0);
  EXPECT_EQ(network.close(listener), 0);
  EXPECT_EQ(network.open_descriptors(), 0U);
}

}  // namespace
}  // namespace pinion::sim
