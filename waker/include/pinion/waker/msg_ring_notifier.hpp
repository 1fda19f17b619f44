// SPDX-License-Identifier: Apache-2.0
//
// msg_ring_notifier: a signal that is a completion in the owner's io_uring.
//
// Nothing is watched and nothing read: the completion itself ends the owner's wait. Who has a ring, too,
// sends it as an entry of that ring, which goes out with what is submitted anyway: no system call of its own.
// Any other thread sends it by one io_uring_register (Linux 6.13). Where neither can be, an eventfd is
// written, which the owner watches through its ring.
//
//   wake_channel<tagged_inbox, msg_ring_notifier> channel{port, wake_mark};   // the owner's ring; what its loop sees
//   queue(channel.notifier().watch());                                        // once: the eventfd, for when it is needed
//   sender.push(task);                                                        // any thread
//   sender.push(task, own_port);                                              // a ring's owner, with its next submission
//   // the owner's loop, for a completion with wake_mark: nothing, but if (watch_ended(res, flags)) queue(watch()) again
//   // and every turn: channel.notifier().consume(); channel.drain(run);
//
// What goes wrong, and what is done about it. Whatever an entry or the call answers but success, the eventfd
// is written instead.
//
//   the kernel has no such call (before 6.13), or a sandbox     EINVAL, ENOSYS, EPERM   the eventfd, each time
//   the kernel has no such operation (before 5.18)              EINVAL                  as any other thread; not tried again
//   the kernel has no poll that stays (before 5.13), or the owner's ring has IOPOLL: the watch ends with EINVAL, and what goes by
//   the eventfd is not heard: take an eventfd_notifier
//   the owner's ring was created disabled, and is not enabled   EBADFD                  the eventfd: seen once it is enabled
//   the owner's completions overflow                            EOVERFLOW               told: what is there ends its wait
//   the kernel is short of memory, or a lock is taken           ENOMEM, EAGAIN, EBUSY   the eventfd
//   the sender's queue is full, or it is another thread         queue() says false      as any other thread
//   the sender's ring goes before it submits                    ECANCELED (rule R4)     as any other thread, by who ends it
//   somebody closed the notifier's number of the ring           EBADF                   the eventfd
//   somebody closed the eventfd as well                         EBADF                   signal() says false, and reports
//
// Lifetime. The notifier has a number of its own for the ring, and so keeps the ring as long as any sender
// may signal, also if its owner has closed it. Messages that are still queued somewhere keep what they need.
// A loop that has dropped its channel may see its mark once more, and ignores it: the mark is a number, not a
// pointer. In a child of fork() the ring is the parent's: build another one.
//
// Memory ordering. rung_: signal releases, consume acquires, so who consumes a signal sees what was done
// before it. The bit that says `by the eventfd` is relaxed: who misses it leaves the eventfd readable, and
// looks once more. references: taking is relaxed, there is one already; letting go is acq_rel, so who lets
// the last one go, and destroys, has seen all the others. can_queue is a hint.
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/waker/eventfd_notifier.hpp>
#include <system_error>

namespace pinion::waker {

/// What msg_ring_notifier asks the operating system for, apart, so that tests can have it fail. Errors are
/// negative.
struct PINION_EXPORT msg_ring_calls : eventfd_calls {
  /// Another number for the same ring, closed on exec.
  static int duplicate(int ring) noexcept;
  /// Whether the kernel lets a thread without a ring send a completion.
  static bool can_send() noexcept;
  /// Sends one, with this user_data and the result 0.
  static int send(int ring, std::uint64_t user_data) noexcept;
};

namespace msg_ring_detail {
inline constexpr std::uint32_t poll_readable = 1;  // POLLIN

/// The entry, or argument of the call, that puts a completion into that ring.
constexpr ring_entry message_to(int ring, std::uint64_t user_data) noexcept {
  return {.operation = kernel::codes::msg_ring, .descriptor = ring, .offset = user_data};
}

PINION_EXPORT [[noreturn]] void refuse(int ring, int error);

/// The number that a duplicate() of that ring answered, or its error as a refusal.
inline int duplicated(int ring, int result) {
  if (result < 0) refuse(ring, -result);
  return result;
}
}  // namespace msg_ring_detail

/// Over any such calls and any sync_traits.
template <class Calls, sync_traits Sync>
class basic_msg_ring_notifier {
 public:
  /// Signals arrive in the owner's ring, with this user_data. Throws a refusal, see throw_refusal(), where
  /// the port has no descriptor of a ring, or the process no more of them.
  template <ring_port Port>
  basic_msg_ring_notifier(const Port& owner, std::uint64_t user_data)
      : parts_(new parts(owner.descriptor(), user_data)) {}
  basic_msg_ring_notifier(const basic_msg_ring_notifier&) = delete;
  basic_msg_ring_notifier& operator=(const basic_msg_ring_notifier&) = delete;
  /// Messages may be on their way: they keep what they need. No call of signal() may be. wake_channel sees to
  /// that.
  ~basic_msg_ring_notifier() { parts_->let_go(); }

