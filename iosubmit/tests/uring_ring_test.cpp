// SPDX-License-Identifier: Apache-2.0
//
// uring_ring over the real kernel: what it takes, gives back, waits for, and keeps. Skipped, with the reason,
// where there is none.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <pinion/iosubmit.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "uring_testing.hpp"

namespace pinion::iosubmit::testing {
namespace {

static_assert(ring<uring_ring>);
static_assert(ring_port<uring_ring>);
static_assert(!std::is_copy_constructible_v<uring_ring>);
static_assert(std::is_nothrow_move_constructible_v<uring_ring> &&
              std::is_nothrow_move_assignable_v<uring_ring>);

using UringRingTest = on_real_rings;

TEST_F(UringRingTest, AnswersWhatItWasGiven) {
  uring_ring ring{{.entries = 8}};
  ring.put(named(entries::nop(), 24));

  const ring_entered done = ring.enter({.count = 1});

  EXPECT_EQ(done, (ring_entered{.accepted = 1}));
  EXPECT_EQ(ring.pending(), 0U);
  EXPECT_TRUE(ring.has_completions());
  const auto all = reaped(ring);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].user_data, 24U);
  EXPECT_EQ(all[0].result, 0);
  EXPECT_FALSE(ring.has_completions());
}

TEST_F(UringRingTest, SaysWhatItHas) {
  uring_ring ring{{.entries = 5, .completion_entries = 100}};

  ring.enter({});

  EXPECT_EQ(ring.features().entries, 8U);
  EXPECT_EQ(ring.features().completion_entries, 128U);
  EXPECT_NE(to_string(ring.features()).find("8 entries, 128 completions; "), std::string::npos);
  EXPECT_TRUE(ring.supports(codes::nop));
  EXPECT_TRUE(ring.supports(codes::recv));
  EXPECT_FALSE(ring.supports(codes::refused));
}

TEST_F(UringRingTest, GoesOnRoundItsQueuesManyTimes) {
  uring_ring ring{{.entries = 4, .completion_entries = 8}};
  std::uint64_t next = 8, came = 8;

  for (int round = 0; round != 100; ++round) {
    while (ring.room() != 0) ring.put(named(entries::nop(), next++));
    ASSERT_EQ(ring.enter({.count = 4, .gather = forever}).accepted, 4U);
    for (const ring_completion& one : reaped(ring)) ASSERT_EQ(one.user_data, came++);
  }

  EXPECT_EQ(came, 408U);
  EXPECT_EQ(next, 408U);
  EXPECT_EQ(ring.room(), 4U);
}

TEST_F(UringRingTest, LosesNothingWhereATinyCompletionQueueOverflows) {
  constexpr std::uint64_t count = 64;
  uring_ring ring{{.entries = 4, .completion_entries = 4}};
  std::vector<int> answers(count + 1);
  std::uint64_t put = 0;

  while (put != count) {
    while (ring.room() != 0) ring.put(named(entries::nop(), ++put));
    for (int tries = 0; ring.pending() != 0 && tries != 8; ++tries) {
      if (ring.enter({}).error == -EBUSY) {
        for (const ring_completion& one : reaped(ring)) ++answers[one.user_data];
      }
    }
  }
  EXPECT_TRUE(ring.wants_enter()) << "there was no overflow to test";
  for (int tries = 0; tries != 100 && (ring.has_completions() || ring.wants_enter()); ++tries) {
    for (const ring_completion& one : reaped(ring)) ++answers[one.user_data];
    ring.enter({});
  }

  for (std::uint64_t one = 1; one <= count; ++one) EXPECT_EQ(answers[one], 1) << one;
  EXPECT_EQ(ring.lost(), 0U);
}

TEST_F(UringRingTest, FetchesWhatTheKernelKeepsBackWhereItIsFlagged) {
  uring_ring ring{{}};
  if ((ring.features().setup_flags & kernel::setup::defer_taskrun) == 0)
    GTEST_SKIP() << to_string(ring.features());
  const pipe_ends ends;
  ring.put(named(entries::poll(ends.reader(), POLLIN), 8));
  ring.enter({});
  const auto flags = [&] { return *static_cast<const volatile std::uint32_t*>(ring.flags()); };
  ASSERT_FALSE(ring.wants_enter());
  ASSERT_EQ(flags(), 0U);

  ends.write_a_byte();

  EXPECT_TRUE(ring.wants_enter());
  EXPECT_EQ(flags(), kernel::submission_flag::taskrun);
  EXPECT_FALSE(ring.has_completions());
  ring.enter({});
  EXPECT_FALSE(ring.wants_enter());
  EXPECT_EQ(reaped(ring).size(), 1U);
}

