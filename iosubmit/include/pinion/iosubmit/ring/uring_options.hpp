// SPDX-License-Identifier: Apache-2.0
//
// uring_options, uring_features: what a uring_ring is asked for, and what it got.
//
// What an older kernel does not know is left out, group by group from the newest to the oldest, and
// features() says what is left. Needed are Linux 5.11 (waits with a time) and completions that are never
// dropped; below that there is a refusal.
//
//   auto opened = uring_ring::open({.entries = 512});
//   if (!opened) log(to_string(opened.error()));  // what was asked, the error, the likely cause, the remedy
//   else log(to_string(opened->features()));      // "512 entries, 2048 completions; single_issuer …"
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <string>

namespace pinion::iosubmit {

/// The knobs of a uring_ring. What is true is tried, and left out where the kernel refuses it.
struct uring_options {
  /// So many may be put before an enter. Rounded up to a power of two, at most 32768; 0 is refused. Larger
  /// than the policy's batch.
  std::uint32_t entries = 256;
  /// So many completions fit before they overflow: slower, not lost. Rounded up likewise, at most 65536, at
  /// least `entries`; 0 lets the kernel take twice the entries. 16 bytes each; should be about the most
  /// operations that are in flight at once.
  std::uint32_t completion_entries = 2048;
  /// One thread enters, which the kernel then checks and counts on (6.0).
  bool single_issuer = true;
  /// Completions are posted only from the owner's enters, never in the midst of its code (6.1; needs
  /// single_issuer). Not for a ring whose descriptor another loop watches: the descriptor does not become
  /// readable then.
  bool defer_taskrun = true;
  /// Completions don't interrupt the owner's code (5.19); what defer_taskrun falls back to.
  bool coop_taskrun = true;
  /// An entry that is refused does not end the batch (5.18).
  bool submit_all = true;
  /// Without the queue's array of indices (6.6): one cache line fewer for each sixteen entries.
  bool no_sq_array = true;
  /// The owner's thread names the ring by an index, which saves the look-up of its descriptor at each enter
  /// (5.18).
  bool registered_descriptor = true;
  /// ring_wait::gather by the kernel (6.12). Without it a wait for many that is to gather is a wait for one.
  bool min_wait = true;
  /// A waiting owner does not count as waiting for a disk (6.15): idle shows as idle, and the governor does
  /// not raise the clock for it.
  bool no_iowait = false;
};

/// What a ring has. As words and as text.
struct uring_features {
  std::uint32_t entries = 0;
  std::uint32_t completion_entries = 0;
  std::uint32_t setup_flags = 0;       ///< of kernel::setup
  std::uint32_t missing_flags = 0;     ///< asked for, and refused by this kernel
  bool registered_descriptor = false;  ///< known after the first enter
  bool min_wait = false;
  bool no_iowait = false;
};
/// "256 entries, 2048 completions; single_issuer … min_wait; this kernel lacks: no_sq_array".
PINION_EXPORT [[nodiscard]] std::string to_string(const uring_features& features);

}  // namespace pinion::iosubmit
