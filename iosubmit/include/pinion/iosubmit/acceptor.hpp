// SPDX-License-Identifier: Apache-2.0
//
// acceptor: the connections of a listener, one after the other.
//
// It asks the kernel once, and is answered with each connection that comes (Linux 5.19). Where the kernel
// ends that it asks again. Older kernels, and rings that accept once, are asked for each connection.
//
//   acceptor connections{io, listener};
//   for (;;) {
//     const auto socket = co_await connections.next();
//     if (socket)
//       serve(*socket);
//     else if (socket.error() == std::errc::operation_canceled)
//       break;
//     else
//       static_cast<void>(co_await sleep_for(io, ceil(10ms)));  // too many descriptors, say
//   }
//
// No connection is lost. Those that came and were not taken wait in the acceptor. With `most` of them the
// kernel is told to stop, and the others wait in the listener's own backlog until these are taken; what the
// kernel has accepted by then, which may be all that was in the backlog, comes besides. The destructor has
// what was not taken closed in the turns that follow, and what the kernel accepts before it has stopped.
//
// A slot that ends a wait does not end the acceptor: what comes meanwhile is handed out by the next wait.
//
// Lifetime. The acceptor goes before its submission, and not while a coroutine waits for next().
#pragma once

#include <pinion/config.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/error.hpp>
#include <pinion/iosubmit/detail/accepted_queue.hpp>
#include <pinion/iosubmit/detail/io_wait.hpp>
#include <pinion/iosubmit/detail/shot.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <system_error>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

namespace shot_detail {

template <operation_queue Io>
class accepting final : public shot<Io> {
 public:
  accepting(Io& io, int listener, std::uint32_t flags, std::size_t most) noexcept
      : shot<Io>(io), listener_(listener), flags_(flags), most_(most) {}

  /// The next connection, else the error; one of the two is there.
  [[nodiscard]] expected<int, std::error_code> take() noexcept {
    if (accepted_.size() != 0) return accepted_.take();
    return this->take_error();
  }

 private:
  void came(std::int32_t result, std::uint32_t /*flags*/) noexcept override {
    if (closing_ >= 0) {
      was_closed(std::exchange(closing_, -1), result);
    } else if (result >= 0) {
      if (!accepted_.add(result)) this->fail(-ENOMEM);
    } else if (stays_ && (result == -EINVAL || result == -EOPNOTSUPP)) {
      stays_ = false;  // an older kernel; or it does not listen, which the next answer says again
    } else {
      this->fail(result);
    }
  }
  void ask_next() noexcept override {
    this->queue_next(stays_ ? entries::accept_multishot(listener_, flags_)
                            : entries::accept(listener_, nullptr, nullptr, flags_));
  }
  // By the ring, one after the other: in a simulation they are descriptors of its own.
  bool let_go(bool is_idle) noexcept override {
    if (accepted_.size() == 0) return true;
    if (is_idle) {
      closing_ = accepted_.take();
      this->queue_next(entries::close(closing_));
    }
    return false;
  }
  // Nobody else knows the descriptor: with an error that no close has, the ring has closed nothing. It ends,
  // or was refused, or can't.
  void was_closed(int descriptor, std::int32_t result) noexcept {
    if (result == 0 || result == -EINTR || result == -EIO || result == -ENOSPC || result == -EDQUOT) return;
    static_cast<void>(accepted_.add(descriptor));
    accepted_.close_all();
  }
  [[nodiscard]] bool has_some() const noexcept override { return accepted_.size() != 0; }
  [[nodiscard]] bool is_full() const noexcept override { return accepted_.size() >= most_; }

  int listener_;
  std::uint32_t flags_;
  std::size_t most_;
  accepted_detail::accepted_queue accepted_;
  int closing_ = -1;
  bool stays_ = true;
};

}  // namespace shot_detail

/// Over whatever takes operations. All members are the owner's.
template <operation_queue Io>
class acceptor {
  using state = shot_detail::accepting<Io>;

 public:
  /// Of that listener, with accept4(2)'s flags. It asks for nothing before the first next().
  acceptor(Io& io, int listener, std::uint32_t flags = 0, std::size_t most = 64)
      : state_(new state{io, listener, flags, most}) {}
  acceptor(acceptor&& from) noexcept : state_(std::exchange(from.state_, nullptr)) {}
  acceptor& operator=(acceptor&& from) noexcept {
    acceptor gone{std::move(from)};
    std::swap(state_, gone.state_);
    return *this;
  }
  /// Has what was not taken closed, in the next turns or at the submission's end.
  ~acceptor() {
    if (state_ != nullptr) state_->abandon();
  }

  /// Suspends until there is a connection: its descriptor, which is the caller's from there on; or the error.
  /// It does not suspend where one is there already. With a slot the wait can be cancelled. One at a time.
  [[nodiscard]] shot_detail::next_of<state> next() noexcept { return {*state_, nullptr}; }
  [[nodiscard]] shot_detail::next_of<state> next(cancel_slot& slot) noexcept { return {*state_, &slot}; }

 private:
  state* state_;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
