// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, that a submission works, and that a coroutine
// awaits over a real ring.
#include <gtest/gtest.h>

#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "coroutines.hpp"

import pinion.iosubmit;

namespace {

using namespace pinion::iosubmit;

// A ring that anybody can write: it answers a nop with 0, and knows nothing else.
class nop_ring {
 public:
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept { return operation == codes::nop; }
  [[nodiscard]] std::uint32_t room() const noexcept { return 8 - pending(); }
  void put(const pinion::ring_entry& entry) noexcept { pending_.push_back(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return static_cast<std::uint32_t>(pending_.size()); }
  [[nodiscard]] bool has_completions() const noexcept { return !done_.empty(); }
  [[nodiscard]] bool wants_enter() const noexcept { return false; }
  pinion::ring_entered enter(const pinion::ring_wait&) noexcept {
    const std::uint32_t taken = pending();
    for (const pinion::ring_entry& each : pending_) {
      done_.push_back({each.user_data, supports(each.operation) ? 0 : -EOPNOTSUPP, 0});
    }
    pending_.clear();
    return {.accepted = taken};
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    std::vector<pinion::ring_completion> done;
    done.swap(done_);
    for (const pinion::ring_completion& each : done) sink(each);
    return done.size();
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    std::vector<pinion::ring_entry> pending;
    pending.swap(pending_);
    for (const pinion::ring_entry& each : pending) sink(each);
    return pending.size();
  }

 private:
  std::vector<pinion::ring_entry> pending_;
  std::vector<pinion::ring_completion> done_;
};

struct asked : operation {
  explicit asked(const pinion::ring_entry& what)
      : operation{what, [](pinion::ring_answer& self, std::int32_t answer) noexcept {
                    static_cast<asked&>(self).result = answer;
                  }} {}
  std::int32_t result = 1;
};

TEST(iosubmit_module, ASubmissionAnswersWhatItWasAsked) {
  static_assert(ring<nop_ring> && submit_policy<batch_or_idle> && submit_policy<immediate>);
  asked nothing{entries::nop()}, much{entries::close(-1)};
  submission<batch_or_idle, nop_ring> io{nop_ring{}, {.batch = 3}};

  io.queue(nothing);
  io.queue(much);
  const std::uint32_t queued = io.depth();
  const std::size_t answered = io.park(pinion::instant{2});

  EXPECT_EQ(queued, 2U);
  EXPECT_EQ(answered, 2U);
  EXPECT_EQ(nothing.result, 0);
  EXPECT_EQ(much.result, -EOPNOTSUPP);
}

TEST(iosubmit_module, ASubmissionHandsOverAndTellsASinkOfAWatch) {
  submission<batch_or_idle, nop_ring> io{nop_ring{}};
  pinion::ring_completion seen{};
  const std::uint8_t mark = io.add_sink({.function =
                                             [](void* context, const pinion::ring_completion& one) noexcept {
                                               *static_cast<pinion::ring_completion*>(context) = one;
                                             },
                                         .context = &seen})
                                .value();

  EXPECT_TRUE(io.own());
  EXPECT_TRUE(io.watch(entries::poll_multishot(0, 1, 8U | mark)));
  io.submit();
  EXPECT_EQ(io.depth(), 0U);
  io.turn(pinion::instant{1});

  EXPECT_EQ(seen.user_data, 8U | mark);
  EXPECT_EQ(seen.result, -EOPNOTSUPP);
  io.remove_sink(mark);
}

TEST(iosubmit_module, WhatIsCompiledIntoTheLibraryIsReached) {
  EXPECT_EQ(to_string(enter_reason::urgent), "urgent");
  EXPECT_EQ(to_string(submission_statistics{}).substr(0, 9), "enters: 0");
}

TEST(iosubmit_module, APolicyFollowsWhatASubmissionTellsIt) {
  static_assert(submit_policy<default_policy> && submit_policy<adaptive> && latency_policy<adaptive>);
  asked nothing{entries::nop()};
  submission<adaptive, nop_ring> io{nop_ring{}, adaptive{adaptive_options{.batch_max = 16}}};

  io.queue(nothing);
  io.park(pinion::instant{2});

  EXPECT_EQ(nothing.result, 0);
  EXPECT_NE(to_string(io.policy()).find("turns of"), std::string::npos) << to_string(io.policy());
}

TEST(iosubmit_module, SettingsAreParsedAndChooseAPolicy) {
  const auto parsed = parse_settings({.mode = "high-throughput", .batch_size = "16"});
  const auto refused = parse_settings({.batch_size = "0", .max_wait_us = "1ms"});

  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (settings{.mode = submit_mode::high_throughput, .batch_size = 16}));
  const chosen_policy policy{effective({}, *parsed)};
  EXPECT_EQ(policy.settings().batch_size_from, setting_source::environment);
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().size(), 2U);
  EXPECT_EQ(refused.error()[0].asked, "PINION_SUBMIT_BATCH_SIZE is \"0\"");
  EXPECT_EQ(refused.error()[0].code, std::errc::invalid_argument);
}

