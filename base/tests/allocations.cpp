// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
// Memory ordering: relaxed; read by the thread that allocates, or after it was joined.
constinit std::atomic<std::size_t> count{0};
constinit std::atomic<std::size_t> bytes{0};
constinit std::atomic<std::size_t> freed{0};
constinit std::atomic<std::size_t> fails_in{0};
}  // namespace

namespace pinion::testing {
std::size_t allocations_so_far() noexcept { return count.load(std::memory_order_relaxed); }
std::size_t allocations_alive() noexcept {
  return allocations_so_far() - freed.load(std::memory_order_relaxed);
}
std::size_t bytes_so_far() noexcept { return bytes.load(std::memory_order_relaxed); }
void fail_allocation(std::size_t n) noexcept { fails_in.store(n, std::memory_order_relaxed); }

uncounted_allocations::uncounted_allocations() noexcept
    : count_(count.load(std::memory_order_relaxed)), bytes_(bytes.load(std::memory_order_relaxed)),
      freed_(freed.load(std::memory_order_relaxed)),
      fails_in_(fails_in.exchange(0, std::memory_order_relaxed)) {}
uncounted_allocations::~uncounted_allocations() {
  count.store(count_, std::memory_order_relaxed);
  bytes.store(bytes_, std::memory_order_relaxed);
  freed.store(freed_, std::memory_order_relaxed);
  fails_in.store(fails_in_, std::memory_order_relaxed);
}
}  // namespace pinion::testing

namespace {
void* counted(std::size_t size, void* memory) {
  if (memory == nullptr) throw std::bad_alloc{};
  count.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(size, std::memory_order_relaxed);
  return memory;
}
void fail_if_it_is_time() {
  if (fails_in.load(std::memory_order_relaxed) != 0 &&
      fails_in.fetch_sub(1, std::memory_order_relaxed) == 1) {
    throw std::bad_alloc{};
  }
}
void give_back(void* memory) noexcept {
  if (memory != nullptr) freed.fetch_add(1, std::memory_order_relaxed);
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) {
  fail_if_it_is_time();
  return counted(size, std::malloc(size != 0 ? size : 1));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  fail_if_it_is_time();
  const auto step = static_cast<std::size_t>(alignment);
  return counted(size, std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

// Those of arrays too: a sanitizer's runtime has its own, which would not come by here.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
