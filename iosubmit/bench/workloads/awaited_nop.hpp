// SPDX-License-Identifier: Apache-2.0
//
// NOPs that a coroutine awaits, one after another: what awaiting adds to an answer by callback.
//
//   measured m = measure_awaited_nop<submission<adaptive, uring_ring>>(io, 2'000);
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <pinion/iosubmit.hpp>

#include "engine.hpp"

namespace pinion::iosubmit::bench {

/// A coroutine that runs at once, and whose frame goes when it ends.
struct detached {
  struct promise_type {
    detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

template <class Io>
detached await_nops(Io& io, std::size_t rounds, std::uint64_t& answered) {
  for (std::size_t k = 0; k < rounds; ++k) {
    const auto result = co_await awaiting(io, entries::nop());
    answered += result ? 1U : 0U;
  }
}

template <class Meter, class Io>
measured measure_awaited_nop(Io& io, std::size_t rounds) {
  std::uint64_t first = 0;
  await_nops(io, 1, first);  // what is done once is not charged
  while (first == 0) io.park(never);
  measured result{.operations = rounds, .expected = rounds};

  const Meter watch;
  await_nops(io, rounds, result.checksum);
  while (result.checksum != rounds) io.park(never);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace pinion::iosubmit::bench
