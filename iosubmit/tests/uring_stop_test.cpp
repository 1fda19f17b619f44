// SPDX-License-Identifier: Apache-2.0
//
// stop() over kernels that let go of what they hold only when it is cancelled: by name on all of them, at
// once since Linux 5.19.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <utility>

#include "asked.hpp"
#include "fake_kernel.hpp"

namespace pinion::iosubmit::testing {
namespace {

using faulty_ring = basic_uring_ring<faulty_calls>;
using faulty_io = submission<batch_or_idle, faulty_ring>;

constexpr int first_to_cancel_all = 519;

// What a quiet connection is asked.
ring_entry quiet() noexcept { return {.operation = codes::recv, .descriptor = 0}; }

TEST(UringStopTest, HasTheKernelLetGoOfWhatItHolds) {
  for (const int level : fake_kernel::levels) {
    if (level < first_to_cancel_all) continue;
    SCOPED_TRACE(level);
    fake_kernel kernel{level};
    kernel.holds_until_cancelled();
    faulty_io io{faulty_ring{{.entries = 8}}};
    asked one{quiet()}, other{quiet()};
    io.queue(one);
    io.queue(other);
    look(io);

    io.stop();

    EXPECT_EQ(one.result, -ECANCELED);
    EXPECT_EQ(other.result, -ECANCELED);
    EXPECT_EQ(io.in_flight(), 0U);
  }
}

TEST(UringStopTest, WaitsOnOlderKernelsForNothingThatWasCancelledByName) {
  for (const int level : fake_kernel::levels) {
    if (level < 511 || level >= first_to_cancel_all) continue;
    SCOPED_TRACE(level);
    fake_kernel kernel{level};
    kernel.holds_until_cancelled();
    faulty_io io{faulty_ring{{.entries = 8}}};
    asked one{quiet()}, cancel{entries::cancel(one)};
    io.queue(one);
    look(io);
    io.queue(cancel);
    look(io);
    const int enters = kernel.enters;

    io.stop();

    EXPECT_EQ(cancel.result, 0);
    EXPECT_EQ(one.result, -ECANCELED);
    EXPECT_EQ(kernel.enters, enters) << "there was nothing to wait for";
  }
}

// The kernel's own, which gives up where it is entered for ever.
struct patient_calls : uring_calls {
  static constexpr int enters_max = 1'000;
  static inline int enters;
  static int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                   const kernel::wait_argument* argument) noexcept {
    return ++enters > enters_max ? -EPERM : uring_calls::enter(ring, submit, wait_for, flags, argument);
  }
};

TEST(UringStopTest, EndsWhereCompletionsOverflowAQueueOfOne) {
  set_diagnostic_sink([](const diagnostic&) noexcept {});
  patient_calls::enters = 0;
  auto ring = basic_uring_ring<patient_calls>::open({.entries = 1, .completion_entries = 1});
  if (!ring) GTEST_SKIP() << to_string(ring.error());
  submission<immediate, basic_uring_ring<patient_calls>> io{std::move(*ring)};
  std::array<asked, 4> all{asked{entries::nop()}, asked{entries::nop()}, asked{entries::nop()},
                           asked{entries::nop()}};
  for (asked& each : all) io.queue(each);

  io.stop();
  set_diagnostic_sink(nullptr);

  for (const asked& each : all) EXPECT_EQ(each.answers, 1);
  EXPECT_LT(patient_calls::enters, patient_calls::enters_max);
}

// The kernel tells how many completions it lost, and not whose they were.
TEST(UringStopTest, WaitsForAHeldReadThoughAMessageWasLost) {
  set_diagnostic_sink([](const diagnostic&) noexcept {});
  fake_kernel kernel{615};
  kernel.holds_until_cancelled();
  kernel.has_no_memory_for_overflow();
  {
    faulty_io io{faulty_ring{{.entries = 8, .completion_entries = 8}}};
    asked held{quiet()};
    io.queue(held);
    look(io);
    for (int messages = 0; messages != 9; ++messages)
      kernel.deliver({.user_data = 8 + 2, .result = 0, .flags = 0});
    io.turn(io.now());
    EXPECT_EQ(io.ring().lost(), 1U);
    EXPECT_EQ(io.in_flight(), 0U) << "one too few";

    io.stop();

    EXPECT_EQ(held.answers, 1);
    EXPECT_EQ(held.result, -ECANCELED);
  }
  set_diagnostic_sink(nullptr);
  EXPECT_EQ(kernel.rings, 0);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
