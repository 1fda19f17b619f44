// SPDX-License-Identifier: Apache-2.0
//
// uring_ring: the kernel's io_uring, by three system calls and no library.
//
// The queues are memory shared with the kernel: put() writes an entry, reap() reads completions, and only
// enter() is a system call. A uring_ring is a ring (concept.hpp) for a submission, and by itself a ring_port
// for parts that need one.
//
//   submission<batch_or_idle, uring_ring> io{uring_ring{{.entries = 512}}};  // throws without an io_uring
//   auto opened = uring_ring::open({});                                      // or says why
//
// Its owner is the thread that calls own() or enters it first, wherever it was made: the ring is created
// disabled, and enabled there. From then on only the owner calls anything but descriptor() and is_owner(),
// and destroys the ring; until then is_owner() is true nowhere. The ring may be moved while no other thread
// looks at it. In a child of fork() the ring is the parent's, and its memory is not there: make another one,
// and leave the child by _exit().
//
// As a port: the completions of what queue() took are handed to answer(), and what is left when the ring goes
// is answered with -ECANCELED, or, where it is in flight, when the kernel lets go of it. Such completions are
// told by their user_data, which has base's answer_tag and a mark of 0. So what is put() beside them, or sent
// by another ring, may be any number or pointer.
//
//   ring.put({.operation = codes::nop, .user_data = place});
//   ring.enter({.count = 1});
//   ring.reap([&](const ring_completion& c) noexcept { if (!ring.answer(c)) mine(c.user_data, c.result); });
//
// Memory ordering. Four words are shared with the kernel, and each has one writer.
//   entries' tail      ours; released by enter(), so the kernel, reading it there, sees the entries before it
//   entries' head      the kernel's; acquired after an enter, so a place is overwritten only after it is read
//   completions' tail  the kernel's; acquired by reap(), so what it counts has been written
//   completions' head  ours; released for each completion after it was read, so the kernel does not overwrite
//                      the completion before
// The flags are a hint, and relaxed: what they announce is fetched by an enter, which orders by itself. The
// owner is relaxed: the only thread for which the answer is yes wrote it itself.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <pinion/base/assert.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/refusal.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <pinion/iosubmit/detail/uring_setup.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/ring/uring_options.hpp>
#include <thread>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

/// Over any such calls.
template <class Calls>
class basic_uring_ring {
 public:
  /// A ring, or why there is none. ENOSYS, EPERM, EACCES and EOPNOTSUPP: io_uring can't be had here, whatever
  /// is asked for. EINVAL: the options are wrong. Any other: a limit was met, which can be raised.
  [[nodiscard]] static expected<basic_uring_ring, refusal> open(const uring_options& options) {
    auto mapped = uring_detail::open(calls, options);
    if (!mapped) return unexpected<refusal>(mapped.error());
    return basic_uring_ring{opened{}, *mapped};
  }
  /// As open(); throws the refusal (throw_refusal).
  explicit basic_uring_ring(const uring_options& options) {
    auto mapped = uring_detail::open(calls, options);
    if (!mapped) throw_refusal(mapped.error());
    words_ = *mapped;
  }
  /// Moves all of it, whatever is pending or in flight. What is left takes nothing, and answers an enter with
  /// EBADF.
  basic_uring_ring(basic_uring_ring&& from) noexcept { swap(from); }
  basic_uring_ring& operator=(basic_uring_ring&& from) noexcept {
    basic_uring_ring gone{std::move(from)};
    swap(gone);
    return *this;
  }
  /// Answers what queue() took. What was put otherwise is the caller's to have answered before.
  ~basic_uring_ring() {
    if (unanswered_ != 0) answer_what_is_left();
    uring_detail::close(calls, words_, is_owner());
  }

  /// What it has, after all fallbacks.
  [[nodiscard]] const uring_features& features() const noexcept { return words_.features; }
  /// Where the kernel has the submission queue's flags, for as long as the ring is open: with
  /// features().setup_flags what preempt's uring_source is made of.
  [[nodiscard]] const std::uint32_t* flags() const noexcept { return words_.entries_flags; }
  /// Completions that the kernel had no memory to keep, and that never come.
  [[nodiscard]] std::uint32_t lost() const noexcept {
    return words_.completions_lost == nullptr ? 0 : relaxed(words_.completions_lost);
  }

  /// Whether this kernel knows an operation.
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept {
    return (words_.supported[operation / 64] >> (operation % 64U) & 1U) != 0;
  }
  /// So many may be put before an enter.
  [[nodiscard]] std::uint32_t room() const noexcept { return words_.entry_count - (tail_ - head_); }
  /// Puts an entry as it stands, where there is room.
  void put(const ring_entry& entry) noexcept {
    PINION_ASSERT(room() != 0, "an entry was put where there is no room: enter first");
    words_.entries[tail_++ & words_.entry_mask] = entry;
  }
  /// Put, and not the kernel's yet.
  [[nodiscard]] std::uint32_t pending() const noexcept { return tail_ - head_; }
  /// Whether reap() would hand out some.
  [[nodiscard]] bool has_completions() const noexcept { return relaxed(words_.completions_tail) != reaped_; }
  /// Whether the kernel keeps completions back until an enter: for want of room, or since that is when it
  /// posts them.
  [[nodiscard]] bool wants_enter() const noexcept {
    return (relaxed(words_.entries_flags) &
            (kernel::submission_flag::overflow | kernel::submission_flag::taskrun)) != 0;
  }

