// SPDX-License-Identifier: Apache-2.0
//
// over_liburing: the same loop as raw_uring's, by the functions of liburing, as its manual pages advise for
// one thread: a ring with SINGLE_ISSUER and DEFER_TASKRUN, registered, io_uring_submit_and_wait_timeout(),
// and completions taken in one sweep.
#pragma once

#include <liburing.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/kernel.hpp>
#include <pinion/base/time.hpp>
#include <span>

#include "../workloads/engine.hpp"

namespace pinion::iosubmit::bench {

struct over_liburing {
  template <class Handler>
  class engine {
   public:
    struct slot {
      std::uint32_t index = 0;
    };

    engine(Handler& handler, std::size_t most) : handler_(handler) {
      const int error = io_uring_queue_init(static_cast<unsigned>(most), &ring_,
                                            IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                                IORING_SETUP_TASKRUN_FLAG);
      if (error < 0) give_up("io_uring_queue_init", -error);
      io_uring_register_ring_fd(&ring_);
    }
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine() { io_uring_queue_exit(&ring_); }

    void nop(slot& each) noexcept {
      io_uring_sqe* const entry = next();
      io_uring_prep_nop(entry);
      io_uring_sqe_set_data(entry, &each);
    }
    void read(slot& each, int file, std::span<std::byte> into, std::uint64_t offset) noexcept {
      io_uring_sqe* const entry = next();
      io_uring_prep_read(entry, file, into.data(), static_cast<unsigned>(into.size()), offset);
      io_uring_sqe_set_data(entry, &each);
    }
    void write(slot& each, int file, std::span<const std::byte> from, std::uint64_t offset) noexcept {
      io_uring_sqe* const entry = next();
      io_uring_prep_write(entry, file, from.data(), static_cast<unsigned>(from.size()), offset);
      io_uring_sqe_set_data(entry, &each);
    }
    void recv(slot& each, int socket, std::span<std::byte> into) noexcept {
      io_uring_sqe* const entry = next();
      io_uring_prep_recv(entry, socket, into.data(), into.size(), 0);
      io_uring_sqe_set_data(entry, &each);
    }
    void send(slot& each, int socket, std::span<const std::byte> from) noexcept {
      io_uring_sqe* const entry = next();
      io_uring_prep_send(entry, socket, from.data(), from.size(), 0);
      io_uring_sqe_set_data(entry, &each);
    }

    void turn() noexcept {
      if (io_uring_sq_ready(&ring_) != 0) {
        checked(io_uring_submit_and_get_events(&ring_));
      } else if (io_uring_cq_has_overflow(&ring_) || (*ring_.sq.kflags & IORING_SQ_TASKRUN) != 0) {
        checked(io_uring_get_events(&ring_));
      }
      hand_out();
    }
    void park(instant until = never) noexcept {
      if (until == never) {
        checked(io_uring_submit_and_wait(&ring_, 1));
      } else {
        auto limit = kernel_time::of(until - monotonic_clock::now()).as<__kernel_timespec>();
        io_uring_cqe* first = nullptr;
        checked(io_uring_submit_and_wait_timeout(&ring_, &first, 1, &limit, nullptr));
      }
      hand_out();
    }

    [[nodiscard]] kernel_calls counted() const noexcept { return counted_; }

   private:
    io_uring_sqe* next() noexcept {
      io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
      if (entry == nullptr) give_up("io_uring_get_sqe", EBUSY);
      return entry;
    }
    void checked(int result) noexcept {
      ++counted_.enters;
      if (result < 0 && result != -ETIME && result != -EINTR) give_up("io_uring_enter", -result);
    }
    void hand_out() noexcept {
      unsigned head = 0;
      unsigned count = 0;
      io_uring_cqe* done = nullptr;
      io_uring_for_each_cqe(&ring_, head, done) {
        ++count;
        handler_.answered(*static_cast<slot*>(io_uring_cqe_get_data(done)), done->res);
      }
      io_uring_cq_advance(&ring_, count);
      counted_.completions += count;
    }

    Handler& handler_;
    io_uring ring_{};
    kernel_calls counted_{};
  };
};

}  // namespace pinion::iosubmit::bench
