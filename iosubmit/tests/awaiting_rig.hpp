// SPDX-License-Identifier: Apache-2.0
//
// What the tests of awaited operations share: a submission over each kind of ring, and a coroutine that
// receives.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <span>
#include <system_error>

#include "coroutines.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {

using answer = expected<std::uint32_t, std::error_code>;
using test_io = submission<batch_or_idle, any_ring>;

/// Turns until that holds, or patience is at its end.
template <class Condition>
void run_until(test_io& io, Condition holds) {
  const instant limit = monotonic_clock::now() + patience;
  while (!holds() && io.now() < limit) io.park(limit);
}

/// Over each kind of ring.
class AwaitingTest : public ::testing::TestWithParam<ring_kind> {
 protected:
  void SetUp() override {
    set_diagnostic_sink([](const diagnostic&) noexcept {});  // that one falls back is meant
    if (!GetParam().refusal.empty()) GTEST_SKIP() << GetParam().refusal;
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }
  static any_ring make() { return GetParam().make(8); }
};

inline eager receive(test_io& io, int socket, std::span<std::byte> into, std::optional<answer>& result) {
  result = co_await awaiting(io, entries::recv(socket, into));
}
inline eager receive(test_io& io, int socket, std::span<std::byte> into, std::optional<answer>& result,
                     cancel_slot& slot) {
  result = co_await awaiting(io, entries::recv(socket, into), slot);
}

}  // namespace pinion::iosubmit::testing
