// SPDX-License-Identifier: Apache-2.0
//
// task_io: files and sockets as a task awaits them: each operation under the slot of the task.
//
//   auto io = loop.io();
//   while (const auto count = co_await with_timeout(5s, io.recv(socket, bytes))) {
//     if (*count == 0 || !co_await io.send_all(socket, std::span{bytes}.first(*count))) break;
//   }
//
//   buffer_group buffers = io.buffers({.count = 256, .size = 4096});
//   auto connections = io.acceptor(listener);
//   for (;;) {
//     const auto socket = co_await connections.next();
//     if (socket)
//       spawn(serve(loop, *socket, buffers)).detach();
//     else if (socket.error() == std::errc::operation_canceled)
//       break;
//     else
//       co_await sleep_for(10ms);  // too many descriptors, say: the others wait in the backlog
//   }
//
// Each gives expected: what iosubmit's entry of that name answers, or the error; operation_canceled where the
// slot came first. What is asked begins with the co_await, and what it names (buffers, addresses) stays until
// it has ended.
#pragma once

#include <pinion/config.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/iosubmit/acceptor.hpp>
#include <pinion/iosubmit/awaiting.hpp>
#include <pinion/iosubmit/buffer_group.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <pinion/iosubmit/receiver.hpp>
#include <pinion/iosubmit/registered_files.hpp>
#include <pinion/iosubmit/registered_memory.hpp>
#include <pinion/iosubmit/send_all.hpp>
#include <pinion/iosubmit/send_zc.hpp>
#include <pinion/scheduler/executor_base.hpp>
#include <span>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

/// An operation that is asked for when it is awaited, by the slot that its task waits under then.
template <class Make>
class [[nodiscard]] asked_by_task {
 public:
  /// By make(slot), of a task of that executor.
  asked_by_task(executor_base& by, Make make) noexcept : by_(&by), make_(std::move(make)) {}
  /// For co_await.
  auto operator co_await() const noexcept { return make_(by_->slot()); }

 private:
  executor_base* by_;
  Make make_;
};

/// What a task takes from, one after the other: an acceptor's connections, a receiver's parts. It goes before
/// the executor, as what it holds goes before the submission.
template <class Of>
class taken_by_task {
 public:
  /// Of that executor's tasks.
  template <class... Arguments>
  explicit taken_by_task(executor_base& by, Arguments&&... arguments)
      : by_(&by), of_(std::forward<Arguments>(arguments)...) {}

  /// The next one, by the slot that the task waits under then. A wait that ends so loses nothing: what comes
  /// meanwhile is the next one.
  [[nodiscard]] auto next() noexcept {
    return asked_by_task{*by_, [of = &of_](cancel_slot& slot) { return of->next(slot); }};
  }

 private:
  executor_base* by_;
  Of of_;
};

/// Of one executor; copied at will.
template <iosubmit::operation_queue Io>
class task_io {
  using entries = iosubmit::entries;

 public:
  /// By that executor's submission.
  task_io(executor_base& by, Io& io) noexcept : by_(&by), io_(&io) {}

