// SPDX-License-Identifier: Apache-2.0
//
// registered_memory: memory that the kernel has pinned once, so that a read or a write need not each time.
//
//   registered_memory memory{io, 64 * 4096};
//   const auto page = memory.bytes().first(4096);
//   const auto count = co_await awaiting(io, memory.read(file, page, 0));
//
// It begins at a page's boundary and is whole pages, as O_DIRECT wants: files that are read past the kernel's
// cache are what it is for, since each such read pins its pages else.
//
// Where the kernel or the ring has no such thing (before Linux 5.18 it is not asked for, since the kernel
// might wait there for all that is in flight), or refuses (the register rows of docs/iosubmit/faults.md), its
// entries are those of plain reads and writes. So they are for bytes that are not its own. A ring has one at
// a time: a second one is plain.
//
// Lifetime. It goes before its submission, and when nothing that names its bytes is queued or in flight. So
// where tasks of an executor use it, a task that outlives them makes it.
#pragma once

#include <pinion/config.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/detail/registrar.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <span>

namespace pinion::iosubmit::inline PINION_MODE {

/// All members are the owner's.
class PINION_EXPORT registered_memory {
 public:
  /// Of so many bytes, rounded up to whole pages, all 0, for operations of that submission; the kernel pins
  /// at most 1 GiB. Throws std::bad_alloc.
  template <operation_queue Io>
  registered_memory(Io& io, std::size_t bytes)
      : registered_memory(registrar_detail::registrar_of(io, codes::msg_ring), bytes) {}
  registered_memory(const registered_memory&) = delete;
  registered_memory& operator=(const registered_memory&) = delete;
  /// The kernel lets go of its pages.
  ~registered_memory();

  /// Whether the kernel has pinned it; false: its operations are as any others.
  [[nodiscard]] bool is_kernels() const noexcept { return is_kernels_; }
  /// All of it.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {bytes_.get(), size_}; }

  /// As entries::read and entries::write.
  [[nodiscard]] ring_entry read(int file, std::span<std::byte> into,
                                std::uint64_t offset = entries::here) const noexcept {
    return pinned(entries::read(file, into, offset), codes::read_fixed, into);
  }
  [[nodiscard]] ring_entry write(int file, std::span<const std::byte> from,
                                 std::uint64_t offset = entries::here) const noexcept {
    return pinned(entries::write(file, from, offset), codes::write_fixed, from);
  }

 private:
  struct page_end {
    void operator()(std::byte* bytes) const noexcept;
  };

  registered_memory(const registrar_detail::registrar& by, std::size_t bytes);
  [[nodiscard]] ring_entry pinned(ring_entry plain, std::uint8_t code,
                                  std::span<const std::byte> what) const noexcept;

  registrar_detail::registrar by_;
  std::size_t size_;
  std::unique_ptr<std::byte[], page_end> bytes_;
  bool is_kernels_ = false;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
