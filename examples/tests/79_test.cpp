// SPDX-License-Identifier: Apache-2.0
//
// The server of example 79 with thousands of seeds, and with enters that fail, too; a server that loses a
// timeout; and that each seed that fails does it again.
#include <random>

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../79_bug_found_by_a_seed.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

namespace {

// How a server is wrong, or the machine below it.
struct flaw {
  bool takes_a_send_for_whole = false;
  bool has_no_timeout = false;
  bool has_failing_enters = false;
  bool loses_packets = false;  // and all that is behind them in their stream
};

struct outcome {
  const char* failure;
  std::uint64_t hash;
  std::size_t answered;
  friend bool operator==(const outcome&, const outcome&) = default;
};

// Every 20 us another enter fails, falls short, or is ended by a signal.
void have_enters_fail(const sim::virtual_ring& ring, std::mt19937_64& random, pinion::instant at) {
  ring.at(at, [&ring, &random, at] {
    switch (random() % 5) {
    case 0: ring.fail(1, -EAGAIN); break;
    case 1: ring.fail(1, -EBUSY); break;
    case 2: ring.fail(1, -EINTR); break;
    case 3: ring.accept_at_most(1, 1); break;
    default: ring.end_early(1); break;
    }
    if (at < pinion::instant{} + pinion::ceil(2ms)) have_enters_fail(ring, random, at + pinion::ceil(20us));
  });
}

outcome run(std::uint64_t seed, const flaw& how) {
  auto faults = world::usual;
  if (how.loses_packets) faults.stall = pinion::forever;
  world one{seed, how.takes_a_send_for_whole, faults};
  std::mt19937_64 random{seed};
  if (how.has_no_timeout) one.server.patience = 24h;
  if (how.has_failing_enters) have_enters_fail(one.loop.submission().ring(), random, pinion::instant{});
  one.run();
  return {one.failure(), one.network.hash(), one.answered};
}

int failures = 0;
void expect(bool holds, const char* what, std::uint64_t seed) {
  if (holds) return;
  ++failures;
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
}

// No seed fails, and each does the same again; two seeds do not the same.
void expect_right(std::uint64_t seeds, const flaw& how) {
  std::uint64_t last = 0;
  std::size_t answered = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const outcome got = run(seed, how);
    expect(got.failure == nullptr, got.failure, seed);
    expect(got.hash != last, "another seed gives the same run", seed);
    if (seed % 10 == 0) expect(run(seed, how) == got, "the same seed gives another run", seed);
    last = got.hash;
    answered += got.answered;
  }
  expect(answered > 3 * seeds, "most clients met a fault", 0);
}

// Some seed fails, and fails again.
void expect_wrong(std::uint64_t seeds, const flaw& how) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const outcome got = run(seed, how);
    if (got.failure == nullptr) continue;
    return expect(run(seed, how) == got, "a seed that fails does not fail so again", seed);
  }
  expect(false, "no seed finds the flaw", seeds);
}

}  // namespace

int main() {
  expect_right(3000, {});
  expect_right(1000, {.has_failing_enters = true});
  expect_wrong(2000, {.takes_a_send_for_whole = true});
  expect_right(1000, {.loses_packets = true});
  expect_wrong(2000, {.has_no_timeout = true, .loses_packets = true});
  return failures == 0 ? 0 : 1;
}
