// SPDX-License-Identifier: Apache-2.0
//
// receiver: what comes from a stream, part by part, in buffers of a group.
//
// It asks the kernel once, and is answered with each part (Linux 6.0): a part costs no entry, and an idle
// connection no buffer. Where the group keeps its buffers in the program, each part is a poll and a receive.
//
//   receiver from{io, socket, buffers};
//   while (auto part = co_await from.next()) {
//     if (part->empty()) break;  // the other end closed
//     consume(part->bytes());
//   }
//
// Bounded. With `most` parts that wait in the receiver to be taken the kernel is told to stop, and the rest
// waits in the socket; what the kernel has handed out by then comes besides. Each such part holds a buffer:
// a group for many receivers that are flooded while nobody takes wants `most` buffers for each. Where the
// group has none left, next() waits for one. A lease that comes back or a slot ends that wait; nothing is in
// flight meanwhile, so a submission's stop() does not.
//
// A slot that ends a wait does not end the receiver: what comes meanwhile is handed out by the next wait.
// The destructor gives back what was not taken, and what the kernel fills before it has stopped; those bytes
// are lost, so the stream is only good for closing then. One receiver at a time for a socket.
//
// Lifetime. The receiver goes before its submission, and not while a coroutine waits for next().
#pragma once

#include <pinion/config.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/iosubmit/buffer_group.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/detail/shot.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <system_error>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

namespace shot_detail {

template <operation_queue Io>
class receiving final : public shot<Io>, buffer_detail::buffer_pool::waiter {
  using buffer_pool = buffer_detail::buffer_pool;

 public:
  receiving(Io& io, int socket, buffer_pool& pool, std::uint32_t most) noexcept
      : shot<Io>(io), waiter(&buffer_is_free), socket_(socket), most_(most), pool_(pool) {
    PINION_ASSERT(pool.serves(&io),
                  "a receiver takes buffers of another submission's group: make a group for "
                  "each submission");
    pool_.add_user();
  }
  ~receiving() override {
    if (held_ != buffer_pool::none) pool_.give_back(held_);
    pool_.remove_user();
  }

  /// The next part, empty at the end; else the error. One of them is there.
  [[nodiscard]] expected<buffer_lease, std::error_code> take() noexcept {
    if (count_ != 0) return buffer_lease{pool_, pop()};
    if (is_at_end_) return buffer_lease{};
    return this->take_error();
  }

 private:
  static constexpr std::uint32_t without_waiting = 0x40;  // MSG_DONTWAIT
  static constexpr std::uint32_t readable = 0x001;        // POLLIN

  void came(std::int32_t result, std::uint32_t flags) noexcept override {
    if (pool_.is_kernels())
      came_by_kernel(result, flags);
    else if (held_ == buffer_pool::none)
      was_polled(result);
    else
      came_into(std::exchange(held_, buffer_pool::none), result);
  }
  void came_by_kernel(std::int32_t result, std::uint32_t flags) noexcept {
    if ((flags & kernel::completion_flag::has_buffer) != 0) {
      pool_.chosen();
      keep(static_cast<std::uint16_t>(flags >> kernel::completion_flag::buffer_shift), result);
    }
    if (result == -ENOBUFS)
      lacks_buffer_ = true;
    else
      look_at(result);
  }
  void was_polled(std::int32_t result) noexcept {
    if (result < 0)
      look_at(result);
    else
      is_readable_ = true;
  }
  void came_into(std::uint16_t at, std::int32_t result) noexcept {
    keep(at, result);
    if (result != -EAGAIN) look_at(result);  // that goes on with a poll
  }

  void keep(std::uint16_t at, std::int32_t result) noexcept {
    if (result <= 0) return pool_.give_back(at);
    pool_.note(at, static_cast<std::uint32_t>(result));
    pool_.next(at) = buffer_pool::none;
    (count_++ == 0 ? first_ : pool_.next(last_)) = at;
    last_ = at;
  }
  void look_at(std::int32_t result) noexcept {
    if (result > 0) return;
    if (result == 0)
      is_at_end_ = true;
    else
      this->fail(result);
  }
  std::uint16_t pop() noexcept {
    --count_;
    return std::exchange(first_, pool_.next(first_));
  }

  void ask_next() noexcept override {
    if (pool_.is_kernels()) {
      if (lacks_buffer_ && pool_.free() == 0) return pool_.wait(*this);
      lacks_buffer_ = false;
      return this->queue_next(entries::recv_multishot(socket_, pool_.group()));
    }
    if (!is_readable_) return this->queue_next(entries::poll(socket_, readable));
    held_ = pool_.take();
    if (held_ == buffer_pool::none) return pool_.wait(*this);
    is_readable_ = false;
    this->queue_next(entries::recv(socket_, pool_.whole(held_), without_waiting));
  }
  static void buffer_is_free(waiter& self) noexcept { static_cast<receiving&>(self).go_on(); }
  void nobody_waits() noexcept override { pool_.leave(*this); }
  bool let_go(bool /*is_idle*/) noexcept override {
    while (count_ != 0) pool_.give_back(pop());
    return true;
  }
  [[nodiscard]] bool has_some() const noexcept override { return count_ != 0 || is_at_end_; }
  [[nodiscard]] bool is_full() const noexcept override { return count_ >= most_; }

  int socket_;
  std::uint32_t most_;
  buffer_pool& pool_;
  std::uint32_t count_ = 0;  // parts to be taken, in a list through the pool's notes
  std::uint16_t first_ = buffer_pool::none;
  std::uint16_t last_ = buffer_pool::none;
  std::uint16_t held_ = buffer_pool::none;  // in flight with a receive of its own
  bool is_readable_ = false;
  bool lacks_buffer_ = false;
  bool is_at_end_ = false;
};

}  // namespace shot_detail

/// Over whatever takes operations. All members are the owner's.
template <operation_queue Io>
class receiver {
  using state = shot_detail::receiving<Io>;

 public:
  /// From that socket, by buffers of a group that was made for `io`. It asks for nothing before the first
  /// next().
  receiver(Io& io, int socket, buffer_group& buffers, std::uint32_t most = 32)
      : state_(new state{io, socket, buffers.pool(), most}) {}
  receiver(receiver&& from) noexcept : state_(std::exchange(from.state_, nullptr)) {}
  receiver& operator=(receiver&& from) noexcept {
    receiver gone{std::move(from)};
    std::swap(state_, gone.state_);
    return *this;
  }
  /// Gives back what was not taken.
  ~receiver() {
    if (state_ != nullptr) state_->abandon();
  }

  /// Suspends until bytes are there: a lease of them, which is empty at the end of the stream; or the error.
  /// It does not suspend where some are there already. With a slot the wait can be cancelled. One at a time.
  [[nodiscard]] shot_detail::next_of<state> next() noexcept { return {*state_, nullptr}; }
  [[nodiscard]] shot_detail::next_of<state> next(cancel_slot& slot) noexcept { return {*state_, &slot}; }

 private:
  state* state_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
