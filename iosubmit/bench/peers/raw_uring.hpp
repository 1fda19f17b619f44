// SPDX-License-Identifier: Apache-2.0
//
// raw_uring: the floor. An io_uring by three system calls, written for these workloads by hand: an entry is
// filled in where it stands, all that was asked for goes with the wait for the first answer, and whoever is
// told is known when it is compiled. It knows no policy, no room that runs out, and no error of an enter:
// that ends the program.
//
//   raw_uring::engine<handler> io{handler, 64};
//   io.read(slot, file, into, 0);
//   io.park();
//
// The ring is made as Linux advises for one thread (SINGLE_ISSUER, DEFER_TASKRUN), and entered through a
// registered descriptor.
#pragma once

#include <linux/io_uring.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <span>
#include <string>

#include "../workloads/engine.hpp"

namespace pinion::iosubmit::bench {

/// The ring itself: what is the same whoever is told.
class raw_queue {
 public:
  /// Why this machine makes no such ring, or nothing if it does.
  [[nodiscard]] static const std::string& refusal();

  explicit raw_queue(std::size_t most);
  raw_queue(const raw_queue&) = delete;
  raw_queue& operator=(const raw_queue&) = delete;
  ~raw_queue();

  /// The next entry, to be filled in; all of it is 0 but these.
  io_uring_sqe& put(std::uint8_t operation, int descriptor, void* user_data) noexcept {
    io_uring_sqe& entry = entries_[tail_++ & entries_mask_];
    entry = {};
    entry.opcode = operation;
    entry.fd = descriptor;
    entry.user_data = reinterpret_cast<std::uint64_t>(user_data);
    return entry;
  }
  [[nodiscard]] bool has_pending() const noexcept { return tail_ != submitted_; }
  [[nodiscard]] bool has_completions() const noexcept { return *reaped_ != acquired(completed_); }
  /// Whether completions are kept back until an enter.
  [[nodiscard]] bool wants_enter() const noexcept {
    return (acquired(kernel_flags_) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
  }

  /// Submits what was put, and waits for so many completions, at most until then.
  void enter(unsigned wait_for, instant until = never) noexcept;

  /// Hands out user_data and result of what has come.
  template <class Sink>
  void reap(Sink sink) noexcept {
    std::uint32_t head = *reaped_;
    const std::uint32_t end = acquired(completed_);
    counted.completions += end - head;
    while (head != end) {
      const io_uring_cqe done = completions_[head++ & completions_mask_];
      sink(done.user_data, done.res);
    }
    std::atomic_ref{*reaped_}.store(end, std::memory_order_release);
  }

  kernel_calls counted;

 private:
  template <class Word>
  [[nodiscard]] Word* at(std::uint32_t offset) const noexcept {
    return reinterpret_cast<Word*>(static_cast<std::byte*>(rings_) + offset);
  }
  // Memory ordering of the words that are shared with the kernel: what it writes is acquired before what it
  // describes is read, and what is written here is released after what it describes.
  static std::uint32_t acquired(std::uint32_t* word) noexcept {
    return std::atomic_ref{*word}.load(std::memory_order_acquire);
  }

  int descriptor_ = -1;
  int registered_ = -1;  // the descriptor's number among those that are registered
  void* rings_ = nullptr;
  std::size_t rings_bytes_ = 0;
  io_uring_sqe* entries_ = nullptr;
  std::uint32_t entries_mask_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t submitted_ = 0;
  std::uint32_t* kernel_tail_ = nullptr;
  std::uint32_t* kernel_flags_ = nullptr;
  std::uint32_t* reaped_ = nullptr;
  std::uint32_t* completed_ = nullptr;
  std::uint32_t completions_mask_ = 0;
  io_uring_cqe* completions_ = nullptr;
};

struct raw_uring {
  template <class Handler>
  class engine {
   public:
    struct slot {
      std::uint32_t index = 0;
    };

    engine(Handler& handler, std::size_t most) : handler_(handler), queue_(most) {}

    void nop(slot& each) noexcept { queue_.put(IORING_OP_NOP, -1, &each); }
    void read(slot& each, int file, std::span<std::byte> into, std::uint64_t offset) noexcept {
      transfer(each, IORING_OP_READ, file, into, offset);
    }
    void write(slot& each, int file, std::span<const std::byte> from, std::uint64_t offset) noexcept {
      transfer(each, IORING_OP_WRITE, file, from, offset);
    }
    void recv(slot& each, int socket, std::span<std::byte> into) noexcept {
      transfer(each, IORING_OP_RECV, socket, into, 0);
    }
    void send(slot& each, int socket, std::span<const std::byte> from) noexcept {
      transfer(each, IORING_OP_SEND, socket, from, 0);
    }

    void turn() noexcept {
      if (queue_.has_pending() || queue_.wants_enter()) queue_.enter(0);
      hand_out();
    }
    void park(instant until = never) noexcept {
      queue_.enter(1, until);
      hand_out();
    }

    [[nodiscard]] kernel_calls counted() const noexcept { return queue_.counted; }

   private:
    void transfer(slot& each, std::uint8_t operation, int descriptor, std::span<const std::byte> bytes,
                  std::uint64_t offset) noexcept {
      io_uring_sqe& entry = queue_.put(operation, descriptor, &each);
      entry.addr = reinterpret_cast<std::uint64_t>(bytes.data());
      entry.len = static_cast<std::uint32_t>(bytes.size());
      entry.off = offset;
    }
    void hand_out() noexcept {
      queue_.reap([this](std::uint64_t user_data, std::int32_t result) {
        handler_.answered(*reinterpret_cast<slot*>(user_data), result);
      });
    }

    Handler& handler_;
    raw_queue queue_;
  };
};

}  // namespace pinion::iosubmit::bench
