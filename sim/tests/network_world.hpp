// SPDX-License-Identifier: Apache-2.0
//
// world, connected_world: a virtual_network, a ring over it, and its owner, who asks and is told.
//
//   connected_world in;
//   in.answer(in.send(in.client, "hello"));
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/sim/virtual_network.hpp>
#include <string>
#include <string_view>

namespace pinion::sim::testing {

using codes = pinion::kernel::codes;
using result = std::optional<std::int32_t>;

inline constexpr std::uint16_t port = 7;

inline std::uint64_t word(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Not connected.
class world {
 public:
  explicit world(const virtual_network_options& how = {}, std::uint64_t seed = 1)
      : network(clock, seed, how), ring(clock, {}) {
    network.serve(ring);
  }

  /// Asks for that; the name of the answer.
  std::uint64_t ask(ring_entry entry) {
    entry.user_data = ++last_;
    ring.put(entry);
    ring.enter({});
    return last_;
  }
  std::uint64_t accept(int listener) { return ask({.operation = codes::accept, .descriptor = listener}); }
  std::uint64_t connect(int socket, const std::uint16_t& to = port) {
    return ask(
        {.operation = codes::connect, .descriptor = socket, .offset = sizeof to, .address = word(&to)});
  }
  std::uint64_t recv(int socket, std::string& into) {
    return ask({.operation = codes::recv,
                .descriptor = socket,
                .address = word(into.data()),
                .length = static_cast<std::uint32_t>(into.size())});
  }
  std::uint64_t send(int socket, std::string_view from) {
    return ask({.operation = codes::send,
                .descriptor = socket,
                .address = word(from.data()),
                .length = static_cast<std::uint32_t>(from.size())});
  }
  std::uint64_t cancel(std::uint64_t name) { return ask({.operation = codes::cancel, .address = name}); }

  /// What that was answered, after waiting for it; nothing if it never will be.
  result answer(std::uint64_t name) {
    while (!told(name)) {
      const std::uint64_t stuck = ring.counts().stuck;
      ring.enter({.count = 1});
      if (ring.counts().stuck != stuck) break;
    }
    return told(name);
  }
  /// What it was answered so far.
  result told(std::uint64_t name) {
    ring.reap([&](const ring_completion& c) { told_[c.user_data] = c.result; });
    const auto found = told_.find(name);
    return found == told_.end() ? result{} : found->second;
  }
  /// Until nothing is to come.
  void settle() { answer(0); }

  virtual_clock clock{instant{1'000}};
  virtual_network network;
  virtual_ring ring;

 private:
  std::map<std::uint64_t, std::int32_t> told_;
  std::uint64_t last_ = 0;
};

/// With a connection.
struct connected_world : world {
  explicit connected_world(const virtual_network_options& how = {}, std::uint64_t seed = 1)
      : world(how, seed) {
    const std::uint64_t accepted = accept(listener);
    EXPECT_EQ(answer(connect(client)), 0);
    server = answer(accepted).value_or(-1);
  }
  int listener = network.listen(&port, sizeof port);
  int client = network.socket();
  int server = -1;
};

}  // namespace pinion::sim::testing