  /// Whatever an entry asks.
  [[nodiscard]] auto ask(const ring_entry& what) const noexcept {
    return made([io = io_, what](cancel_slot& slot) { return iosubmit::awaiting(*io, what, slot); });
  }
  /// Reads into `into` from `offset`, or from the file's own position: how many bytes.
  [[nodiscard]] auto read(int file, std::span<std::byte> into,
                          std::uint64_t offset = entries::here) const noexcept {
    return ask(entries::read(file, into, offset));
  }
  /// Writes `from` at `offset`, or at the file's own position: how many bytes.
  [[nodiscard]] auto write(int file, std::span<const std::byte> from,
                           std::uint64_t offset = entries::here) const noexcept {
    return ask(entries::write(file, from, offset));
  }
  /// Receives into `into`: how many bytes, 0 at the end.
  [[nodiscard]] auto recv(int socket, std::span<std::byte> into) const noexcept {
    return ask(entries::recv(socket, into));
  }
  /// Sends of `from`: how many bytes.
  [[nodiscard]] auto send(int socket, std::span<const std::byte> from) const noexcept {
    return ask(entries::send(socket, from));
  }
  /// Until `into` is full: how many bytes came, fewer only where the other end has closed.
  [[nodiscard]] auto recv_all(int socket, std::span<std::byte> into) const noexcept {
    return made(
        [io = io_, socket, into](cancel_slot& slot) { return iosubmit::recv_all(*io, socket, into, slot); });
  }
  /// Until all of `from` is sent.
  [[nodiscard]] auto send_all(int socket, std::span<const std::byte> from) const noexcept {
    return made(
        [io = io_, socket, from](cancel_slot& slot) { return iosubmit::send_all(*io, socket, from, slot); });
  }
  /// Takes a connection, with accept4(2)'s flags: its descriptor.
  [[nodiscard]] auto accept(int listener, std::uint32_t flags = 0) const noexcept {
    return ask(entries::accept(listener, nullptr, nullptr, flags));
  }
  /// The connections of a listener, one after the other: next() gives the descriptor. At most about `most`
  /// wait to be taken; those that are not taken when it goes are closed.
  [[nodiscard]] auto acceptor(int listener, std::uint32_t flags = 0, std::size_t most = 64) const {
    return taken_by_task<iosubmit::acceptor<Io>>{*by_, *io_, listener, flags, most};
  }
  /// Buffers that receivers of this executor share.
  [[nodiscard]] iosubmit::buffer_group buffers(const iosubmit::buffer_group_options& options = {}) const {
    return iosubmit::buffer_group{*io_, options};
  }
  /// What comes from a stream, part by part: next() gives a lease of bytes, empty at the end. At most about
  /// `most` parts wait to be taken.
  [[nodiscard]] auto receiver(int socket, iosubmit::buffer_group& buffers, std::uint32_t most = 32) const {
    return taken_by_task<iosubmit::receiver<Io>>{*by_, *io_, socket, buffers, most};
  }
  /// Sends of `from` without copying it, and ends when it may be written to again: how many bytes.
  [[nodiscard]] auto send_zc(int socket, std::span<const std::byte> from) const noexcept {
    return made(
        [io = io_, socket, from](cancel_slot& slot) { return iosubmit::send_zc(*io, socket, from, slot); });
  }
  /// So many bytes, in whole pages, that the kernel pins once: ask(memory.read(file, part, offset)).
  [[nodiscard]] iosubmit::registered_memory registered_memory(std::size_t bytes) const {
    return iosubmit::registered_memory{*io_, bytes};
  }
  /// A table of files by their places: ask(files.add(socket).by_place(entries::recv(socket, bytes))).
  [[nodiscard]] iosubmit::registered_files registered_files(std::uint32_t places = 64) const {
    return iosubmit::registered_files{*io_, places};
  }
  /// Connects a socket.
  [[nodiscard]] auto connect(int socket, const void* address, std::uint32_t address_length) const noexcept {
    return ask(entries::connect(socket, address, address_length));
  }
  /// When one of poll(2)'s `events` is there: which ones.
  [[nodiscard]] auto poll(int descriptor, std::uint32_t events) const noexcept {
    return ask(entries::poll(descriptor, events));
  }
  /// Has what was written reach the device.
  [[nodiscard]] auto fsync(int file, entries::synced what = entries::synced::all) const noexcept {
    return ask(entries::fsync(file, what));
  }
  /// Opens a file, with open(2)'s flags and mode, from that directory: its descriptor.
  [[nodiscard]] auto openat(const char* path, int flags, std::uint32_t mode = 0,
                            int directory = entries::working_directory) const noexcept {
    return ask(entries::openat(path, flags, mode, directory));
  }
  /// Asks what statx(2) tells of a file: those fields that `mask` names.
  [[nodiscard]] auto statx(const char* path, struct ::statx& into, std::uint32_t mask,
                           std::uint32_t flags = 0,
                           int directory = entries::working_directory) const noexcept {
    return ask(entries::statx(path, into, mask, flags, directory));
  }
  /// Closes a descriptor.
  [[nodiscard]] auto close(int descriptor) const noexcept { return ask(entries::close(descriptor)); }

 private:
  template <class Make>
  [[nodiscard]] asked_by_task<Make> made(Make make) const noexcept {
    return {*by_, std::move(make)};
  }

  executor_base* by_;
  Io* io_;
};

}  // namespace pinion::scheduler::inline PINION_MODE
