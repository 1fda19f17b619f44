// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
// Memory ordering: relaxed; read by the thread that allocates, or after it was joined.
constinit std::atomic<std::size_t> count{0};
constinit std::atomic<std::size_t> fails_in{0};

void count_or_fail() {
  count.fetch_add(1, std::memory_order_relaxed);
  if (fails_in.load(std::memory_order_relaxed) != 0 &&
      fails_in.fetch_sub(1, std::memory_order_relaxed) == 1) {
    throw std::bad_alloc{};
  }
}
}  // namespace

namespace pinion::timer::testing {
std::size_t allocations_so_far() noexcept { return count.load(std::memory_order_relaxed); }
void fail_allocation(std::size_t n) noexcept { fails_in.store(n, std::memory_order_relaxed); }

uncounted_allocations::uncounted_allocations() noexcept
    : count_(count.load(std::memory_order_relaxed)),
      fails_in_(fails_in.exchange(0, std::memory_order_relaxed)) {}
uncounted_allocations::~uncounted_allocations() {
  count.store(count_, std::memory_order_relaxed);
  fails_in.store(fails_in_, std::memory_order_relaxed);
}
}  // namespace pinion::timer::testing

void* operator new(std::size_t size) {
  count_or_fail();
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc{};
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  count_or_fail();
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Those of arrays call these by default, but a sanitizer brings its own.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
