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
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <span>
#include <utility>

namespace pinion::iosubmit::testing {

// Fails as often as is said, and counts.
struct scripted_fault {
  int error = 0;
  int times = 0;
  int calls = 0;
  // The error that this call is to have, or 0.
  int next() noexcept {
    ++calls;
    if (times <= 0) return 0;
    --times;
    return error;
  }
};

// The real calls, of which some fail.
struct failing_calls {
  static inline scripted_fault opening, adding, modifying, waiting, waiting_coarsely, attempting;

  static void mend() noexcept {
    for (scripted_fault* each : {&opening, &adding, &modifying, &waiting, &waiting_coarsely, &attempting})
      *each = {};
  }

  static constexpr epoll_detail::epoll_calls table{
      .open =
          []() noexcept {
            const int error = opening.next();
            return error != 0 ? error : epoll_detail::system_calls.open();
          },
      .close = [](int epoll) noexcept { epoll_detail::system_calls.close(epoll); },
      .watch =
          [](int epoll, epoll_detail::watch_change change, int descriptor, std::uint32_t events) noexcept {
            int error = 0;
            if (change == epoll_detail::watch_change::add) error = adding.next();
            if (change == epoll_detail::watch_change::modify) error = modifying.next();
            return error != 0 ? error : epoll_detail::system_calls.watch(epoll, change, descriptor, events);
          },
      .wait =
          [](int epoll, std::span<epoll_detail::descriptor_event> into, duration timeout) noexcept {
            const int error = waiting.next();
            return error != 0 ? error : epoll_detail::system_calls.wait(epoll, into, timeout);
          },
      .wait_coarsely =
          [](int epoll, std::span<epoll_detail::descriptor_event> into, duration timeout) noexcept {
            const int error = waiting_coarsely.next();
            return error != 0 ? error : epoll_detail::system_calls.wait_coarsely(epoll, into, timeout);
          },
      .attempt = [](const ring_entry& entry, bool again) noexcept -> std::int32_t {
        const int error = attempting.next();
        return error != 0 ? error : epoll_detail::system_calls.attempt(entry, again);
      }};
};

/// The shipped ring over them.
class failing_ring : public epoll_ring {
 public:
  explicit failing_ring(const epoll_ring_options& options) : epoll_ring(options, failing_calls::table) {}
  static expected<failing_ring, refusal> open(const epoll_ring_options& options) {
    auto opened = epoll_ring::open(options, failing_calls::table);
    if (!opened) return unexpected<refusal>{opened.error()};
    return failing_ring{std::move(*opened)};
  }

 private:
  explicit failing_ring(epoll_ring made) noexcept : epoll_ring(std::move(made)) {}
};
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
