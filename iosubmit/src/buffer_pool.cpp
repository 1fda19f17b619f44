// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/assert.hpp>
#include <pinion/iosubmit/detail/buffer_pool.hpp>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <utility>

namespace pinion::iosubmit::buffer_detail {
namespace {

// Where the kernel wants a ring of buffers to begin.
std::align_val_t page() noexcept {
  return std::align_val_t(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

void buffer_pool::page_end::operator()(kernel::provided_buffer* ring) const noexcept {
  ::operator delete[](static_cast<void*>(ring), page());
}

buffer_pool* buffer_pool::make(std::uint32_t count, std::uint32_t size, const registrar& by) {
  return new buffer_pool{count, size, by};
}

buffer_pool::buffer_pool(std::uint32_t count, std::uint32_t size, const registrar& by)
    : count_(std::clamp(count, 1U, most)), size_(std::max(size, 1U)), by_(by),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(std::size_t{count_} * size_)), notes_(count_) {
  if (by_.enlist != nullptr) register_ring();
  for (std::uint32_t at = count_; at != 0; --at) put(static_cast<std::uint16_t>(at - 1));
}

// A name that another group has is answered with EEXIST.
void buffer_pool::register_ring() {
  const std::uint32_t places = std::bit_ceil(count_);
  void* const memory = ::operator new[](places * sizeof(kernel::provided_buffer), page());
  ring_.reset(static_cast<kernel::provided_buffer*>(memory));
  std::uninitialized_value_construct_n(ring_.get(), places);
  mask_ = places - 1;
  for (std::uint32_t name = 0; name != none; ++name) {
    kernel::buffer_ring asked{.address = kernel::address_of(ring_.get()),
                              .entries = places,
                              .group = static_cast<std::uint16_t>(name)};
    const std::int32_t error = by_(kernel::registration::add_buffer_ring, &asked, 1);
    group_ = asked.group;
    if (error >= 0) return;
    if (error != -EEXIST) break;
  }
  ring_.reset();
}

void buffer_pool::remove_user() noexcept {
  if (--users_ == 0 && is_kernels()) {
    kernel::buffer_ring asked{.group = group_};
    by_(kernel::registration::drop_buffer_ring, &asked, 1);
    ring_.reset();
  }
  end_if_over();
}

std::uint16_t buffer_pool::take() noexcept {
  const std::uint16_t at = first_free_;
  if (at == none) return none;
  first_free_ = std::exchange(next(at), none);
  ++out_;
  return at;
}

void buffer_pool::put(std::uint16_t at) noexcept {
  if (!is_kernels()) {
    next(at) = std::exchange(first_free_, at);
    return;
  }
  kernel::provided_buffer& place = ring_[tail_ & mask_];
  place.address = kernel::address_of(whole(at).data());
  place.length = size_;
  place.name = at;
  std::atomic_ref{ring_[0].tail}.store(++tail_, std::memory_order_release);
}

void buffer_pool::give_back(std::uint16_t at) noexcept {
  PINION_ASSERT(at < count_ && out_ != 0, "a buffer was given back that is not out");
  --out_;
  if (users_ == 0) return end_if_over();
  put(at);
  offer();
}

void buffer_pool::wait(waiter& by) noexcept {
  if (by.link_ != nullptr) return;
  by.next_ = nullptr;
  by.link_ = last_;
  *last_ = &by;
  last_ = &by.next_;
}

void buffer_pool::leave(waiter& by) noexcept {
  if (by.link_ == nullptr) return;
  *by.link_ = by.next_;
  (by.next_ != nullptr ? by.next_->link_ : last_) = by.link_;
  by.link_ = nullptr;
}

void buffer_pool::offer() noexcept {
  while (free() != 0 && first_ != nullptr) {
    waiter& one = *first_;
    leave(one);
    one.freed_(one);
  }
}

}  // namespace pinion::iosubmit::buffer_detail
