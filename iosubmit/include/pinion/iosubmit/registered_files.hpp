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
// Lifetime. Both go before their submission, in either order: the table stays until the last of its files has
// gone. A place may be let go of while operations of it are in flight.
#pragma once

#include <pinion/config.hpp>

#include <cstddef>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/detail/registrar.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <utility>
#include <vector>

namespace pinion::iosubmit::inline PINION_MODE {

namespace files_detail {
/// The table, for as long as somebody uses it; on the heap.
class PINION_EXPORT file_table {
 public:
  /// Of so many places, with one user. Throws std::bad_alloc.
  static file_table* make(const registrar_detail::registrar& by, std::uint32_t places);
  file_table(const file_table&) = delete;
  file_table& operator=(const file_table&) = delete;

  /// Gives the file a place, and has one user more; false: none is free, or the kernel refuses.
  [[nodiscard]] bool add(int descriptor, std::uint32_t& place) noexcept;
  /// That place is free again, and a user less.
  void let_go(std::uint32_t place) noexcept;
  void remove_user() noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return places_; }
  [[nodiscard]] std::size_t free() const noexcept { return free_.size(); }

 private:
  file_table(const registrar_detail::registrar& by, std::uint32_t places);
  ~file_table() = default;
  bool set(std::uint32_t place, int descriptor) noexcept;

  registrar_detail::registrar by_;
  std::vector<std::uint32_t> free_;  // it has room for all
  std::size_t places_;
  std::size_t users_ = 1;
};
}  // namespace files_detail

/// One of them, by its place; the descriptor stays the caller's.
class PINION_EXPORT registered_file {
 public:
  /// In that table, where it takes the file.
  registered_file(files_detail::file_table& in, int descriptor) noexcept : descriptor_(descriptor) {
    if (in.add(descriptor, place_)) in_ = &in;
  }
  /// The other one has no place any more.
  registered_file(registered_file&& from) noexcept
      : in_(std::exchange(from.in_, nullptr)), place_(from.place_), descriptor_(from.descriptor_) {}
  /// The place that it had is free again.
  registered_file& operator=(registered_file&& from) noexcept {
    registered_file gone{std::move(from)};
    std::swap(in_, gone.in_);
    std::swap(place_, gone.place_);
    std::swap(descriptor_, gone.descriptor_);
    return *this;
  }
  /// The place is free again.
  ~registered_file() {
    if (in_ != nullptr) in_->let_go(place_);
  }

  /// Whether it has a place.
  [[nodiscard]] bool is_kernels() const noexcept { return in_ != nullptr; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// The same, of an entry for its descriptor, by its place; not to close it.
  [[nodiscard]] ring_entry by_place(ring_entry what) const noexcept;

 private:
  files_detail::file_table* in_ = nullptr;
  std::uint32_t place_ = 0;
  int descriptor_;
};

/// All members are the owner's, and so are those of its files.
class registered_files {
 public:
  /// Of so many places, at most 32768 and as many as the process may have descriptors (RLIMIT_NOFILE), for
  /// operations of that submission. Throws std::bad_alloc.
  template <operation_queue Io>
  explicit registered_files(Io& io, std::uint32_t places = 64)
      : table_(files_detail::file_table::make(registrar_detail::registrar_of(io, codes::msg_ring), places)) {}
  registered_files(registered_files&& from) noexcept : table_(std::exchange(from.table_, nullptr)) {}
  registered_files& operator=(registered_files&& from) noexcept {
    registered_files gone{std::move(from)};
    std::swap(table_, gone.table_);
    return *this;
  }
  ~registered_files() {
    if (table_ != nullptr) table_->remove_user();
  }

  /// Gives that file a place, where one is free and the kernel takes it.
  [[nodiscard]] registered_file add(int descriptor) noexcept { return {*table_, descriptor}; }
  /// How many places there are, 0 where there is no table; and how many of them are free.
  [[nodiscard]] std::size_t count() const noexcept { return table_->count(); }
  [[nodiscard]] std::size_t free() const noexcept { return table_->free(); }

 private:
  files_detail::file_table* table_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
