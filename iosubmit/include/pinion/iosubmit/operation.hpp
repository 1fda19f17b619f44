// SPDX-License-Identifier: Apache-2.0
//
// operation: one thing asked of the kernel, and all the room it needs until it is answered.
//
// It is intrusive: the caller owns it, keeps it where it is until it is answered, and nothing is allocated.
// The answer comes on the owner's thread, from inside turn(), park() or stop() and never from queue(). It may
// queue again, also the same operation.
//
//   struct read_block : operation {
//     read_block(int file, std::span<std::byte> block) : operation{entries::read(file, block, 0), &done} {}
//     static void done(ring_answer& self, std::int32_t result) noexcept {
//       static_cast<read_block&>(self).count = result;  // or a negative errno
//     }
//     std::int32_t count = 0;
//   };
//
//   read_block first{file, block};
//   io.queue(first);
#pragma once

#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

namespace operation_detail {
struct access;
}
class operation : public ring_answer {
 public:
  /// Will ask this, and have `when` called with the result: a count, a descriptor or 0, or a negative errno.
  operation(const ring_entry& what, void (*when)(ring_answer& self, std::int32_t result) noexcept) noexcept
      : ring_answer{when}, entry_(named(what)) {}
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;
  /// Must not be queued or in flight: the kernel would answer, and write, into what was here. Cancel it and
  /// wait for the answer.
  ~operation() {
    PINION_ASSERT(
        !waiting_,
        "an operation was destroyed before it was answered: cancel it, and keep it until its answer");
  }

  /// The mark that operations are put into rings with: completions without it are those of other answers.
  static constexpr std::uint8_t mark = 1;

  /// What is asked.
  [[nodiscard]] const ring_entry& entry() const noexcept { return entry_; }
  /// Asks something else with the next queue(). Not while it waits.
  void ask(const ring_entry& what) noexcept {
    PINION_ASSERT(!waiting_,
                  "an operation was changed while it was queued or in flight: wait for its answer");
    entry_ = what;
    entry_.user_data = user_data_of(*this, mark);
  }
  /// Whether it is queued or in flight.
  [[nodiscard]] bool is_waiting() const noexcept { return waiting_; }

 protected:
  /// Inside an answer, once: the completion's flags. An operation that is answered many times takes them with
  /// each answer; it is in flight until one comes without ring_completion::more.
  [[nodiscard]] std::uint32_t take_flags() noexcept { return std::exchange(flags_, 0); }

 private:
  friend struct operation_detail::access;

  [[nodiscard]] ring_entry named(ring_entry what) const noexcept {
    what.user_data = user_data_of(*this, mark);
    return what;
  }

  ring_entry entry_;
  operation* next_ = nullptr;  // in a backlog
  instant queued_;             // for policies that want latencies
  std::uint32_t flags_ = 0;    // of the answer, where they are not 0
  bool waiting_ = false;
};

// What submission, and nobody else, may touch of an operation.
namespace operation_detail {
struct access {
  static const ring_entry& entry(const operation& of) noexcept { return of.entry_; }
  static operation*& next(operation& of) noexcept { return of.next_; }
  static instant& queued(operation& of) noexcept { return of.queued_; }
  static std::uint32_t& flags(operation& of) noexcept { return of.flags_; }
  static bool& waiting(operation& of) noexcept { return of.waiting_; }
};
}  // namespace operation_detail

}  // namespace pinion::iosubmit::inline PINION_MODE