TEST(iosubmit_module, ACoroutineAwaitsOverTheRingThatTheMachineHas) {
  auto opened = open_ring({.uring = {.entries = 8}, .epoll = {.entries = 8}});
  ASSERT_TRUE(opened) << to_string(opened.error());
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(*opened)>, default_ring>);
  submission<default_policy, default_ring> io{std::move(*opened)};
  std::optional<pinion::expected<std::uint32_t, std::error_code>> nothing;
  bool is_over = false;
  const auto wait = [&]() -> pinion::iosubmit::testing::eager {
    nothing = co_await awaiting(io, entries::nop());
    is_over = (co_await sleep_for(io, pinion::duration{1'000})).has_value();
  };

  wait();
  for (int turns = 0; turns != 1'000 && !is_over; ++turns) io.park(io.now() + pinion::duration{10'000'000});

  EXPECT_TRUE(is_over);
  ASSERT_TRUE(nothing && *nothing);
  EXPECT_EQ(**nothing, 0U);
  EXPECT_EQ(io.depth() + io.in_flight(), 0U);
}

TEST(iosubmit_module, AnEpollRingIsNamedAndServes) {
  auto opened = epoll_ring::open({.entries = 8, .in_flight = 8});
  ASSERT_TRUE(opened) << to_string(opened.error());
  submission<batch_or_idle, epoll_ring> io{std::move(*opened)};
  asked nothing{entries::nop()}, unserved{entries::fsync(0, entries::synced::contents_only)};

  io.queue(nothing);
  io.queue(unserved);
  io.park(io.now());

  EXPECT_EQ(nothing.result, 0);
  EXPECT_EQ(unserved.result, -EOPNOTSUPP);
}

TEST(iosubmit_module, AWholeBufferIsAwaited) {
  submission<batch_or_idle, nop_ring> io{nop_ring{}};
  std::optional<std::error_code> sent, came;
  std::vector<std::byte> bytes(8);
  const auto talk = [&]() -> pinion::iosubmit::testing::eager {
    sent = (co_await send_all(io, -1, bytes)).error();
    came = (co_await recv_all(io, -1, bytes)).error();
  };

  talk();
  for (int turns = 0; turns != 3; ++turns) io.park(pinion::instant{2});

  ASSERT_TRUE(sent && came);
  EXPECT_EQ(*sent, std::errc::operation_not_supported);
  EXPECT_EQ(*came, std::errc::operation_not_supported);
}

TEST(iosubmit_module, WhatServersLiveOnIsThereWhereTheRingHasNothingOfIt) {
  submission<batch_or_idle, nop_ring> io{nop_ring{}};
  std::optional<std::error_code> accepted, came, sent;
  {
    acceptor connections{io, -1};
    const buffer_group_options two{.count = 2, .size = 16};
    buffer_group buffers{io, two};
    receiver from{io, -1, buffers};
    const auto talk = [&]() -> pinion::iosubmit::testing::eager {
      accepted = (co_await connections.next()).error();
      const pinion::expected<buffer_lease, std::error_code> part = co_await from.next();
      came = part.error();
      sent = (co_await send_zc(io, -1, {})).error();
    };

    talk();
    for (int turns = 0; turns != 8; ++turns) io.park(pinion::instant{2});
    EXPECT_FALSE(buffers.is_kernels());
  }

  ASSERT_TRUE(accepted && came && sent);
  EXPECT_EQ(*accepted, std::errc::operation_not_supported);
  EXPECT_EQ(*came, std::errc::operation_not_supported);
  EXPECT_EQ(*sent, std::errc::operation_not_supported);
}

TEST(iosubmit_module, APolicyIsPrinted) {
  EXPECT_EQ(to_string(immediate{}), "each operation");
  EXPECT_EQ(to_string(batch_or_idle{}), "batch 128 or idle");
  EXPECT_EQ(to_string(each_turn{}), "each turn");
  EXPECT_EQ(to_string(low_latency{}), "batch 1 or 100 us");
  EXPECT_EQ(to_string(high_throughput{}).substr(0, 19), "batch 64 or 1000 us");
}

// Without a fallback: a ring, or a reason.
TEST(iosubmit_module, ARingIsOpenedOrRefusedWithAReason) {
  auto opened = uring_ring::open({.entries = 8});

  if (!opened) GTEST_SKIP() << to_string(opened.error());
  EXPECT_EQ(opened->features().entries, 8U);
  EXPECT_EQ(opened->room(), 8U);
}

}  // namespace
