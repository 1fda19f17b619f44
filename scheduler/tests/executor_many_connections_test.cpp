// SPDX-License-Identifier: Apache-2.0
//
// An echo server with 100,000 connections, each with timeouts, and its clients, in virtual time.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/config.hpp>
#include <string>

#include "sanitized.hpp"
#include "simulated_echo.hpp"

namespace pinion::scheduler {
namespace {

using testing::client_kind, testing::client_kinds, testing::echo_clients_account,
    testing::echo_server_account, testing::simulated_echo;

constexpr std::size_t connections = pinion::testing::is_sanitized || is_checked ? 10'000 : 100'000;
constexpr std::uint64_t seed = 1;

// All cases look at one run.
class ExecutorManyConnectionsTest : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    world() = std::make_unique<simulated_echo>(connections, seed);
    world()->run();
  }
  static void TearDownTestSuite() { world() = nullptr; }
  static std::unique_ptr<simulated_echo>& world() {
    static std::unique_ptr<simulated_echo> one;
    return one;
  }

  const echo_server_account& server = world()->server();
  const echo_clients_account& clients = world()->clients();
  const ::testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};
};

TEST_F(ExecutorManyConnectionsTest, EveryRequestIsAnsweredWithItsBytes) {
  EXPECT_GE(clients.requests, connections);
  EXPECT_EQ(clients.wrong, 0U);
  EXPECT_EQ(clients.bytes, clients.expected_bytes);
}

TEST_F(ExecutorManyConnectionsTest, AllAreOpenAtOnceAndEachEndsAsItsClientIs) {
  EXPECT_EQ(server.open_max, connections);
  EXPECT_EQ(server.failed, 0U);
  for (std::size_t kind = 0; kind != client_kinds; ++kind) {
    EXPECT_GT(clients.of_kind[kind], connections / 20) << "kind " << kind;
    EXPECT_EQ(server.ended[kind], clients.of_kind[kind]) << "kind " << kind;
  }
}

TEST_F(ExecutorManyConnectionsTest, ATimeoutIsNeitherEarlyNorLaterThanTheStoresBound) {
  EXPECT_EQ(server.timeouts.early, 0U);
  EXPECT_EQ(server.timeouts.late, 0U);
  EXPECT_EQ(server.timeouts.right, clients.of(client_kind::falls_silent) +
                                       clients.of(client_kind::stops_in_a_request) +
                                       clients.of(client_kind::never_receives));
}

TEST_F(ExecutorManyConnectionsTest, ASilentClientIsClosedAtItsTime) {
  EXPECT_EQ(clients.closed.early, 0U);
  EXPECT_EQ(clients.closed.late, 0U);
  EXPECT_EQ(clients.closed.right,
            clients.of(client_kind::falls_silent) + clients.of(client_kind::stops_in_a_request));
}

TEST_F(ExecutorManyConnectionsTest, NothingIsLeft) {
  EXPECT_EQ(server.open, 0U);
  EXPECT_EQ(world()->network().open_descriptors(), 0U);
  EXPECT_EQ(world()->network().waiting(), 0U);
  EXPECT_EQ(world()->loop().size(), 0U);
  EXPECT_EQ(world()->loop().timers().size(), 0U);
  EXPECT_EQ(world()->loop().submission().ring().in_flight(), 0U);
}

std::uint64_t hash_of(std::uint64_t of_seed) {
  simulated_echo one{connections / 10, of_seed};
  one.run();
  return one.network().hash();
}

TEST(executor_many_connections, ASeedGivesOneRunAndAnotherSeedAnother) {
  const std::uint64_t hash = hash_of(1);

  EXPECT_EQ(hash_of(1), hash);
  EXPECT_NE(hash_of(2), hash);
}

}  // namespace
}  // namespace pinion::scheduler
