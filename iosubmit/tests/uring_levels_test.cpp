// SPDX-License-Identifier: Apache-2.0
//
// uring_ring on kernels of every level: what it asks for, what it goes without, and how often it enters.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <pinion/iosubmit.hpp>
#include <string>

#include "asked.hpp"
#include "fake_kernel.hpp"
#include "uring_testing.hpp"

namespace pinion::iosubmit::testing {
namespace {

using faulty_ring = basic_uring_ring<faulty_calls>;
namespace flag = kernel::setup;

constexpr std::uint32_t always_there = flag::completion_entries | flag::clamp | flag::disabled;
constexpr std::uint32_t cooperative = flag::coop_taskrun | flag::taskrun_flag;

struct level_row {
  int level;
  std::uint32_t flags;
  bool registers, has_min_wait, has_no_iowait, sends_messages;
};
constexpr level_row rows[] = {
    {511, always_there, false, false, false, false},
    {513, always_there, false, false, false, false},
    {518, always_there | flag::submit_all, true, false, false, true},
    {519, always_there | flag::submit_all | cooperative, true, false, false, true},
    {600, always_there | flag::submit_all | cooperative | flag::single_issuer, true, false, false, true},
    {601, always_there | flag::submit_all | cooperative | flag::single_issuer | flag::defer_taskrun, true,
     false, false, true},
    {606,
     always_there | flag::submit_all | cooperative | flag::single_issuer | flag::defer_taskrun |
         flag::no_sq_array,
     true, false, false, true},
    {612,
     always_there | flag::submit_all | cooperative | flag::single_issuer | flag::defer_taskrun |
         flag::no_sq_array,
     true, true, false, true},
    {615,
     always_there | flag::submit_all | cooperative | flag::single_issuer | flag::defer_taskrun |
         flag::no_sq_array,
     true, true, true, true},
};

TEST(UringLevelsTest, TakesWhatTheKernelKnowsAndSaysSo) {
  for (const level_row& row : rows) {
    SCOPED_TRACE(row.level);
    fake_kernel kernel{row.level};
    faulty_ring ring{{.entries = 8, .completion_entries = 16, .no_iowait = true}};

    ring.put(named(entries::nop(), 8));
    ring.enter({.count = 1});

    EXPECT_EQ(ring.features().setup_flags, row.flags) << to_string(ring.features());
    EXPECT_EQ(ring.features().registered_descriptor, row.registers);
    EXPECT_EQ(kernel.saw_registered_enter, row.registers);
    EXPECT_EQ(ring.features().min_wait, row.has_min_wait);
    EXPECT_EQ(ring.features().no_iowait, row.has_no_iowait);
    EXPECT_EQ(kernel.saw_no_iowait, row.has_no_iowait);
    EXPECT_EQ(ring.supports(codes::msg_ring), row.sends_messages);
    EXPECT_EQ(reaped(ring).size(), 1U);
  }
}

TEST(UringLevelsTest, WhatIsNotWantedIsNotAskedFor) {
  fake_kernel kernel{615};
  faulty_ring ring{{.entries = 8,
                    .completion_entries = 0,
                    .single_issuer = false,
                    .defer_taskrun = true,  // needs single_issuer
                    .coop_taskrun = false,
                    .submit_all = false,
                    .no_sq_array = false,
                    .registered_descriptor = false,
                    .min_wait = false}};

  ring.enter({.count = 4, .gather = duration{1000}, .timeout = duration{2000}});

  EXPECT_EQ(ring.features().setup_flags, flag::clamp | flag::disabled);
  EXPECT_EQ(ring.features().missing_flags, 0U);
  EXPECT_EQ(ring.features().completion_entries, 16U);
  EXPECT_FALSE(kernel.saw_registered_enter);
  EXPECT_FALSE(kernel.saw_min_wait);
  EXPECT_FALSE(kernel.saw_no_iowait);
  EXPECT_EQ(kernel.setups, 1);
}

// The kernel refuses taskrun_flag where nothing is kept back.
TEST(UringLevelsTest, LeavesOutWhatNeedsAFlagThatIsNotKnown) {
  fake_kernel kernel{600};

  const faulty_ring ring{{.entries = 8, .coop_taskrun = false}};

  EXPECT_EQ(ring.features().setup_flags, always_there | flag::submit_all | flag::single_issuer);
}

TEST(UringLevelsTest, TrustsAKernelThatDoesNotSayWhatItKnows) {
  fake_kernel kernel{615};
  kernel.fails(faulty::probe, -EINVAL, 1);

  const faulty_ring ring{{.entries = 8}};

  EXPECT_TRUE(ring.supports(codes::recv));
  EXPECT_TRUE(ring.supports(codes::nop));
  EXPECT_FALSE(ring.supports(codes::msg_ring));
}

TEST(UringLevelsTest, EpollStandsInWhereASandboxForbidsToRegister) {
  fake_kernel kernel{615};
  kernel.fails(faulty::probe, -EPERM, 1);

  const auto opened = open_ring<either_ring<faulty_ring, epoll_ring>>();

  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->first(), nullptr);
  EXPECT_EQ(kernel.rings, 0) << "a descriptor leaks";
}

TEST(UringLevelsTest, GathersByTheKernelOrWaitsForOne) {
  for (const level_row& row : rows) {
    SCOPED_TRACE(row.level);
    fake_kernel kernel{row.level};
    faulty_ring ring{{.entries = 8}};

    ring.enter({.count = 4, .gather = duration{500}, .timeout = duration{9000}});

    EXPECT_EQ(kernel.saw_min_wait, row.has_min_wait);
    EXPECT_EQ(kernel.last_wait_for, row.has_min_wait ? 4U : 1U);
    EXPECT_TRUE(kernel.saw_timeout);
  }
}

TEST(UringLevelsTest, WaitsForAllWhereItMayGatherToTheEnd) {
  fake_kernel kernel{511};
  faulty_ring ring{{.entries = 8}};

  ring.enter({.count = 4, .gather = duration{9000}, .timeout = duration{9000}});

  EXPECT_EQ(kernel.last_wait_for, 4U);
}

TEST(UringLevelsTest, RefusesWhatCanNotWorkBeforeItAsks) {
  fake_kernel kernel{615};

  const auto none = faulty_ring::open({.entries = 0});
  const auto few = faulty_ring::open({.entries = 64, .completion_entries = 32});

  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, std::errc::invalid_argument);
  ASSERT_FALSE(few.has_value());
  EXPECT_EQ(few.error().code, std::errc::invalid_argument);
  EXPECT_NE(to_string(few.error()).find("completion_entries"), std::string::npos);
  EXPECT_EQ(kernel.setups, 0);
}

