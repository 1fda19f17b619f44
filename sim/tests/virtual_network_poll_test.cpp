// SPDX-License-Identifier: Apache-2.0
//
// What a virtual_network says of what could be taken from it.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <pinion/base/kernel.hpp>
#include <string>

#include "network_world.hpp"

namespace pinion::sim {
namespace {

using codes = pinion::kernel::codes;
using testing::connected_world;

TEST(virtual_network_poll, IsAnsweredWhenAnAcceptOrARecvWouldNotWait) {
  connected_world in;
  const auto polls = [&](int descriptor, std::uint32_t events = 1) {
    return in.ask({.operation = codes::poll, .descriptor = descriptor, .operation_flags = events});
  };
  const std::uint64_t bytes = polls(in.server), connection = polls(in.listener);
  in.settle();
  EXPECT_FALSE(in.told(bytes) || in.told(connection));

  in.answer(in.send(in.client, "hello"));
  EXPECT_FALSE(in.told(bytes)) << "they are on their way";
  EXPECT_EQ(in.answer(bytes), 1);
  EXPECT_EQ(in.answer(in.connect(in.network.socket())), 0);
  EXPECT_EQ(in.answer(connection), 1);

  std::string into(5, ' ');
  EXPECT_EQ(in.answer(polls(in.server)), 1) << "it takes nothing";
  EXPECT_EQ(in.answer(in.recv(in.server, into)), 5);
  const std::uint64_t end = polls(in.server);
  EXPECT_EQ(in.network.close(in.client), 0);
  EXPECT_EQ(in.answer(end), 1) << "the end is there to be received";
  EXPECT_EQ(in.answer(polls(in.server, 4)), -EINVAL);
}

}  // namespace
}  // namespace pinion::sim
