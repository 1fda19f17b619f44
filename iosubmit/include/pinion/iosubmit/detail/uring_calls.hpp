// SPDX-License-Identifier: Apache-2.0
//
// uring_calls: what uring_ring asks the operating system for, apart, so that tests can have it fail.
//
// A stand-in is a class with the same static functions; basic_uring_ring<it> is the shipped ring over it.
//
//   struct full_table : uring_calls {
//     static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return -EMFILE; }
//   };
//   const std::string reason = basic_uring_ring<full_table>::open({}).error().reason;  // says which limit
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/kernel.hpp>

namespace pinion::iosubmit {

/// The system's. Errors are negative.
struct PINION_EXPORT uring_calls {
  /// A new ring's descriptor, closed on exec; fills in what the kernel made of the parameters.
  static int setup(std::uint32_t entries, kernel::setup_parameters& parameters) noexcept;
  /// How many entries it took. The argument may be null where the flags don't announce it.
  static int enter(int ring, std::uint32_t submit, std::uint32_t wait_for, std::uint32_t flags,
                   const kernel::wait_argument* argument) noexcept;
  /// What the registration answers: 0, or a count.
  static int enlist(int ring, std::uint32_t what, void* argument, std::uint32_t count) noexcept;
  /// Maps a region of the ring; 0.
  static int map(int ring, std::size_t bytes, std::uint64_t region, void*& at) noexcept;
  static void unmap(void* at, std::size_t bytes) noexcept;
  static void close(int ring) noexcept;

  /// For explanations alone: the limit in force of locked memory, of open descriptors, and the value of
  /// kernel.io_uring_disabled, or -1 where there is none.
  static std::uint64_t memory_limit() noexcept;
  static std::uint64_t descriptor_limit() noexcept;
  static int disabled_by_setting() noexcept;
};

}  // namespace pinion::iosubmit
