// SPDX-License-Identifier: Apache-2.0
//
// fiber: a stack of its own for each explored thread, and a switch between stacks that costs nanoseconds.
//
// A switch saves the registers that a called function must keep and exchanges the stack pointer: six pushes
// and six pops on x86-64, ucontext elsewhere (ucontext asks the kernel for the signal mask at each switch,
// about ten times slower). Nothing unwinds a fiber that is left for good: restart() forgets what stood on it.
//
// AddressSanitizer is told of each switch. ThreadSanitizer is not: explored code is one thread to it.
#pragma once

#include <cstddef>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define PINION_SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PINION_SIM_ASAN 1
#endif
#endif

namespace pinion::sim::explore_detail {

class fiber {
 public:
  using entry = void (*)(void*);

  /// Of the stack that the caller stands on.
  fiber() = default;
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// From now on a switch to this fiber calls `run(argument)`, which must not return, on a stack of its own.
  void restart(entry run, void* argument);

  /// Leaves `this`, on which the caller stands, for `to`; returns when somebody switches back.
  void switch_to(fiber& to) noexcept;

  /// The same, never to come back: only restart() may follow.
  [[noreturn]] void leave_for(fiber& to) noexcept;

  /// What was just begun by `run`: the first thing that it does.
  void arrived() noexcept;

 private:
  void allocate();

  char* stack_ = nullptr;  // with its guard page; null for the caller's own
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
  entry run_ = nullptr;
  void* argument_ = nullptr;
  static void trampoline(unsigned high, unsigned low);
#endif
#if defined(PINION_SIM_ASAN)
  void* shadow_ = nullptr;
#endif
  // For AddressSanitizer, which says where the caller's own stack is.
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pinion::sim::explore_detail
