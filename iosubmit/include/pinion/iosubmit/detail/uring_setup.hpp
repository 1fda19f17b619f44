// SPDX-License-Identifier: Apache-2.0
//
// mapped_ring: a ring's words and queues as they are mapped, and how they come and go. What uring_ring is
// made of; not for users.
//
// All that is cold is compiled once, over a table of the calls, whichever class they are of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/base/error.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <pinion/iosubmit/ring/uring_options.hpp>

namespace pinion::iosubmit::uring_detail {

struct call_table {
  int (*setup)(std::uint32_t, kernel::setup_parameters&) noexcept;
  int (*enlist)(int, std::uint32_t, void*, std::uint32_t) noexcept;
  int (*map)(int, std::size_t, std::uint64_t, void*&) noexcept;
  void (*unmap)(void*, std::size_t) noexcept;
  void (*close)(int) noexcept;
  std::uint64_t (*memory_limit)() noexcept;
  std::uint64_t (*descriptor_limit)() noexcept;
  int (*disabled_by_setting)() noexcept;
};

template <class Calls>
inline constexpr call_table calls_of{&Calls::setup,
                                     &Calls::enlist,
                                     &Calls::map,
                                     &Calls::unmap,
                                     &Calls::close,
                                     &Calls::memory_limit,
                                     &Calls::descriptor_limit,
                                     &Calls::disabled_by_setting};

struct mapped_ring {
  // What each entry and completion touches.
  ring_entry* entries = nullptr;
  ring_completion* completions = nullptr;
  std::uint32_t* completions_head = nullptr;
  std::uint32_t entry_count = 0;
  std::uint32_t entry_mask = 0;
  std::uint32_t completion_mask = 0;
  // What each turn does; like the head above shared with the kernel.
  std::uint32_t* completions_tail = nullptr;
  std::uint32_t* entries_flags = nullptr;
  std::uint32_t* entries_head = nullptr;
  std::uint32_t* entries_tail = nullptr;
  std::uint32_t* completions_lost = nullptr;
  // What an enter names.
  int entered_as = -1;
  std::uint32_t enter_flags = 0;

  int descriptor = -1;
  void* rings = nullptr;
  std::size_t rings_bytes = 0;
  std::size_t entries_bytes = 0;
  bool registers_descriptor = false;
  std::uint64_t supported[4] = {};
  uring_features features;
};

PINION_EXPORT expected<mapped_ring, refusal> open(const call_table& calls, const uring_options& options);
/// Makes the calling thread the owner; 0, or a negative errno.
PINION_EXPORT std::int32_t own(const call_table& calls, mapped_ring& ring) noexcept;
PINION_EXPORT void close(const call_table& calls, mapped_ring& ring, bool by_owner) noexcept;

/// Says that answers of a port never came.
PINION_EXPORT void complain_of_unanswered(std::uint32_t count) noexcept;

}  // namespace pinion::iosubmit::uring_detail
