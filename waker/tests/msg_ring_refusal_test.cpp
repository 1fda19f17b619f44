// SPDX-License-Identifier: Apache-2.0
//
// Why a msg_ring_notifier can't be made: what it says, and that nothing stays open.
#include <gtest/gtest.h>

#include <cerrno>
#include <pinion/waker.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace pinion::waker::testing {
namespace {

constexpr std::uint64_t mark = 77;

// What a notifier over that port is refused with; empty where it is made.
template <class Notifier, class Port>
std::pair<std::error_code, std::string> refusal_of(const Port& port) {
  try {
    const Notifier bell{port, mark};
  } catch (const std::system_error& refused) {
    return {refused.code(), refused.what()};
  }
  return {};
}

struct port_of {
  int number;
  [[nodiscard]] int descriptor() const noexcept { return number; }
  [[nodiscard]] static bool is_owner() noexcept { return true; }
  static bool queue(const ring_entry&, ring_answer&) noexcept { return false; }
};

TEST(msg_ring_refusal, WhatIsNoRingIsRefusedWithTheRemedy) {
  constexpr int open_by_nobody = 987'654;
  const std::string remedy =
      "; make the notifier while the ring is open; an owner without an io_uring takes an eventfd_notifier";

  const auto [closed, of_closed] = refusal_of<msg_ring_notifier>(port_of{open_by_nobody});
  const auto [none, of_none] = refusal_of<msg_ring_notifier>(port_of{-1});

  EXPECT_EQ(closed, std::errc::bad_file_descriptor);
  EXPECT_EQ(of_closed,
            "a notifier over the io_uring with descriptor 987654: the descriptor is closed" + remedy);
  EXPECT_EQ(none, std::errc::bad_file_descriptor);
  EXPECT_EQ(of_none, "a notifier over the io_uring with descriptor -1: its port has no io_uring" + remedy);
}

// A kernel that has no descriptors left: for the ring's, or for the eventfd.
struct full_kernel : msg_ring_calls {
  static inline bool has_one_left;
  static inline int closed;
  static int duplicate(int) noexcept { return has_one_left ? 1'000 : -EMFILE; }
  static int open() noexcept { return -EMFILE; }
  static void close(int) noexcept { ++closed; }
};

TEST(msg_ring_refusal, ANotifierForWhichNoDescriptorIsLeftIsRefusedAndKeepsNone) {
  for (const bool one_left : {false, true}) {
    full_kernel::has_one_left = one_left;
    full_kernel::closed = 0;

    const auto refused = refusal_of<basic_msg_ring_notifier<full_kernel, std_sync>>(port_of{-1});

    EXPECT_EQ(refused.first, std::errc::too_many_files_open);
    EXPECT_NE(refused.second.find("ulimit -n"), std::string::npos) << refused.second;
    EXPECT_EQ(full_kernel::closed, one_left ? 1 : 0);
  }
}

}  // namespace
}  // namespace pinion::waker::testing
