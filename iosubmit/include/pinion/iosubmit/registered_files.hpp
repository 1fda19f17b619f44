// SPDX-License-Identifier: Apache-2.0
//
// registered_files, registered_file: files and sockets that the kernel knows by their place in a table of the
// ring, so that an operation need not look each up and hold it.
//
//   registered_files files{io, 256};
//   const registered_file socket = files.add(descriptor);
//   const auto count = co_await awaiting(io, socket.by_place(entries::recv(descriptor, bytes)));
//
// While a file has a place it stays open: to close its descriptor does not end a connection. So let go of the
// place, by the destructor, before or with the descriptor.
//
// Where the kernel or the ring has no such table (before Linux 5.18 none is asked for, since the kernel might
// wait there for all that is in flight), or refuses (the register rows of docs/iosubmit/faults.md), or no
// place is free, by_place() gives the entry as it was. A ring has one table: a second one has no places.
//
// Lifetime. The table goes before its submission, and after its files. A place may be let go of while
// operations of it are in flight.
#pragma once

#include <pinion/config.hpp>

#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/detail/registrar.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <utility>
#include <vector>

namespace pinion::iosubmit::inline PINION_MODE {

class registered_files;

/// One of them, by its place; the descriptor stays the caller's.
class PINION_EXPORT registered_file {
 public:
  registered_file(registered_file&& from) noexcept
      : in_(std::exchange(from.in_, nullptr)), place_(from.place_), descriptor_(from.descriptor_) {}
  registered_file& operator=(registered_file&& from) noexcept {
    registered_file gone{std::move(from)};
    std::swap(in_, gone.in_);
    std::swap(place_, gone.place_);
    std::swap(descriptor_, gone.descriptor_);
    return *this;
  }
  /// The place is free again.
  ~registered_file();

  /// Whether it has a place.
  [[nodiscard]] bool is_kernels() const noexcept { return in_ != nullptr; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// The same, of an entry for its descriptor, by its place; not to close it.
  [[nodiscard]] ring_entry by_place(ring_entry what) const noexcept;

 private:
  friend registered_files;
  registered_file(registered_files* in, std::uint32_t place, int descriptor) noexcept
      : in_(in), place_(place), descriptor_(descriptor) {}

  registered_files* in_;
  std::uint32_t place_;
  int descriptor_;
};

/// All members are the owner's, and so are those of its files.
class PINION_EXPORT registered_files {
 public:
  /// Of so many places, at most 32768, for operations of that submission. Throws std::bad_alloc.
  template <operation_queue Io>
  explicit registered_files(Io& io, std::uint32_t places = 64)
      : registered_files(registrar_detail::registrar_of(io, codes::msg_ring), places) {}
  registered_files(const registered_files&) = delete;
  registered_files& operator=(const registered_files&) = delete;
  /// None of its files is left.
  ~registered_files();

  /// Gives that file a place, where one is free and the kernel takes it.
  [[nodiscard]] registered_file add(int descriptor) noexcept;
  /// How many places there are, 0 where there is no table; and how many of them are free.
  [[nodiscard]] std::size_t count() const noexcept { return places_; }
  [[nodiscard]] std::size_t free() const noexcept { return free_.size(); }

 private:
  friend registered_file;
  registered_files(const registrar_detail::registrar& by, std::uint32_t places);
  bool set(std::uint32_t place, int descriptor) noexcept;
  void let_go(std::uint32_t place) noexcept;

  registrar_detail::registrar by_;
  std::vector<std::uint32_t> free_;  // it has room for all
  std::size_t places_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
