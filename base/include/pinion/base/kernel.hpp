// SPDX-License-Identifier: Apache-2.0
//
// kernel: io_uring's numbers and structs, under names of our own. kernel_time: a time as the kernel reads it.
//
// These numbers stand here once, for every part that fills in an entry, makes a ring or waits in the kernel.
// The kernel's own header may be older than the kernel that runs, and has no place in a header of ours. A
// comment says since which Linux a number means something. A test holds all of it against the kernel's
// header.
//
//   const auto limit = kernel_time::of(timeout).as<timespec>();
//   const int ready = ::ppoll(&watched, 1, timeout == forever ? nullptr : &limit, nullptr);
//
//   const kernel_time end = kernel_time::of(deadline);  // lives until the answer: the kernel reads it
//   const ring_entry entry{.operation = kernel::codes::timeout,
//                          .address = kernel::address_of(&end),
//                          .length = 1,
//                          .operation_flags = kernel::timeout_flag::absolute};
#pragma once

#include <cstdint>
#include <pinion/base/time.hpp>

namespace pinion {

/// A length of time, or a point of the monotonic clock, as the kernel reads it; at most 2^62 ns, which is 146
/// years: to a length the kernel adds the time that it is, and what it has no room for (2^63 ns) may be over
/// at once.
struct kernel_time {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;  ///< below 1'000'000'000

  /// That long, or as long as there is room for.
  [[nodiscard]] static constexpr kernel_time of(duration length) noexcept {
    constexpr std::uint64_t longest_ns = std::uint64_t{1} << 62U;
    const std::uint64_t ns = length.ns < longest_ns ? length.ns : longest_ns;
    return {static_cast<std::int64_t>(ns / second_ns), static_cast<std::int64_t>(ns % second_ns)};
  }
  /// That point of the monotonic clock.
  [[nodiscard]] static constexpr kernel_time of(instant point) noexcept { return of(point - instant{}); }

  /// The length that this says; what does not fit is forever. Neither member is negative.
  [[nodiscard]] constexpr duration length() const noexcept {
    return duration{second_ns} * static_cast<std::uint64_t>(seconds) +
           duration{static_cast<std::uint64_t>(nanoseconds)};
  }
  /// The same as a struct of the system's headers, such as timespec.
  template <class Timespec>
  [[nodiscard]] constexpr Timespec as() const noexcept {
    Timespec time{};
    time.tv_sec = static_cast<decltype(time.tv_sec)>(seconds);
    time.tv_nsec = static_cast<decltype(time.tv_nsec)>(nanoseconds);
    return time;
  }
  friend constexpr bool operator==(const kernel_time&, const kernel_time&) noexcept = default;

