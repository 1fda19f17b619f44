// SPDX-License-Identifier: Apache-2.0
//
// epoll_ring: a ring that is made of readiness, for machines where io_uring is forbidden.
//
// It reads the same entries. Each is tried at once, without waiting; what would have to wait is kept in a slot, and tried again when
// epoll says that its descriptor is ready. Served are nop, poll (also one that stays), read and write (of pipes, sockets, eventfds
// and terminals), recv, send, accept, connect, close, timeout and cancel. The rest is answered with -EOPNOTSUPP: fsync, msg_ring,
// read and write of files that have content, linked entries, registered files and buffers, receiving and accepting many times. What
// is nothing's number is answered with -EINVAL.
//
//   auto ring = epoll_ring::open({.entries = 256});
//   if (!ring) return ring.error();                    // too many descriptors, most likely
//   submission<batch_or_idle, epoll_ring> io{std::move(*ring)};
//
// Several operations may wait on one descriptor. Those that take from it are served in the order in which they were queued, and so
// are those that put into it. An error or a hang-up has all of them tried.
//
// Where it differs from the kernel's ring:
//
//   close           answers what waits on the descriptor with -ECANCELED: a number that is closed can't be watched
//   a descriptor that is closed behind the ring's back: what waits is answered when it is cancelled, or with -EBADF when the number is
//                   another file's by then and is waited for again. Cancel first
//   MSG_WAITALL     may be answered with fewer
//   accept, connect, and read and write of terminals: see epoll_calls.hpp, for descriptors that block and are shared
//   has_completions is false until an enter has looked, so wants_enter() is true as long as something waits
//
// A slot is held from the enter that takes the entry until the completion is reaped. There are options.in_flight of them; where more
// are needed, they double, and that is all that is ever allocated after open(). Where there is no memory for that, an enter takes
// fewer entries and says -EAGAIN; they stay pending.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/detail/epoll_slots.hpp>
#include <pinion/iosubmit/detail/epoll_terms.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/ring/uring_options.hpp>
#include <system_error>
#include <utility>
#include <vector>

