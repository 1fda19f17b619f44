// SPDX-License-Identifier: Apache-2.0
//
// msg_ring_notifier: a signal that is a completion in the owner's io_uring.
//
// Nothing is read: the completion itself ends the owner's wait. A sender that has a ring, too, sends the
// completion as an entry of that ring, which goes out with what is submitted anyway: no system call of its
// own. Any other thread sends the completion by one io_uring_register (Linux 6.13). Where neither can be, an
// eventfd is written, which the owner's ring watches.
//
//   wake_channel<tagged_inbox, msg_ring_notifier> channel{io};  // io: the owner's submission
//   auto attached = channel.notifier().attach(io);              // from here on signals end its waits
//   const auto sender = channel.sender();
//
//   sender.push(task);                                          // any thread
//
//   sender.push(task, own_io);                                  // a ring's owner, with its next submission
//
//   channel.drain(run);                                         // the owner's turn, or scheduler's turn.hpp
//   const bool may_wait = attached.renew() && channel.try_arm();
//   io.park(may_wait ? next_deadline : instant{});
//   channel.disarm();
//
// An attachment takes one mark of the submission, for messages and for the eventfd's watch, and gives it
// back. Before there is one, and where it is to an epoll or to another submission, signals go by the eventfd
// alone.
//
// Over a raw ring, or one of another library, the channel is made of the ring's port and a mark: a user_data
// that no other completion of that ring has. There the owner does by hand what an attachment does: it queues
// watch() once, and again after a completion with the mark for which watch_ended() is true. In each turn it
// calls consume(), then drain(). Never call consume() between try_arm() and the wait: it would swallow the
// signal that you wait for.
//
// What goes wrong, and what is done about it. Whatever an entry or the call answers but success, the eventfd
// is written instead.
//
//   the kernel has no such call (before 6.13), or a sandbox    EINVAL, ENOSYS, EPERM   the eventfd, each time
//   the kernel has no such operation (before 5.18)             EINVAL                  as any other thread,
//                                                                                      and not tried again
//   the kernel has no poll that stays (before 5.13), or the owner's ring has IOPOLL: the watch ends with
//   EINVAL, and signals by the eventfd are not heard: take an eventfd_notifier
//   the owner's ring was created disabled, and is not enabled  EBADFD                  the eventfd: seen once
//                                                                                      the ring is enabled
//   the owner's completions overflow                           EOVERFLOW               told: the completions
//                                                                                      there end the wait
//   the kernel is short of memory, or a lock is taken          ENOMEM, EAGAIN, EBUSY   the eventfd
//   the sender's queue is full, or it is another thread        queue() says false      as any other thread
//   the sender's ring goes before it submits                   ECANCELED (rule R4)     as any other thread,
//                                                                                      by who ends the ring
//   somebody closed the notifier's number of the ring          EBADF                   the eventfd
//   somebody closed the eventfd as well                        EBADF                   signal() says false,
//                                                                                      and reports
//
// Lifetime. The notifier has a number of its own for the ring, and so keeps the ring as long as any sender
// may signal, also if its owner has closed it. Messages that are still queued somewhere keep what they need.
// A loop that has dropped its channel, or the attachment, may see its mark once more, and ignores it: the
// mark is a number, not a pointer, and a ring_watch that has the mark by then knows its own completions by
// the rest of their user_data. In a child of fork() the ring is the parent's: build another one.
//
// Memory ordering. rung_: signal releases, consume acquires, so the owner that consumes a signal sees what
// was done before the signal. The bit that says `by the eventfd` is relaxed: an owner that misses it leaves
// the eventfd readable, and looks once more. address: relaxed. The thread that is told to signal sees what
// the owner did before it armed (law W1), so also where the owner is attached; one that signals unasked may
// send its message where the owner was attached before, and ends a wait in vain. references: taking is
// relaxed, there is one already; letting go is acq_rel, so the thread that lets the last one go, and
// destroys, has seen all the others. can_queue is a hint.
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
  /// What attach() gives.
  template <class Watch>
  class attachment;

 public:
  /// Signals arrive in the owner's ring, with this user_data. Throws a refusal, see throw_refusal(), where
  /// the port has no descriptor of a ring, or the process no more of them.
  template <ring_port Port>
  basic_msg_ring_notifier(const Port& owner, std::uint64_t user_data)
      : parts_(new parts(owner.descriptor(), user_data)) {}
  /// Signals arrive in the ring of that owner from attach() on; an owner without an io_uring, as one over
  /// epoll, is signalled by the eventfd alone. Throws as above.
  template <ring_watcher Io>
  explicit basic_msg_ring_notifier(Io& owner) : parts_(new parts(ring_of(owner), by_eventfd)) {}
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
    const std::uint64_t address = parts_->address.load(std::memory_order_relaxed);
    if (address != by_eventfd && from.is_owner() && parts_->can_queue.load(std::memory_order_relaxed) != 0) {
      parts_->references.fetch_add(1, std::memory_order_relaxed);
      if (from.queue(msg_ring_detail::message_to(parts_->ring, address), *parts_)) return true;
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

  /// From here on, and as long as the attachment lives, signals end the waits of that ring's owner, or of
  /// that epoll.
  template <ring_watcher Io>
  [[nodiscard]] attachment<ring_watch<Io>> attach(Io& io) {
    return {*this, io};
  }
  [[nodiscard]] attachment<epoll_watch> attach(const epoll_set& set) { return {*this, set}; }

  /// For a raw ring, in place of attach(): the entry that watches the eventfd, to be queued once, and again
  /// where watch_ended(). An owner that does without it misses the signals that could not be sent as a
  /// message.
  [[nodiscard]] ring_entry watch() const noexcept {
    return {.operation = kernel::codes::poll,
            .descriptor = parts_->backup,
            .length = kernel::poll_flag::stays,
            .operation_flags = msg_ring_detail::poll_readable,
            .user_data = parts_->given};
  }
  /// Whether a completion with the mark was the last one of such a watch: a message's result is 0, and a
  /// watch that fails is not to be tried again.
  [[nodiscard]] static constexpr bool watch_ended(std::int32_t result, std::uint32_t flags) noexcept {
    return result > 0 && (flags & ring_completion::more) == 0;
  }
  /// The eventfd, for an owner that would rather watch it in another way. Nobody else closes it.
  [[nodiscard]] int descriptor() const noexcept { return parts_->backup; }

 private:
  static constexpr std::uint32_t rung_bit = 1;
  static constexpr std::uint32_t by_eventfd_bit = 2;

  static constexpr int error_of(std::errc code) noexcept { return -static_cast<int>(code); }

  // In place of an address: messages go nowhere.
  static constexpr std::uint64_t by_eventfd = ~std::uint64_t{0};

  // An owner's ring, if it has one.
  static constexpr int no_ring = -2;
  template <class Io>
  static int ring_of(const Io& owner) noexcept {
    if constexpr (requires { owner.descriptor(); }) {
      if (owner.descriptor() >= 0) return owner.descriptor();
    }
    return no_ring;
  }

  // Apart from the notifier, since a message may outlive it. Is the answer of every message.
  struct parts : ring_answer {
    parts(int of, std::uint64_t mark)
        : ring_answer{&parts::answer}, owners(of),
          ring(of == no_ring ? no_ring : msg_ring_detail::duplicated(of, Calls::duplicate(of))), given(mark),
          address(mark) {
      backup = Calls::open();
      if (backup < 0 && ring != no_ring) Calls::close(ring);
      eventfd_detail::opened(backup);
      Sync::name(address, "address");
      Sync::name(rung, "rung");
      Sync::name(references, "references");
      Sync::name(can_queue, "can queue");
    }
    parts(const parts&) = delete;
    parts& operator=(const parts&) = delete;
    ~parts() {
      Calls::close(backup);
      if (ring != no_ring) Calls::close(ring);
    }

    void let_go() noexcept {
      if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    bool send() noexcept {
      const std::uint64_t to = address.load(std::memory_order_relaxed);
      if (can_send && to != by_eventfd) {
        const int result = Calls::send(ring, to);
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

    const int owners;  // the owner's number of the ring, and one of our own
    const int ring;
    int backup = -1;
    const std::uint64_t given;                              // with which messages are to arrive, and watches
    typename Sync::template atomic<std::uint64_t> address;  // with which they do arrive now
    const bool can_send = ring != no_ring && Calls::can_send();
    typename Sync::template atomic<std::uint32_t> rung{0};
    typename Sync::template atomic<std::uint32_t> can_queue{ring != no_ring ? 1U : 0U};
    typename Sync::template atomic<std::size_t> references{1};
  };

  parts* parts_;
  bool is_attached_ = false;  // the owner's
};

template <class Calls, sync_traits Sync>
/// A watch of the eventfd; and where messages go, meanwhile.
template <class Watch>
class basic_msg_ring_notifier<Calls, Sync>::attachment {
 public:
  /// Of that notifier, to that loop. Throws as the watch does.
  template <class Loop>
  attachment(basic_msg_ring_notifier& of, Loop& loop)
      : parts_(*of.parts_), watch_(loop, parts_.backup, of.is_attached_) {
    parts_.address.store(messages_through(loop), std::memory_order_relaxed);
  }
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  /// Before the ring's owner and the notifier go.
  ~attachment() { parts_.address.store(parts_.given, std::memory_order_relaxed); }

  /// As the watch says.
  [[nodiscard]] bool renew() noexcept { return watch_.renew(); }

 private:
  template <class Loop>
  [[nodiscard]] std::uint64_t messages_through(const Loop& loop) const noexcept {
    if constexpr (ring_watcher<Loop>) {
      if (parts_.ring != no_ring && ring_of(loop) == parts_.owners) return watch_.message();
    }
    return by_eventfd;
  }

  parts& parts_;
  Watch watch_;
};

/// The notifier that is shipped.
using msg_ring_notifier = basic_msg_ring_notifier<msg_ring_calls, std_sync>;

}  // namespace pinion::waker
