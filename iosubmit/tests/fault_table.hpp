// SPDX-License-Identifier: Apache-2.0
//
// fault_table, epoll_fault_table: what the kernel may answer to each call of a uring_ring, on which kernels,
// and of an epoll_ring, and what becomes of it. The tables that the tests iterate, and that
// docs/iosubmit/faults.md is made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "failing_calls.hpp"
#include "fake_kernel.hpp"

namespace pinion::iosubmit::testing {

/// What a fault leads to.
enum class outcome : std::uint8_t {
  refused,    ///< there is no ring; the refusal says why
  left_out,   ///< a ring without that flag; all is answered with success
  without,    ///< a ring as if nothing had been
  kept,       ///< what is queued is kept and tried again; all is answered with success
  answered,   ///< what is queued is answered with the error, which is reported once
  fetched,    ///< kept back by the kernel, and fetched; all is answered with success
  lost,       ///< the kernel lost completions: reported; the others are answered
  single,     ///< an acceptor asks for each connection
  listed,     ///< a buffer_group keeps its buffers in the program
  renamed,    ///< a buffer_group takes another number
  copied,     ///< send_zc copies
  unpinned,   ///< the entries of a registered_memory are plain
  placeless,  ///< those of a registered_file are
};

struct fault {
  const char* call;
  const char* answer;  ///< errno's name, or what the kernel does
  const char* when;    ///< why it does so
  std::int32_t error;  ///< the refusal's code, or the answers'
  std::uint32_t flag;  ///< of setup, where it is about one
  int from, until;     ///< the levels it is met on
  outcome then;
  const char* says;  ///< words of the refusal, or of the report
  void (*inject)(fake_kernel& kernel, int times);
  std::uint32_t completions = 64;
  bool fake_kernel::* sign = nullptr;  ///< what the kernel has seen then, where no call fails
};

/// All of it.
std::span<const fault> fault_table();

/// What a fault of an epoll's leads to.
enum class epoll_outcome : std::uint8_t {
  refused,     ///< there is no ring; the refusal says why
  of_its_own,  ///< what wanted that watch is answered, and nothing else
  of_before,   ///< what waited for that number before is answered, and nothing else
  coarsely,    ///< all is answered as ever, by another call
  kept,        ///< all is answered as ever
  of_all,      ///< all that waited is answered with the error, which is reported
};

struct epoll_fault {
  const char* call;
  const char* answer;
  const char* when;
  scripted_fault* which;
  int error;
  epoll_outcome then;
  std::int32_t result;  ///< what is answered, where it is not as ever
  const char* result_name;
  const char* says;
};

/// All of it.
std::span<const epoll_fault> epoll_fault_table();

/// The document.
std::string rendered_faults();

}  // namespace pinion::iosubmit::testing