TEST_F(UringRingTest, HandsOverWithoutFetchingWhereItIsToldSo) {
  uring_ring ring{{.entries = 4}};
  if ((ring.features().setup_flags & kernel::setup::defer_taskrun) == 0)
    GTEST_SKIP() << to_string(ring.features());
  const pipe_ends first, second;
  ring.put(named(entries::poll(first.reader(), POLLIN), 1));
  ring.enter({});
  first.write_a_byte();
  while (!ring.wants_enter()) std::this_thread::yield();
  ring.put(named(entries::poll(second.reader(), POLLIN), 2));

  const ring_entered done = ring.enter({.fetches = false});

  EXPECT_EQ(done, (ring_entered{.accepted = 1}));
  EXPECT_FALSE(ring.has_completions());
  EXPECT_TRUE(ring.wants_enter());
  ring.enter({});
  EXPECT_TRUE(ring.has_completions());
}

TEST_F(UringRingTest, TheEndOfAWaitIsNoError) {
  uring_ring ring{{}};

  const ring_entered done = ring.enter({.count = 1, .timeout = duration{1000}});

  EXPECT_EQ(done, ring_entered{});
}

TEST_F(UringRingTest, WaitsWithoutHandingOverWhatIsPending) {
  uring_ring ring{{}};
  ring.put(named(entries::nop(), 8));

  const ring_entered done = ring.enter({.count = 1, .timeout = duration{1000}, .keeps_pending = true});

  EXPECT_EQ(done, ring_entered{});
  EXPECT_EQ(ring.pending(), 1U);
  EXPECT_EQ(ring.enter({.count = 1}).accepted, 1U);
}

TEST_F(UringRingTest, HandsBackWhatIsPendingInOrder) {
  uring_ring ring{{.entries = 4}};
  for (std::uint64_t name : {8U, 16U, 24U}) ring.put(named(entries::nop(), name));
  std::vector<std::uint64_t> names;

  const std::size_t count =
      ring.withdraw([&](const ring_entry& one) noexcept { names.push_back(one.user_data); });

  EXPECT_EQ(count, 3U);
  EXPECT_EQ(names, (std::vector<std::uint64_t>{8, 16, 24}));
  EXPECT_EQ(ring.pending(), 0U);
  EXPECT_EQ(ring.enter({.count = 1, .timeout = duration{1000}}), ring_entered{});
  EXPECT_TRUE(reaped(ring).empty());
}

TEST_F(UringRingTest, WhatIsPutDuringAWithdrawalStaysPending) {
  uring_ring ring{{.entries = 4}};
  for (std::uint64_t name : {8U, 16U}) ring.put(named(entries::nop(), name));
  ring_entered meanwhile;

  ring.withdraw([&](const ring_entry& one) noexcept {
    ring.put(named(one, one.user_data + 1000));
    meanwhile = ring.enter({});
  });
  const ring_entered done = ring.enter({.count = 2});

  EXPECT_EQ(meanwhile, (ring_entered{.error = -EBUSY}));
  EXPECT_EQ(done.accepted, 2U);
  const auto all = reaped(ring);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].user_data, 1008U);
  EXPECT_EQ(all[1].user_data, 1016U);
}

TEST_F(UringRingTest, ReapsWhatWasThereWhenItBeganWhileTheSinkEnters) {
  uring_ring ring{{.entries = 2, .completion_entries = 2}};
  for (std::uint64_t name : {8U, 16U}) ring.put(named(entries::nop(), name));
  ring.enter({.count = 2});
  std::vector<std::uint64_t> names;

  const std::size_t count = ring.reap([&](const ring_completion& one) noexcept {
    names.push_back(one.user_data);
    ring.put(named(entries::nop(), one.user_data + 1000));
    ring.enter({});
  });

  EXPECT_EQ(count, 2U);
  EXPECT_EQ(names, (std::vector<std::uint64_t>{8, 16}));
  EXPECT_EQ(reaped(ring).size(), 2U);
}

TEST_F(UringRingTest, MovesWithWhatIsPendingAndInFlight) {
  const pipe_ends ends;
  uring_ring first{{}};
  first.put(named(entries::poll(ends.reader(), POLLIN), 8));
  first.enter({});
  first.put(named(entries::nop(), 16));

  uring_ring second{std::move(first)};
  uring_ring third{{.entries = 1}};
  third = std::move(second);
  ends.write_a_byte();
  const ring_entered done = third.enter({.count = 2, .gather = forever});

  EXPECT_EQ(done.accepted, 1U);
  EXPECT_EQ(reaped(third).size(), 2U);
  EXPECT_TRUE(third.is_owner());
  EXPECT_EQ(first.room(), 0U);
  EXPECT_EQ(first.enter({}), (ring_entered{.error = -EBADF}));
  EXPECT_EQ(first.descriptor(), -1);
}

