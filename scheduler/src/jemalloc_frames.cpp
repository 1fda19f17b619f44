// SPDX-License-Identifier: Apache-2.0
#include <jemalloc/jemalloc.h>
#include <pinion/scheduler/frames/jemalloc_frames.hpp>

#include <algorithm>
#include <array>
#include <new>

namespace pinion::scheduler::inline PINION_MODE::frames_detail {
namespace {

// jemalloc's smaller blocks are aligned to less.
std::size_t at_least(std::size_t bytes) noexcept { return std::max(bytes, alignof(std::max_align_t)); }

unsigned made(const char* what) {
  unsigned number = 0;
  std::size_t size = sizeof number;
  if (::mallctl(what, &number, &size, nullptr, 0) != 0) throw std::bad_alloc{};
  return number;
}
void end_cache(const char* how, unsigned cache) noexcept {
  static_cast<void>(::mallctl(how, nullptr, nullptr, &cache, sizeof cache));
}
void tell_arena(const char* what, unsigned arena) noexcept {
  std::array<std::size_t, 3> name{};
  std::size_t length = name.size();
  if (::mallctlnametomib(what, name.data(), &length) != 0) return;
  name[1] = arena;
  static_cast<void>(::mallctlbymib(name.data(), length, nullptr, nullptr, nullptr, 0));
}

}  // namespace

jemalloc_arena::jemalloc_arena() : arena_(made("arenas.create")) {
  try {
    cache_ = made("tcache.create");
  } catch (...) {
    tell_arena("arena.0.destroy", arena_);
    throw;
  }
}

jemalloc_arena::~jemalloc_arena() {
  if (arena_ == none) return;
  end_cache("tcache.destroy", cache_);
  tell_arena("arena.0.destroy", arena_);
}

int jemalloc_arena::flags(bool is_owner) const noexcept {
  const int cache = is_owner ? MALLOCX_TCACHE(static_cast<int>(cache_)) : MALLOCX_TCACHE_NONE;
  return MALLOCX_ARENA(static_cast<int>(arena_)) | cache;
}

void* jemalloc_arena::allocate(std::size_t bytes) const {
  void* const block = ::mallocx(at_least(bytes), flags(true));
  if (block == nullptr) throw std::bad_alloc{};
  return block;
}

void jemalloc_arena::deallocate(void* block, std::size_t bytes, bool is_owner) const noexcept {
  ::sdallocx(block, at_least(bytes), flags(is_owner));
}

void jemalloc_arena::trim() const noexcept {
  end_cache("tcache.flush", cache_);
  tell_arena("arena.0.purge", arena_);
}

}  // namespace pinion::scheduler::inline PINION_MODE::frames_detail