TEST(UringLevelsTest, NamesTheLimitThatWasMet) {
  fake_kernel kernel{511};
  kernel.memory_limit = 77777;
  kernel.fails(faulty::setup, -ENOMEM, 1);

  const auto opened = faulty_ring::open({});

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code.value(), ENOMEM);
  EXPECT_NE(opened.error().reason.find("in force is 77777 bytes"), std::string::npos);
  EXPECT_NE(to_string(opened.error()).find("ulimit -l"), std::string::npos);
}

TEST(UringLevelsTest, NamesTheLimitOfDescriptorsInDescriptors) {
  fake_kernel kernel{511};
  kernel.descriptor_limit = 77;
  kernel.fails(faulty::setup, -EMFILE, 1);

  const auto opened = faulty_ring::open({});

  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(to_string(opened.error()).find("is 77 descriptors; "), std::string::npos);
}

TEST(UringLevelsTest, S2EntersOncePerParkAndNotForNothing) {
  fake_kernel kernel{615};
  submission<batch_or_idle, faulty_ring> io{faulty_ring{{.entries = 8}}};
  asked first{entries::nop()}, second{entries::nop()};

  io.turn(io.now());
  const int for_nothing = kernel.enters;
  io.queue(first);
  io.queue(second);
  io.park(never);

  EXPECT_EQ(for_nothing, 0);
  EXPECT_EQ(kernel.enters, 1);
  EXPECT_EQ(first.answers + second.answers, 2);
}

TEST(UringLevelsTest, S4FetchesWhatIsFlaggedInTheSameTurn) {
  for (const level_row& row : rows) {
    SCOPED_TRACE(row.level);
    fake_kernel kernel{row.level};
    kernel.keeps_completions_back();
    submission<immediate, faulty_ring> io{faulty_ring{{.entries = 8}}};
    asked one{entries::nop()};
    io.queue(one);
    ASSERT_EQ(one.answers, 0);

    io.turn(io.now());

    EXPECT_EQ(one.answers, 1);
  }
}

}  // namespace
}  // namespace pinion::iosubmit::testing
