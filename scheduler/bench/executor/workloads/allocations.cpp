// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>
#include <pinion/config.hpp>

namespace {
constinit thread_local std::size_t count = 0;
}  // namespace

namespace pinion::scheduler::bench::inline PINION_MODE {
std::size_t allocations_here() noexcept { return count; }
}  // namespace pinion::scheduler::bench::inline PINION_MODE

// Asio asks the C library for what it aligns; the linker leads that here. What it frees is freed as ever.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __real_aligned_alloc(alignment, size);
}
// NOLINTEND(bugprone-reserved-identifier)

// Those of arrays and those that do not throw call this one.
void* operator new(std::size_t size) {
  void* const memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc{};
  ++count;
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