  /// Makes the calling thread the owner, before the first enter does; again, it does nothing. 0, or the
  /// negative errno with which the kernel refuses to enable the ring: then the first enter tries it once
  /// more.
  std::int32_t own() noexcept {
    const bool is_owned = std::atomic_ref{owner_}.load(std::memory_order_relaxed) != std::thread::id{};
    PINION_ASSERT(!is_owned || is_owner(),
                  "a ring was owned by another thread than its owner: it stays that one's");
    return is_owned ? 0 : prepare();
  }

  /// Registers something with the ring, or takes it back (kernel::registration): what the kernel answers.
  std::int32_t enlist(std::uint32_t what, void* argument, std::uint32_t count) noexcept {
    return calls.enlist(words_.descriptor, what, argument, count);
  }

  /// Hands over what is pending, fetches what is kept back, and waits. The first enter makes the calling
  /// thread the owner.
  [[gnu::always_inline]] ring_entered enter(const ring_wait& wait) noexcept {
    if (!is_ready_) [[unlikely]] {
      if (const std::int32_t error = prepare(); error != 0) return {.error = error};
    }
    PINION_ASSERT(is_owner(), "a ring was entered by another thread than its owner: wake that one");
    const std::uint32_t submit = wait.keeps_pending ? 0 : pending();
    std::atomic_ref{*words_.entries_tail}.store(tail_, std::memory_order_release);
    const std::int32_t result =
        wait.count == 0 ? enter_at_once(submit, wait.fetches) : enter_and_wait(submit, wait);
    const std::uint32_t head = std::atomic_ref{*words_.entries_head}.load(std::memory_order_acquire);
    const std::uint32_t accepted = std::exchange(head_, head);
    return {.accepted = head - accepted, .error = error_of(result)};
  }

  /// Hands out what was there when it began. The sink may put and enter.
  template <class Sink>
  [[gnu::always_inline]] std::size_t reap(Sink sink) noexcept {
    const std::uint32_t first = reaped_;
    const std::uint32_t end = std::atomic_ref{*words_.completions_tail}.load(std::memory_order_acquire);
    while (static_cast<std::int32_t>(end - reaped_) > 0) {
      const ring_completion next = words_.completions[reaped_ & words_.completion_mask];
      std::atomic_ref{*words_.completions_head}.store(++reaped_, std::memory_order_release);
      sink(next);
    }
    return end - first;
  }

