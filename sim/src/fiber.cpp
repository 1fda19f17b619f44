// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>

#if defined(PINION_SIM_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace pinion::sim::explore_detail {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;
constexpr std::size_t guard_bytes = 4096;

// Where the fiber stands that was left last: the one that arrives tells AddressSanitizer about it.
thread_local fiber* left = nullptr;

}  // namespace

#if defined(__x86_64__)
// void pinion_sim_switch(void** save, void* load)
asm(R"(
.pushsection .text
.p2align 4
.type pinion_sim_switch, @function
.globl pinion_sim_switch
.hidden pinion_sim_switch
pinion_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size pinion_sim_switch, .-pinion_sim_switch
.type pinion_sim_begin, @function
.globl pinion_sim_begin
.hidden pinion_sim_begin
pinion_sim_begin:
  movq %rbx, %rdi
  xorl %ebp, %ebp
  callq *%r12
  ud2
.size pinion_sim_begin, .-pinion_sim_begin
.popsection
)");
extern "C" {
void pinion_sim_switch(void** save, void* load);
void pinion_sim_begin();
}
#endif

fiber::~fiber() {
  if (stack_ != nullptr) munmap(stack_, stack_bytes + guard_bytes);
}

void fiber::allocate() {
  void* const memory =
      mmap(nullptr, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc{};
  stack_ = static_cast<char*>(memory);
  mprotect(stack_, guard_bytes, PROT_NONE);
  bottom_ = stack_ + guard_bytes;
  size_ = stack_bytes;
}

void fiber::restart(entry run, void* argument) {
  if (stack_ == nullptr) allocate();
#if defined(PINION_SIM_ASAN)
  __asan_unpoison_memory_region(bottom_, size_);
  shadow_ = nullptr;
#endif
#if defined(__x86_64__)
  // What pinion_sim_switch pops, the lowest first. Above it the stack is aligned as before a call.
  struct frame {
    void* r15;
    void* r14;
    void* r13;
    void* r12;
    void* rbx;
    void* rbp;
    void* back;
  };
  auto* const top = reinterpret_cast<frame*>(stack_ + guard_bytes + stack_bytes) - 1;
  std::memset(top, 0, sizeof(frame));
  top->r12 = reinterpret_cast<void*>(run);
  top->rbx = argument;
  top->back = reinterpret_cast<void*>(&pinion_sim_begin);
  stack_pointer_ = top;
#else
  run_ = run;
  argument_ = argument;
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_ + guard_bytes;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(&trampoline), 2,
              static_cast<unsigned>(static_cast<std::uint64_t>(self) >> 32), static_cast<unsigned>(self));
#endif
}

#if !defined(__x86_64__)
void fiber::trampoline(unsigned high, unsigned low) {
  auto* const self =
      reinterpret_cast<fiber*>(static_cast<std::uintptr_t>((static_cast<std::uint64_t>(high) << 32) | low));
  self->run_(self->argument_);
}
#endif

void fiber::switch_to(fiber& to) noexcept {
  left = this;
#if defined(PINION_SIM_ASAN)
  __sanitizer_start_switch_fiber(&shadow_, to.bottom_, to.size_);
#endif
#if defined(__x86_64__)
  pinion_sim_switch(&stack_pointer_, to.stack_pointer_);
#else
  swapcontext(&context_, &to.context_);
#endif
  arrived();
}

void fiber::leave_for(fiber& to) noexcept {
  left = this;
#if defined(PINION_SIM_ASAN)
  __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.size_);
#endif
#if defined(__x86_64__)
  pinion_sim_switch(&stack_pointer_, to.stack_pointer_);
#else
  swapcontext(&context_, &to.context_);
#endif
  std::terminate();
}

void fiber::arrived() noexcept {
#if defined(PINION_SIM_ASAN)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(shadow_, &bottom, &size);
  left->bottom_ = bottom;
  left->size_ = size;
#endif
}

}  // namespace pinion::sim::explore_detail
