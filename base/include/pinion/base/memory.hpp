// SPDX-License-Identifier: Apache-2.0
//
// What a part tells the kernel about memory that it holds for long.
#pragma once

#include <cstddef>
#include <pinion/base/export.hpp>

namespace pinion {

/// The size of a huge page, and the alignment that makes a region fit for them.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Asks for huge pages where `bytes` at `begin` have room for a whole one. A wish: where the kernel has none,
/// or is set to `never`, nothing is different. Does not touch the memory.
PINION_EXPORT void prefer_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace pinion
