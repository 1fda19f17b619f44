// SPDX-License-Identifier: Apache-2.0
//
// kernel: what io_uring's three system calls are asked with, under names of our own.
//
// The kernel's header may be older than the kernel, and has no place in a header of ours. Layouts are checked by their sizes here
// and against the kernel's own in the source files. A comment says since which Linux a number means something.
//
//   kernel::setup_parameters asked{.flags = kernel::setup::disabled | kernel::setup::submit_all};
//   const int ring = uring_calls::setup(256, asked);
#pragma once

#include <cstdint>

namespace pinion::iosubmit::kernel {

/// Flags of io_uring_setup.
namespace setup {
inline constexpr std::uint32_t completion_entries = 1U << 3;  ///< 5.5, CQSIZE
inline constexpr std::uint32_t clamp = 1U << 4;               ///< 5.6
inline constexpr std::uint32_t disabled = 1U << 6;            ///< 5.10, R_DISABLED
inline constexpr std::uint32_t submit_all = 1U << 7;          ///< 5.18
inline constexpr std::uint32_t coop_taskrun = 1U << 8;        ///< 5.19
inline constexpr std::uint32_t taskrun_flag = 1U << 9;        ///< 5.19
inline constexpr std::uint32_t single_issuer = 1U << 12;      ///< 6.0
inline constexpr std::uint32_t defer_taskrun = 1U << 13;      ///< 6.1, with single_issuer
inline constexpr std::uint32_t no_sq_array = 1U << 16;        ///< 6.6
}  // namespace setup

/// What a kernel says of itself in setup_parameters::features.
namespace feature {
inline constexpr std::uint32_t single_map = 1U << 0;     ///< 5.4
inline constexpr std::uint32_t no_drop = 1U << 1;        ///< 5.5
inline constexpr std::uint32_t wait_argument = 1U << 8;  ///< 5.11, EXT_ARG
inline constexpr std::uint32_t min_wait = 1U << 15;      ///< 6.12, MIN_TIMEOUT
inline constexpr std::uint32_t no_iowait = 1U << 17;     ///< 6.15
}  // namespace feature

/// Flags of io_uring_enter.
namespace enter {
inline constexpr std::uint32_t get_events = 1U << 0;       ///< fetches what is kept back, and waits
inline constexpr std::uint32_t wait_argument = 1U << 3;    ///< 5.11, EXT_ARG
inline constexpr std::uint32_t registered_ring = 1U << 4;  ///< 5.18
inline constexpr std::uint32_t no_iowait = 1U << 7;        ///< 6.15
}  // namespace enter

/// What io_uring_register is asked for.
namespace registration {
inline constexpr std::uint32_t probe = 8;                   ///< 5.6
inline constexpr std::uint32_t enable = 12;                 ///< 5.10
inline constexpr std::uint32_t add_ring_descriptors = 20;   ///< 5.18
inline constexpr std::uint32_t drop_ring_descriptors = 21;  ///< 5.18
}  // namespace registration

/// Bits of the word in which the kernel says what it keeps back.
namespace submission_flag {
inline constexpr std::uint32_t overflow = 1U << 1;  ///< completions wait outside their queue
inline constexpr std::uint32_t taskrun = 1U << 2;   ///< 5.19: completions wait for an enter
}  // namespace submission_flag

/// What mmap's offset stands for.
namespace region {
inline constexpr std::uint64_t rings = 0;             ///< all words, and the completions
inline constexpr std::uint64_t entries = 0x10000000;  ///< the submission queue's
}  // namespace region

/// Where the words of the submission queue are in the region of the rings.
struct submission_offsets {
  std::uint32_t head, tail, mask, entries, flags, dropped, array, reserved;
  std::uint64_t user_address;
};
/// The same of the completion queue.
struct completion_offsets {
  std::uint32_t head, tail, mask, entries, overflow, completions, flags, reserved;
  std::uint64_t user_address;
};
/// What setup is asked, and answers.
struct setup_parameters {
  std::uint32_t submission_entries = 0;
  std::uint32_t completion_entries = 0;
  std::uint32_t flags = 0;
  std::uint32_t thread_cpu = 0;
  std::uint32_t thread_idle = 0;
  std::uint32_t features = 0;
  std::uint32_t workers_of = 0;
  std::uint32_t reserved[3] = {};
  submission_offsets submission{};
  completion_offsets completion{};
};
static_assert(sizeof(setup_parameters) == 120, "the kernel copies as many bytes");

/// How long an enter waits: an argument of it since 5.11.
struct wait_argument {
  std::uint64_t signals = 0;
  std::uint32_t signals_bytes = 0;
  std::uint32_t min_wait_us = 0;  ///< 6.12
  std::uint64_t timeout = 0;      ///< the address of a kernel_time; 0 is for ever
};
static_assert(sizeof(wait_argument) == 24, "the kernel copies as many bytes");

/// One ring's descriptor that is to be registered, or dropped.
struct descriptor_update {
  std::uint32_t place = 0;
  std::uint32_t reserved = 0;
  std::uint64_t descriptor = 0;

  /// Lets the kernel choose the place.
  static constexpr std::uint32_t any_place = ~std::uint32_t{0};
};
static_assert(sizeof(descriptor_update) == 16, "the kernel copies as many bytes");

/// Which operations a kernel knows.
struct probe {
  /// One of them.
  struct operation {
    std::uint8_t code;
    std::uint8_t reserved;
    std::uint16_t flags;
    std::uint32_t reserved_too;
  };
  /// So many can be asked about.
  static constexpr std::uint32_t most = 256;
  /// The flag of one that the kernel knows.
  static constexpr std::uint16_t supported = 1;

  std::uint8_t last = 0;
  std::uint8_t count = 0;
  std::uint16_t reserved = 0;
  std::uint32_t reserved_too[3] = {};
  operation operations[most] = {};
};
static_assert(sizeof(probe) == 16 + 256 * 8, "the kernel copies as many bytes");

}  // namespace pinion::iosubmit::kernel
