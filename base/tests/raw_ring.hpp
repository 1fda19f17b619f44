// SPDX-License-Identifier: Apache-2.0
//
// raw_ring: an io_uring by system calls alone, for tests of what rings one: its owner queues, waits and
// reaps; and it is a ring_port.
//
//   if (!raw_ring::refusal().empty()) GTEST_SKIP() << raw_ring::refusal();
//   raw_ring ring;
//   ring.queue(entry, answer);                                   // a port's: the answer is called by reap()
//   ring.wait(until);                                            // submits, and waits for a completion
//   ring.reap([](const raw_ring::completion& c) { … });          // what was queued by others, or put()
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <string>
#include <thread>

namespace pinion::testing {

class raw_ring {
 public:
  struct completion {
    std::uint64_t user_data;
    std::int32_t result;
    std::uint32_t flags;
  };

  /// Setup flags.
  static constexpr std::uint32_t disabled = kernel::setup::disabled;
  static constexpr std::uint32_t flagged = kernel::setup::taskrun_flag;
  static constexpr std::uint32_t one_issuer = kernel::setup::single_issuer;
  static constexpr std::uint32_t deferred = kernel::setup::defer_taskrun;

  /// Why this machine makes no rings, or nothing if it does.
  [[nodiscard]] static const std::string& refusal();

  explicit raw_ring(std::uint32_t flags = 0);
  raw_ring(const raw_ring&) = delete;
  raw_ring& operator=(const raw_ring&) = delete;
  /// Answers what is still unanswered with -ECANCELED, as rule R4 wants it.
  ~raw_ring();

  // The port.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_owner() const noexcept { return owner_ == std::this_thread::get_id(); }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept;

  // The owner's loop.

  /// The flags that it was set up with, and the word in which the kernel says what it keeps back.
  [[nodiscard]] std::uint32_t setup() const noexcept { return setup_; }
  [[nodiscard]] const std::uint32_t* flags() const noexcept { return flags_; }

  /// Whether reap() would find something.
  [[nodiscard]] bool has_completions() const noexcept;
  /// Queues an entry as it is, with its own user_data. False: no room.
  bool put(const ring_entry& entry) noexcept;
  /// Lets a disabled ring go to work; 0, or an error.
  int enable() noexcept;
  /// Submits what is queued; how many, or an error.
  int submit() noexcept { return enter(0, never); }
  /// Submits, and waits until there is a completion, at most until then. 0, or an error: -ETIME.
  int wait(instant until) noexcept;
  /// Answers, and hands over the completions that are nobody's answer; returns how many there were of both.
  template <class Each>
  std::size_t reap(Each each) {
    std::size_t count = 0;
    for (completion next{}; take(next); ++count) {
      if (!answer(next)) each(next);
    }
    return count;
  }
  std::size_t reap() {
    return reap([](const completion&) {});
  }
  /// Closes the descriptor; whatever else names the ring keeps it.
  void close() noexcept;

 private:
  static constexpr std::uint32_t entries = 64;
  static constexpr std::uint64_t answer_mark = std::uint64_t{1} << 63U;

  int enter(unsigned wait_for, instant until) noexcept;
  bool take(completion& next) noexcept;
  bool answer(const completion& of) noexcept;

  template <class Word>
  [[nodiscard]] Word* at(std::uint32_t offset) const noexcept {
    return reinterpret_cast<Word*>(static_cast<std::byte*>(rings_) + offset);
  }

  std::thread::id owner_ = std::this_thread::get_id();
  std::uint32_t setup_;
  int descriptor_ = -1;
  void* rings_ = nullptr;
  std::size_t rings_bytes_ = 0;
  ring_entry* submissions_ = nullptr;
  std::uint32_t *submitted_ = nullptr, *queued_ = nullptr, *order_ = nullptr;
  const std::uint32_t* flags_ = nullptr;
  std::uint32_t *reaped_ = nullptr, *completed_ = nullptr;
  std::uint32_t completion_mask_ = 0;
  completion* completions_ = nullptr;
  std::array<ring_answer*, entries> answers_{};
};

/// The calling thread's own ring, made when it is first asked for.
raw_ring& ring_of_this_thread();

}  // namespace pinion::testing
