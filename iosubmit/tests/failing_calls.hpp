// SPDX-License-Identifier: Apache-2.0
//
// failing_calls: the real calls of an epoll_ring, of which some fail as often as is said.
//
//   failing_calls::waiting = {.error = -EINTR, .times = 1};
//   test_io io{failing_ring{{}}};
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <span>

namespace pinion::iosubmit::testing {

// Fails as often as is said, and counts.
struct scripted_fault {
  int error = 0;
  int times = 0;
  int calls = 0;
  // The error that this call is to have, or 0.
  int next() noexcept {
    ++calls;
    return times > 0 && times-- > 0 ? error : 0;
  }
};

// The real calls, of which some fail.
struct failing_calls : epoll_calls {
  static inline scripted_fault opening, adding, modifying, waiting, waiting_coarsely, attempting;

  static void mend() noexcept {
    for (scripted_fault* each : {&opening, &adding, &modifying, &waiting, &waiting_coarsely, &attempting})
      *each = {};
  }

  static int open() noexcept {
    const int error = opening.next();
    return error != 0 ? error : epoll_calls::open();
  }
  static int watch(int epoll, watch_change change, int descriptor, std::uint32_t events) noexcept {
    int error = 0;
    if (change == watch_change::add) error = adding.next();
    if (change == watch_change::modify) error = modifying.next();
    return error != 0 ? error : epoll_calls::watch(epoll, change, descriptor, events);
  }
  static int wait(int epoll, std::span<descriptor_event> into, duration timeout) noexcept {
    const int error = waiting.next();
    return error != 0 ? error : epoll_calls::wait(epoll, into, timeout);
  }
  static int wait_coarsely(int epoll, std::span<descriptor_event> into, duration timeout) noexcept {
    const int error = waiting_coarsely.next();
    return error != 0 ? error : epoll_calls::wait_coarsely(epoll, into, timeout);
  }
  static std::int32_t attempt(const ring_entry& entry, bool again) noexcept {
    const int error = attempting.next();
    return error != 0 ? error : epoll_calls::attempt(entry, again);
  }
};

/// The shipped ring over them.
using failing_ring = basic_epoll_ring<failing_calls>;
using test_io = submission<batch_or_idle, failing_ring>;

/// Mends all calls before and after.
class failing_calls_test : public ::testing::Test {
 protected:
  void SetUp() override { failing_calls::mend(); }
  void TearDown() override {
    failing_calls::mend();
    set_diagnostic_sink(nullptr);
  }
};

}  // namespace pinion::iosubmit::testing