  /// Hands back what is pending, in order. The sink may put: that stays pending. An enter meanwhile takes
  /// nothing (EBUSY).
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    const std::uint32_t end = tail_;
    const std::uint32_t count = end - head_;
    const bool was_ready = std::exchange(is_ready_, false);
    is_withdrawing_ = true;
    for (std::uint32_t at = head_; at != end; ++at) {
      const ring_entry entry = words_.entries[at & words_.entry_mask];
      sink(entry);
    }
    is_withdrawing_ = false;
    is_ready_ = was_ready;
    for (std::uint32_t at = end; at != tail_; ++at)
      words_.entries[(at - count) & words_.entry_mask] = words_.entries[at & words_.entry_mask];
    tail_ -= count;
    return count;
  }

  // The port.

  /// The ring's descriptor. Any thread.
  [[nodiscard]] int descriptor() const noexcept { return words_.descriptor; }
  /// Whether the calling thread has owned or entered it first. Any thread.
  [[nodiscard]] bool is_owner() const noexcept {
    return std::atomic_ref{owner_}.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  /// Puts an entry that is answered through answer(). Enters where the queue is full; false: there is no room
  /// then either.
  bool queue(ring_entry entry, ring_answer& answer) noexcept {
    if (room() == 0) {
      enter({});
      if (room() == 0) return false;
    }
    entry.user_data = user_data_of(answer, 0);
    put(entry);
    ++unanswered_;
    return true;
  }
  /// Answers a completion of what queue() took. False: it is none.
  bool answer(const ring_completion& completion) noexcept {
    if (!names_answer(completion.user_data, 0)) return false;
    PINION_ASSERT(
        unanswered_ != 0,
        "a completion names an answer, and none is to come: put entries beside queue() with another "
        "mark than 0 in their user_data (user_data_of)");
    if ((completion.flags & ring_completion::more) == 0) --unanswered_;
    ring_answer& whom = answer_of(completion.user_data);
    whom.answered(whom, completion.result);
    return true;
  }

 private:
  static constexpr const uring_detail::call_table& calls = uring_detail::calls_of<Calls>;

  // Apart from the public one also for `{{}}`, which means options.
  struct opened {};
  basic_uring_ring(opened /*tag*/, const uring_detail::mapped_ring& mapped) noexcept : words_(mapped) {}

  void swap(basic_uring_ring& other) noexcept {
    std::swap(words_, other.words_);
    std::swap(head_, other.head_);
    std::swap(tail_, other.tail_);
    std::swap(reaped_, other.reaped_);
    std::swap(unanswered_, other.unanswered_);
    std::swap(lost_, other.lost_);
    std::swap(is_ready_, other.is_ready_);
    std::swap(is_withdrawing_, other.is_withdrawing_);
    std::swap(owner_, other.owner_);
  }

  static std::uint32_t relaxed(std::uint32_t* word) noexcept {
    return std::atomic_ref{*word}.load(std::memory_order_relaxed);
  }

  [[gnu::cold]] std::int32_t prepare() noexcept {
    if (words_.descriptor < 0) return -EBADF;
    if (is_withdrawing_) return -EBUSY;
    if (const std::int32_t error = uring_detail::own(calls, words_); error != 0) return error;
    is_ready_ = true;
    std::atomic_ref{owner_}.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return 0;
  }

  // Of lost completions the kernel tells only an enter that submits nothing (5.18), or none; its count tells
  // always. Once for each.
  std::int32_t error_of(std::int32_t result) noexcept {
    const std::uint32_t now_lost = relaxed(words_.completions_lost);
    if (now_lost != lost_) [[unlikely]] {
      lost_ = now_lost;
      return -EBADR;
    }
    if (result >= 0) [[likely]]
      return 0;
    return result != -ETIME && result != -EBADR ? result : 0;
  }

  std::int32_t enter_at_once(std::uint32_t submit, bool fetches) noexcept {
    const std::uint32_t flags =
        words_.enter_flags | (fetches && wants_enter() ? kernel::enter::get_events : 0);
    return Calls::enter(words_.entered_as, submit, 0, flags, nullptr);
  }

  std::int32_t enter_and_wait(std::uint32_t submit, const ring_wait& wait) noexcept {
    constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t flags = words_.enter_flags | kernel::enter::get_events;
    if (wait.timeout == forever && wait.count == 1)
      return Calls::enter(words_.entered_as, submit, 1, flags, nullptr);
    // Without a timeout a min-wait that finds nothing ends the whole wait.
    const kernel_time timeout = kernel_time::of(wait.timeout);
    kernel::wait_argument argument{};
    if (wait.timeout != forever) argument.timeout = kernel::address_of(&timeout);
    std::uint32_t count = wait.count;
    if (count > 1 && wait.gather < wait.timeout) {
      if (words_.features.min_wait && wait.gather.ns != 0) {
        argument.min_wait_us = static_cast<std::uint32_t>(std::min((wait.gather.ns - 1) / 1000 + 1, longest));
        argument.timeout = kernel::address_of(&timeout);
      } else {
        count = 1;
      }
    }
    return Calls::enter(words_.entered_as, submit, count, flags | kernel::enter::wait_argument, &argument);
  }

  // The kernel is asked to stop all that is in flight (5.19), and given a second to answer. Answers may queue
  // again.
  void answer_what_is_left() noexcept {
    constexpr std::uint64_t nobody = ~std::uint64_t{0};
    constexpr duration while_it_waits{1'000'000};
    for (int attempts = 1000; unanswered_ != 0 && attempts != 0; --attempts) {
      withdraw([this](const ring_entry& entry) noexcept {
        answer({.user_data = entry.user_data, .result = -ECANCELED, .flags = 0});
      });
      if (pending() != 0) continue;
      if (unanswered_ == 0 || !is_owner()) break;
      put({.operation = codes::cancel, .operation_flags = kernel::cancel_flag::any, .user_data = nobody});
      // Until another one is there beside the answer to this.
      enter({.count = 2, .gather = while_it_waits, .timeout = while_it_waits});
      reap([this](const ring_completion& completion) noexcept { answer(completion); });
    }
    if (unanswered_ != 0) uring_detail::complain_of_unanswered(unanswered_);
  }

  // What each entry and completion touches are 64 bytes: these, and the beginning of what follows.
  std::uint32_t tail_ = 0;    // ours; the kernel's is behind until an enter
  std::uint32_t head_ = 0;    // the kernel's, as of the last enter
  std::uint32_t reaped_ = 0;  // the completions' head
  uring_detail::mapped_ring words_;
  std::uint32_t unanswered_ = 0;
  std::uint32_t lost_ = 0;
  bool is_ready_ = false;  // has an owner, and is not withdrawing
  bool is_withdrawing_ = false;
  mutable std::thread::id owner_;
};

/// The ring that is shipped.
using uring_ring = basic_uring_ring<uring_calls>;

}  // namespace pinion::iosubmit::inline PINION_MODE