  /// Puts a completion into the owner's ring: one system call. Any thread. False, and a report, if the owner
  /// can't be told.
  bool signal() noexcept {
    parts_->rung.fetch_or(rung_bit, std::memory_order_release);
    return parts_->send();
  }

  /// The same, by an entry of the calling thread's own ring: arrives when that one is submitted, which rule
  /// R3 promises. As signal() where the port is not this thread's, or has no room. If the entry fails, the
  /// thread that is told of it signals.
  template <ring_port Port>
  bool signal(Port& from) noexcept {
    parts_->rung.fetch_or(rung_bit, std::memory_order_release);
    if (from.is_owner() && parts_->can_queue.load(std::memory_order_relaxed) != 0) {
      parts_->references.fetch_add(1, std::memory_order_relaxed);
      if (from.queue(msg_ring_detail::message_to(parts_->ring, parts_->user_data), *parts_)) return true;
      parts_->let_go();
    }
    return parts_->send();
  }

  /// The owner: forgets what came, and says whether anything had. Without a system call, but after a signal
  /// by the eventfd.
  bool consume() noexcept {
    const std::uint32_t was = parts_->rung.exchange(0, std::memory_order_acquire);
    if ((was & by_eventfd_bit) != 0) Calls::take(parts_->backup);
    return (was & rung_bit) != 0;
  }

  /// The entry that watches the eventfd: to be queued on the owner's ring once, and again where
  /// watch_ended(). An owner that does without it misses the signals that could not be sent as a message.
  [[nodiscard]] ring_entry watch() const noexcept {
    return {.operation = kernel::codes::poll,
            .descriptor = parts_->backup,
            .length = kernel::poll_flag::stays,
            .operation_flags = msg_ring_detail::poll_readable,
            .user_data = parts_->user_data};
  }
  /// Whether a completion with the mark was the last one of a watch: a message's result is 0, and a watch
  /// that fails is not to be tried again.
  [[nodiscard]] static constexpr bool watch_ended(std::int32_t result, std::uint32_t flags) noexcept {
    return result > 0 && (flags & ring_completion::more) == 0;
  }
  /// The eventfd, for an owner that would rather watch it in another way. Nobody else closes it.
  [[nodiscard]] int descriptor() const noexcept { return parts_->backup; }

 private:
  static constexpr std::uint32_t rung_bit = 1;
  static constexpr std::uint32_t by_eventfd_bit = 2;

  static constexpr int error_of(std::errc code) noexcept { return -static_cast<int>(code); }

  // Apart from the notifier, since a message may outlive it. Is the answer of every message.
  struct parts : ring_answer {
    parts(int of, std::uint64_t mark)
        : ring_answer{&parts::answer}, ring(msg_ring_detail::duplicated(of, Calls::duplicate(of))),
          user_data(mark) {
      backup = Calls::open();
      if (backup < 0) Calls::close(ring);
      eventfd_detail::opened(backup);
      Sync::name(rung, "rung");
      Sync::name(references, "references");
      Sync::name(can_queue, "can queue");
    }
    parts(const parts&) = delete;
    parts& operator=(const parts&) = delete;
    ~parts() {
      Calls::close(backup);
      Calls::close(ring);
    }

    void let_go() noexcept {
      if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    bool send() noexcept {
      if (can_send) {
        const int result = Calls::send(ring, user_data);
        if (result >= 0 || result == error_of(std::errc::value_too_large)) return true;
      }
      const int result = eventfd_detail::ring<Calls>(backup);
      if (result != 0) {
        eventfd_detail::complain("signal an owner", -result);
        return false;
      }
      rung.fetch_or(by_eventfd_bit, std::memory_order_relaxed);
      return true;
    }

    static void answer(ring_answer& self, std::int32_t result) noexcept {
      auto& sent = static_cast<parts&>(self);
      if (result == error_of(std::errc::invalid_argument)) sent.can_queue.store(0, std::memory_order_relaxed);
      if (result < 0 && result != error_of(std::errc::value_too_large)) sent.send();
      sent.let_go();
    }

    const int ring;
    int backup = -1;
    const std::uint64_t user_data;
    const bool can_send = Calls::can_send();
    typename Sync::template atomic<std::uint32_t> rung{0};
    typename Sync::template atomic<std::uint32_t> can_queue{1};
    typename Sync::template atomic<std::size_t> references{1};
  };

  parts* parts_;
};

/// The notifier that is shipped.
using msg_ring_notifier = basic_msg_ring_notifier<msg_ring_calls, std_sync>;

}  // namespace pinion::waker
