// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/kernel.hpp>
#include <pinion/iosubmit/registered_memory.hpp>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

namespace pinion::iosubmit::inline PINION_MODE {
namespace {

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// At least one page; what is too large to be rounded up is too large to be had.
std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_bytes();
  if (bytes > SIZE_MAX - page) throw std::bad_alloc{};
  return std::max((bytes + page - 1) / page * page, page);
}

std::byte* pages(std::size_t bytes) {
  void* const memory = ::operator new[](bytes, std::align_val_t{page_bytes()});
  return static_cast<std::byte*>(std::memset(memory, 0, bytes));
}

}  // namespace

void registered_memory::page_end::operator()(std::byte* bytes) const noexcept {
  ::operator delete[](static_cast<void*>(bytes), std::align_val_t{page_bytes()});
}

registered_memory::registered_memory(const registrar_detail::registrar& by, std::size_t bytes)
    : by_(by), size_(whole_pages(bytes)), bytes_(pages(size_)) {
  ::iovec all{.iov_base = bytes_.get(), .iov_len = size_};
  is_kernels_ = by_(kernel::registration::add_buffers, &all, 1) == 0;
}

registered_memory::~registered_memory() {
  if (is_kernels_) by_(kernel::registration::drop_buffers, nullptr, 0);
}

ring_entry registered_memory::pinned(ring_entry plain, std::uint8_t code,
                                     std::span<const std::byte> what) const noexcept {
  const std::less_equal<const std::byte*> not_behind;
  const bool is_inside =
      not_behind(bytes_.get(), what.data()) && not_behind(what.data() + what.size(), bytes_.get() + size_);
  if (is_kernels_ && is_inside && plain.operation != codes::refused) plain.operation = code;
  return plain;
}

}  // namespace pinion::iosubmit::inline PINION_MODE
