// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/memory.hpp>
#if defined(__linux__)
#include <sys/mman.h>

#include <cstdint>
#endif

namespace pinion {

void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  // Only the whole huge pages inside: the rest may share its pages with somebody else's memory.
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (from + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  const std::uintptr_t end = (from + bytes) / huge_page_bytes * huge_page_bytes;
  if (first >= end) return;
  // A refusal changes nothing that was promised.
  static_cast<void>(madvise(static_cast<char*>(begin) + (first - from), end - first, MADV_HUGEPAGE));
#endif
}

}  // namespace pinion