namespace pinion::iosubmit {

inline namespace PINION_MODE {

/// How large an epoll_ring is.
struct epoll_ring_options {
  std::uint32_t entries = 256;     ///< that may be put before an enter
  std::uint32_t in_flight = 1024;  ///< taken and not reaped, before anything is allocated
};

}  // namespace PINION_MODE

namespace epoll_detail {
/// Why there is no epoll, in the words of all rings.
[[nodiscard]] ring_refusal refusal_of_open(int error, const epoll_ring_options& options) noexcept;
[[noreturn]] void refuse(int error, const epoll_ring_options& options);
}  // namespace epoll_detail

inline namespace PINION_MODE {

/// Over any such calls. All members are the owner's.
template <class Calls>
class basic_epoll_ring {
 public:
  /// A ring, or the reason why there is none: EMFILE and ENFILE (too many descriptors are open: ulimit -n), ENOMEM, ENOSYS. Throws
  /// std::bad_alloc.
  [[nodiscard]] static expected<basic_epoll_ring, std::error_code> open(const epoll_ring_options& options) {
    basic_epoll_ring made{options, Calls{}};
    if (made.epoll_ >= 0) return made;
    return unexpected<std::error_code>{std::error_code{-made.epoll_, std::generic_category()}};
  }
  /// The same; throws std::system_error, whose text is the refusal.
  explicit basic_epoll_ring(const epoll_ring_options& options) : basic_epoll_ring(options, Calls{}) {
    if (epoll_ < 0) epoll_detail::refuse(epoll_, options);
  }
  /// Moves all of it. What is left may be destroyed.
  basic_epoll_ring(basic_epoll_ring&& from) noexcept
      : epoll_(std::exchange(from.epoll_, -1)), room_(std::exchange(from.room_, 0)), begin_(from.begin_),
        pending_(std::exchange(from.pending_, 0)), queue_(std::move(from.queue_)),
        slots_(std::move(from.slots_)), is_precise_(from.is_precise_) {}
  basic_epoll_ring& operator=(basic_epoll_ring&&) = delete;
  /// What is in flight is not answered any more: submission::stop() comes before.
  ~basic_epoll_ring() {
    if (epoll_ >= 0) Calls::close(epoll_);
  }

  /// Whether it serves that operation; for read and write: of descriptors that can be waited for.
  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept {
    return epoll_detail::serves(operation);
  }
  /// So many may be put before an enter.
  [[nodiscard]] std::uint32_t room() const noexcept { return room_ - pending_; }
  /// Takes an entry, where there is room.
  void put(const ring_entry& entry) noexcept {
    PINION_ASSERT(pending_ != room_, "an entry was put into a ring that has no room: enter it first");
    queue_[(begin_ + pending_++) % queue_.size()] = entry;
  }
  /// Put, and not accepted.
  [[nodiscard]] std::uint32_t pending() const noexcept { return pending_; }
  /// Whether reap() would hand out some.
  [[nodiscard]] bool has_completions() const noexcept { return slots_.answered() != 0; }
  /// Whether something waits: only an enter looks whether it is there.
  [[nodiscard]] bool wants_enter() const noexcept { return slots_.watched() != 0 || slots_.has_deadlines(); }

  /// Carries out what is pending, and waits. -EINTR for a signal, -EAGAIN where there was no memory for all of it; anything else means
  /// that the epoll is no longer there, and has been the answer to all that waited.
  ring_entered enter(const ring_wait& wait) noexcept {
    ring_entered done;
    while (!wait.keeps_pending && pending_ != 0) {
      const std::uint32_t slot = slots_.take();
      if (slot == none) {
        done.error = -EAGAIN;
        break;
      }
      slots_[slot].entry = queue_[begin_];
      begin_ = (begin_ + 1) % static_cast<std::uint32_t>(queue_.size());
      --pending_;
      ++done.accepted;
      perform(slot);
    }
    const std::int32_t error = await_completions(done.error == 0 ? wait : ring_wait{});
    if (done.error == 0) done.error = error;
    return done;
  }

  /// Hands out what is there when it begins. The sink may put and enter.
  template <class Sink>
  std::size_t reap(Sink&& sink) noexcept {
    const std::uint32_t count = slots_.answered();
    for (std::uint32_t k = 0; k != count; ++k) sink(slots_.pop());
    return count;
  }

  /// Hands out what is pending, as entries.
  template <class Sink>
  std::size_t withdraw(Sink&& sink) noexcept {
    const std::uint32_t count = pending_;
    for (std::uint32_t k = 0; k != count; ++k) {
      const ring_entry entry = queue_[begin_];
      begin_ = (begin_ + 1) % static_cast<std::uint32_t>(queue_.size());
      --pending_;
      sink(entry);
    }
    return count;
  }

 private:
  static constexpr std::uint32_t none = epoll_detail::no_index;
  static constexpr std::int32_t not_yet = Calls::not_yet;

  // The descriptor comes last: nobody would close it if there were no memory for the rest.
  basic_epoll_ring(const epoll_ring_options& options, Calls /*whose*/)
      : room_(std::max(1U, options.entries)), queue_(room_), slots_(options.in_flight) {
    epoll_ = Calls::open();
  }

  void perform(std::uint32_t at) noexcept {
    const ring_entry& entry = slots_[at].entry;
    const std::int32_t refusal = epoll_detail::refusal_of(entry);
    if (refusal != 0) return slots_.answer(at, refusal);
    switch (entry.operation) {
    case codes::nop: return slots_.answer(at, 0);
    case codes::cancel: return slots_.answer(at, cancel(entry));
    case codes::timeout: return slots_.wait_until(at, epoll_detail::deadline_of(entry, Calls::now()));
    case codes::close:
      if (slots_.finish_all_of(entry.descriptor, -ECANCELED) != 0) {
        Calls::watch(epoll_, watch_change::forget, entry.descriptor, 0);
      }
      return slots_.answer(at, Calls::attempt(entry, false));
    default: return start(at);
    }
  }

  void start(std::uint32_t at) noexcept {
    auto& one = slots_[at];
    one.is_edge = epoll_detail::stays(one.entry);
    if (!is_behind_another(one.entry)) {
      const std::int32_t result = attempt(one);
      if (result != not_yet && (result < 0 || !one.is_edge)) return slots_.answer(at, result);
    }
    slots_.wait_for_descriptor(at);
    watch(one.entry.descriptor, at);
  }

  // Whether it has to leave the descriptor to one that waits already.
  [[nodiscard]] bool is_behind_another(const ring_entry& entry) const noexcept {
    if (entry.operation == codes::poll) return false;
    for (std::uint32_t k = slots_.first_of(entry.descriptor); k != none; k = slots_.next_of(k)) {
      const ring_entry& other = slots_[k].entry;
      if (other.operation != codes::poll && epoll_detail::puts(other) == epoll_detail::puts(entry))
        return true;
    }
    return false;
  }

  static std::int32_t attempt(epoll_detail::slot& one) noexcept {
    return Calls::attempt(one.entry, std::exchange(one.was_tried, true));
  }

  // Watches for what those on a descriptor wait for. All but the newest were watched for; if they aren't any more, the file that they
  // wait for is closed, and the number another's.
  void watch(std::int32_t descriptor, std::uint32_t newest) noexcept {
    std::int32_t result = Calls::watch(epoll_, watch_change::modify, descriptor, events_wanted(descriptor));
    if (result == -ENOENT) {
      for (std::uint32_t k = slots_.first_of(descriptor); k != newest; k = slots_.first_of(descriptor))
        slots_.finish(k, -EBADF);
      if (newest == none) return;
      result = Calls::watch(epoll_, watch_change::add, descriptor, events_wanted(descriptor));
    }
    if (result < 0) slots_.finish_all_of(descriptor, result == -EPERM ? -EOPNOTSUPP : result);
  }

  // Once, so that an idle descriptor costs nothing; for changes, where somebody stays.
  [[nodiscard]] std::uint32_t events_wanted(std::int32_t descriptor) const noexcept {
    std::uint32_t events = 0;
    bool is_edge = false;
    for (std::uint32_t k = slots_.first_of(descriptor); k != none; k = slots_.next_of(k)) {
      events |= epoll_detail::waits_for(slots_[k].entry);
      is_edge = is_edge || slots_[k].is_edge;
    }
    return events | (is_edge ? epoll_events::edge : epoll_events::once);
  }

  std::int32_t cancel(const ring_entry& entry) noexcept {
    using namespace kernel::cancel_flag;
    const std::uint32_t flags = entry.operation_flags;
    if ((flags & any) != 0) return slots_.finish_all(-ECANCELED);
    const auto first = [&] {
      return (flags & by_descriptor) != 0 ? slots_.first_of(entry.descriptor)
                                          : slots_.first_named(entry.address);
    };
    std::int32_t count = 0;
    for (std::uint32_t at = first(); at != none; at = first()) {
      slots_.finish(at, -ECANCELED);
      if ((flags & all) == 0) return 0;
      ++count;
    }
    return (flags & all) != 0 ? count : -ENOENT;
  }

  std::int32_t await_completions(const ring_wait& wait) noexcept {
    if (wait.count == 0 && !wants_enter()) return 0;
    instant now = Calls::now();
    const instant end = wait.count == 0 ? now : now + wait.timeout;
    const instant gathered = wait.count > 1 ? now + wait.gather : now;
    for (bool is_first = true;; is_first = false) {
      slots_.expire(now, -ETIME);
      const bool gathers = now < gathered;
      const bool is_over = slots_.answered() >= (gathers ? wait.count : 1) || now >= end;
      if (is_over && (!is_first || slots_.watched() == 0)) return 0;
      const instant until = std::min({end, slots_.earliest(), gathers ? gathered : never});
      const std::int32_t result = look(is_over ? duration{} : until == never ? forever : until - now);
      if (result < 0) return result;
      if (is_over) return 0;
      now = Calls::now();
    }
  }

  std::int32_t look(duration timeout) noexcept {
    std::array<descriptor_event, 64> events;
    std::int32_t count = -ENOSYS;
    if (is_precise_) count = Calls::wait(epoll_, events, timeout);
    if (count == -ENOSYS || count == -EPERM) {  // older than Linux 5.11, or a sandbox that is
      is_precise_ = false;
      count = Calls::wait_coarsely(epoll_, events, timeout);
    }
    if (count == -EINTR) return count;
    if (count < 0) slots_.finish_all(count);
    for (std::int32_t k = 0; k < count; ++k) serve(events[static_cast<std::size_t>(k)]);
    return std::min(count, 0);
  }

  // Tries again what waits on a descriptor, as far as one before it in the same direction does not have to wait any more.
  void serve(const descriptor_event& ready) noexcept {
    constexpr std::uint32_t for_all = epoll_events::failed | epoll_events::hung_up;
    std::array<bool, 2> is_empty{};
    bool is_edge = false;
    std::uint32_t following = none;
    const std::uint32_t first = slots_.first_of(ready.descriptor);
    for (std::uint32_t at = first; at != none; at = following) {
      following = slots_.next_of(at);
      const auto& one = slots_[at];
      const bool is_poll = one.entry.operation == codes::poll;
      bool& is_done = is_empty[epoll_detail::puts(one.entry) ? 1 : 0];
      is_edge = is_edge || one.is_edge;
      if ((ready.events & (epoll_detail::waits_for(one.entry) | for_all)) == 0) continue;
      if (!is_poll && is_done) continue;
      const std::int32_t result = attempt(slots_[at]);
      if (result == not_yet) {
        if (!is_poll) is_done = true;
      } else if (result >= 0 && epoll_detail::stays(one.entry)) {
        const bool has_unreaped = one.is_answered;
        slots_.answer(at, has_unreaped ? one.result | result : result, ring_completion::more);
      } else {
        slots_.finish(at, result);
      }
    }
    if (first == none) {
      Calls::watch(epoll_, watch_change::forget, ready.descriptor, 0);
      return;
    }
    if (is_edge || slots_.first_of(ready.descriptor) == none) return;
    // An error that stays, and that nobody who waits can take, would end every wait: from here on only what changes does.
    if ((ready.events & for_all) != 0) {
      for (std::uint32_t k = slots_.first_of(ready.descriptor); k != none; k = slots_.next_of(k))
        slots_[k].is_edge = true;
    }
    watch(ready.descriptor, none);
  }

  int epoll_ = -1;
  std::uint32_t room_;
  std::uint32_t begin_ = 0;
  std::uint32_t pending_ = 0;
  std::vector<ring_entry> queue_;
  epoll_detail::slots slots_;
  bool is_precise_ = true;
};

/// The ring that is shipped.
using epoll_ring = basic_epoll_ring<epoll_calls>;

}  // namespace PINION_MODE
}  // namespace pinion::iosubmit