 private:
  static constexpr std::uint64_t second_ns = 1'000'000'000;
};
static_assert(sizeof(kernel_time) == 16, "the kernel reads as many bytes");

namespace kernel {

/// The address of something that the kernel is to read or write, as an entry holds it: in place of a cast.
[[nodiscard]] inline std::uint64_t address_of(const volatile void* something) noexcept {
  // Reason 1 for an assembler statement: g++ 12 follows a function that returns a struct with an address made
  // a number (-fipa-modref), and loses it there. It then takes a buffer for one that nobody else writes to,
  // and reads from it what stood there before the answer. What an assembler statement was given is anybody's.
  // clang needs none, and would pay 20 instructions a lone operation for it.
#if defined(__GNUC__) && !defined(__clang__)
  asm("" : "+r"(something));
#endif
  return reinterpret_cast<std::uintptr_t>(something);
}

/// What an entry asks for: ring_entry::operation.
struct codes {
  static constexpr std::uint8_t nop = 0;          ///< 5.1
  static constexpr std::uint8_t fsync = 3;        ///< 5.1
  static constexpr std::uint8_t read_fixed = 4;   ///< 5.1, into memory that is registered
  static constexpr std::uint8_t write_fixed = 5;  ///< 5.1, from such memory
  static constexpr std::uint8_t poll = 6;         ///< 5.1, POLL_ADD
  static constexpr std::uint8_t timeout = 11;     ///< 5.4
  static constexpr std::uint8_t accept = 13;      ///< 5.5
  static constexpr std::uint8_t cancel = 14;      ///< 5.5, ASYNC_CANCEL
  static constexpr std::uint8_t connect = 16;     ///< 5.5
  static constexpr std::uint8_t openat = 18;      ///< 5.6
  static constexpr std::uint8_t close = 19;       ///< 5.6
  static constexpr std::uint8_t statx = 21;       ///< 5.6
  static constexpr std::uint8_t read = 22;        ///< 5.6
  static constexpr std::uint8_t write = 23;       ///< 5.6
  static constexpr std::uint8_t send = 26;        ///< 5.6
  static constexpr std::uint8_t recv = 27;        ///< 5.6
  static constexpr std::uint8_t msg_ring = 40;    ///< 5.18
  static constexpr std::uint8_t send_zc = 47;     ///< 6.0
  /// None of the kernel's: an entry with it is answered with EINVAL.
  static constexpr std::uint8_t refused = 255;
};

/// Flags of any entry: ring_entry::flags.
namespace entry_flag {
inline constexpr std::uint8_t by_place = 1U << 0;        ///< 5.1, FIXED_FILE: the descriptor is a place
inline constexpr std::uint8_t runs_elsewhere = 1U << 4;  ///< 5.6, ASYNC: a hint
inline constexpr std::uint8_t buffer_select = 1U << 5;   ///< 5.7, into a buffer of a group
}  // namespace entry_flag

/// Flags of an accept, and of a receive: ring_entry::priority.
namespace accept_flag {
inline constexpr std::uint16_t stays = 1U << 0;  ///< 5.19, MULTISHOT: answered with each connection
}  // namespace accept_flag
namespace recv_flag {
inline constexpr std::uint16_t stays = 1U << 1;  ///< 6.0, MULTISHOT: answered with each part
}  // namespace recv_flag

/// Bits of ring_completion::flags, beside `more`.
namespace completion_flag {
inline constexpr std::uint32_t has_buffer = 1U << 0;    ///< 5.7: the upper 16 bits say which of its group
inline constexpr std::uint32_t buffer_shift = 16;       ///< where they begin
inline constexpr std::uint32_t notification = 1U << 3;  ///< 6.0: what was sent may be written to again
}  // namespace completion_flag

/// Flags of a poll: ring_entry::length.
namespace poll_flag {
inline constexpr std::uint32_t stays = 1U << 0;  ///< 5.13, MULTI: answered again and again
}  // namespace poll_flag

/// Flags of a timeout: ring_entry::operation_flags.
namespace timeout_flag {
inline constexpr std::uint32_t absolute = 1U << 0;  ///< 5.5, a point of the monotonic clock
}  // namespace timeout_flag

/// Flags of a cancel: ring_entry::operation_flags.
namespace cancel_flag {
inline constexpr std::uint32_t all = 1U << 0;            ///< 5.19, every match, which it counts
inline constexpr std::uint32_t by_descriptor = 1U << 1;  ///< 5.19
inline constexpr std::uint32_t any = 1U << 2;            ///< 5.19, whatever is in flight
inline constexpr std::uint32_t by_name = 1U << 4;        ///< 6.6, by user_data, which is usual
}  // namespace cancel_flag

/// Flags of io_uring_setup.
namespace setup {
inline constexpr std::uint32_t polls_completions = 1U << 0;   ///< 5.1, IOPOLL
inline constexpr std::uint32_t polls_submissions = 1U << 1;   ///< 5.1, SQPOLL
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
inline constexpr std::uint32_t add_buffers = 0;             ///< 5.1: memory, as iovecs
inline constexpr std::uint32_t drop_buffers = 1;            ///< 5.1
inline constexpr std::uint32_t add_files = 2;               ///< 5.1: descriptors; -1 is a free place (5.5)
inline constexpr std::uint32_t drop_files = 3;              ///< 5.1
inline constexpr std::uint32_t update_files = 6;            ///< 5.5
inline constexpr std::uint32_t probe = 8;                   ///< 5.6
inline constexpr std::uint32_t enable = 12;                 ///< 5.10
inline constexpr std::uint32_t add_ring_descriptors = 20;   ///< 5.18
inline constexpr std::uint32_t drop_ring_descriptors = 21;  ///< 5.18
inline constexpr std::uint32_t add_buffer_ring = 22;        ///< 5.19
inline constexpr std::uint32_t drop_buffer_ring = 23;       ///< 5.19
inline constexpr std::uint32_t send_message = 31;  ///< 6.13: the descriptor is -1, for want of a ring
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

/// One ring's descriptor that is to be registered, or dropped; or what goes to places of a table of files.
struct descriptor_update {
  std::uint32_t place = 0;
  std::uint32_t reserved = 0;
  std::uint64_t descriptor = 0;  ///< for update_files the address of descriptors

  /// Lets the kernel choose the place.
  static constexpr std::uint32_t any_place = ~std::uint32_t{0};
};
static_assert(sizeof(descriptor_update) == 16, "the kernel copies as many bytes");

/// A ring of buffers that is to be registered, or dropped.
struct buffer_ring {
  std::uint64_t address = 0;  ///< of the first provided_buffer, at the beginning of a page
  std::uint32_t entries = 0;  ///< a power of two
  std::uint16_t group = 0;
  std::uint16_t flags = 0;
  std::uint64_t reserved[3] = {};
};
static_assert(sizeof(buffer_ring) == 40, "the kernel copies as many bytes");

/// One place of such a ring.
struct provided_buffer {
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint16_t name = 0;
  std::uint16_t tail = 0;  ///< of the first place: the ring's, which its owner writes
};
static_assert(sizeof(provided_buffer) == 16, "the kernel reads as many bytes");

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

}  // namespace kernel
}  // namespace pinion