TEST_F(UringRingTest, BelongsToTheThreadThatEntersItFirst) {
  std::optional<uring_ring> ring{std::in_place, uring_options{}};
  ASSERT_FALSE(ring->is_owner());
  bool was_owner = false, is_owner = false;
  std::size_t count = 0;

  std::thread owner{[&] {
    was_owner = ring->is_owner();
    ring->put(named(entries::nop(), 8));
    ring->enter({.count = 1});
    is_owner = ring->is_owner();
    count = reaped(*ring).size();
    ring.reset();
  }};
  owner.join();

  EXPECT_FALSE(was_owner);
  EXPECT_TRUE(is_owner);
  EXPECT_EQ(count, 1U);
}

TEST_F(UringRingTest, IsOwnedBeforeItIsEntered) {
  uring_ring ring{{}};
  ASSERT_FALSE(ring.is_owner());

  EXPECT_EQ(ring.own(), 0);
  EXPECT_TRUE(ring.is_owner());
  EXPECT_EQ(ring.own(), 0) << "once more, it does nothing";

  ring.put(entries::nop());
  EXPECT_EQ(ring.enter({.count = 1}), (ring_entered{.accepted = 1}));
}

TEST_F(UringRingTest, IsNotOwnedByASecondThread) {
  if (!is_checked) GTEST_SKIP() << "an unchecked build does not look at contracts";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto own_twice = [] {
    uring_ring ring{{}};
    ring.own();
    std::thread{[&] { ring.own(); }}.join();
  };

  EXPECT_DEATH(own_twice(), "stays that one's");
}

TEST_F(UringRingTest, IsNoOtherThreads) {
  uring_ring ring{{}};
  ring.enter({});
  bool is_owner = true;

  std::thread{[&] { is_owner = ring.is_owner(); }}.join();

  EXPECT_FALSE(is_owner);
  EXPECT_TRUE(ring.is_owner());
}

TEST_F(UringRingTest, SendsMessagesToAnotherRing) {
  uring_ring from{{}}, to{{}};
  if (!from.supports(codes::msg_ring)) GTEST_SKIP() << "this kernel has no msg_ring (Linux 5.18)";
  to.enter({});
  from.put(named(entries::msg_ring(to.descriptor(), 88, 7), 8));

  from.enter({.count = 1});
  to.enter({.count = 1});

  const auto sent = reaped(from), came = reaped(to);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].result, 0);
  ASSERT_EQ(came.size(), 1U);
  EXPECT_EQ(came[0].user_data, 88U);
  EXPECT_EQ(came[0].result, 7);
}

// A thread has sixteen places for descriptors of rings.
TEST_F(UringRingTest, GoesWithoutARegisteredDescriptorWhereThereIsNoPlaceLeft) {
  std::vector<std::unique_ptr<uring_ring>> rings;
  for (int count = 0; count != 17; ++count) {
    rings.push_back(std::make_unique<uring_ring>(uring_options{.entries = 1, .completion_entries = 0}));
    rings.back()->put(named(entries::nop(), 8));
    EXPECT_EQ(rings.back()->enter({.count = 1}).accepted, 1U);
  }
  if (!rings.front()->features().registered_descriptor) GTEST_SKIP() << to_string(rings.front()->features());

  EXPECT_FALSE(rings.back()->features().registered_descriptor);
  EXPECT_EQ(reaped(*rings.back()).size(), 1U);
  rings.front().reset();
  uring_ring next{{.entries = 1, .completion_entries = 0}};
  next.enter({});
  EXPECT_TRUE(next.features().registered_descriptor) << "a ring that went has kept its place";
}

// The limit of open descriptors, for as long as it lives.
class lowered_descriptor_limit {
 public:
  lowered_descriptor_limit() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lowered = before_;
    lowered.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &lowered);
  }
  lowered_descriptor_limit(const lowered_descriptor_limit&) = delete;
  lowered_descriptor_limit& operator=(const lowered_descriptor_limit&) = delete;
  ~lowered_descriptor_limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(UringRingTest, SaysWhichLimitOfDescriptorsWasMet) {
  std::optional<expected<uring_ring, refusal>> opened;
  {
    const lowered_descriptor_limit lowered;
    opened.emplace(uring_ring::open({}));
  }

  ASSERT_FALSE(opened->has_value());
  EXPECT_EQ(opened->error().code.value(), EMFILE);
  EXPECT_NE(opened->error().reason.find("RLIMIT_NOFILE"), std::string::npos);
  EXPECT_NE(opened->error().remedy.find("ulimit -n"), std::string::npos);
}

TEST_F(UringRingTest, ThrowsTheRefusalWhereItIsConstructed) {
  try {
    const uring_ring ring{{.entries = 0}};
    FAIL() << "a ring of 0 entries was made";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EINVAL);
    EXPECT_NE(std::string{error.what()}.find("1 to 32768"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pinion::iosubmit::testing
