// SPDX-License-Identifier: Apache-2.0
//
// buffer_group, buffer_lease: buffers that many receivers share, so that an idle connection holds none.
//
// The kernel chooses a buffer when bytes have come (a registered ring of buffers, and Linux 6.0). What a
// receiver hands out is a lease: it goes back to the group when it is destroyed.
//
//   buffer_group buffers{io, {.count = 64, .size = 4096}};
//   receiver from{io, socket, buffers};
//   while (auto part = co_await from.next()) {
//     if (part->empty()) break;  // the other end closed
//     consume(part->bytes());
//   }
//
// Where all are leased, receivers wait until one comes back: the longest waiting first. A coroutine that
// keeps leases while it waits for another one can wait for ever.
//
// Where the kernel or the ring has no such thing, or refuses (the register rows of docs/iosubmit/faults.md),
// the buffers are kept in the program: a receiver polls, takes a free one and receives into it. That is two
// operations for each part instead of none.
//
// Lifetime. The group goes before its submission. Receivers and leases may outlive the group; receivers go
// before the submission, and leases may outlive that, too.
#pragma once

#include <pinion/config.hpp>

#include <cstddef>
#include <cstdint>
#include <pinion/iosubmit/detail/buffer_pool.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <span>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

/// How large a buffer_group is: from 1 to 32768 buffers of at least a byte; what is out of that is taken for
/// the nearest.
struct buffer_group_options {
  std::uint32_t count = 64;
  std::uint32_t size = 4096;
};

/// Bytes in a buffer of a group. Empty: it has none. It stays on the thread of the group's submission, also
/// to be destroyed: what another thread is to have is copied.
class buffer_lease {
 public:
  /// Of nothing.
  buffer_lease() noexcept = default;
  /// That of a pool, which is out.
  buffer_lease(buffer_detail::buffer_pool& pool, std::uint16_t at) noexcept
      : pool_(&pool), at_(at), bytes_(pool.filled(at)) {}
  buffer_lease(buffer_lease&& from) noexcept
      : pool_(std::exchange(from.pool_, nullptr)), at_(from.at_), bytes_(std::exchange(from.bytes_, {})) {}
  buffer_lease& operator=(buffer_lease&& from) noexcept {
    buffer_lease gone{std::move(from)};
    std::swap(pool_, gone.pool_);
    std::swap(at_, gone.at_);
    std::swap(bytes_, gone.bytes_);
    return *this;
  }
  /// The buffer goes back to its group.
  ~buffer_lease() {
    if (pool_ != nullptr) pool_->give_back(at_);
  }

  /// What came. It may be written to.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }

 private:
  buffer_detail::buffer_pool* pool_ = nullptr;
  std::uint16_t at_ = 0;
  std::span<std::byte> bytes_;
};

/// All members are the owner's.
class buffer_group {
 public:
  /// For receivers over that submission. Throws std::bad_alloc.
  template <operation_queue Io>
  explicit buffer_group(Io& io, const buffer_group_options& options = {})
      : pool_(buffer_detail::buffer_pool::make(options.count, options.size,
                                               registrar_detail::registrar_of(io, codes::send_zc))) {
  }  // as old as receiving many times
  buffer_group(buffer_group&& from) noexcept : pool_(std::exchange(from.pool_, nullptr)) {}
  buffer_group& operator=(buffer_group&& from) noexcept {
    buffer_group gone{std::move(from)};
    std::swap(pool_, gone.pool_);
    return *this;
  }
  ~buffer_group() {
    if (pool_ != nullptr) pool_->remove_user();
  }

  /// Whether the kernel chooses the buffers; false: they are kept in the program.
  [[nodiscard]] bool is_kernels() const noexcept { return pool_->is_kernels(); }
  /// So many there are, and so many neither wait to be taken nor are leased.
  [[nodiscard]] std::uint32_t count() const noexcept { return pool_->count(); }
  [[nodiscard]] std::uint32_t free() const noexcept { return pool_->free(); }
  /// For receivers.
  [[nodiscard]] buffer_detail::buffer_pool& pool() noexcept { return *pool_; }

 private:
  buffer_detail::buffer_pool* pool_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
