// SPDX-License-Identifier: Apache-2.0
//
// call_on_signal: calls a function from the owner's drain when the process gets a signal: SIGTERM, to end in
// order, or SIGUSR1, to say what it does.
//
//   constexpr auto stop = [](void* slot) noexcept { static_cast<cancel_slot*>(slot)->request(); };
//   call_on_signal on_term{channel, SIGTERM, {.function = stop, .context = &shutdown}};
//
//   channel.drain(call_wakes);  // the owner's turn: here it is called
//
// The handler pushes a node and does nothing else: a lock-free push, and for a sleeping owner the notifier's
// system call. So the function may do all that a task may. Signals that come before the drain are one call. A
// wait that SA_RESTART does not begin again returns EINTR on the thread that took the signal.
//
// A signal has one of these in a process; one that the program handles or ignores already is refused. When it
// goes, the signal does again what it does by default. So it does in a child of fork(), where the inherited
// one does nothing; another one may be made there.
//
// Memory ordering. The handler counts itself in, then reads who is to be told; who goes takes its name out
// of the table, then reads that count. All four are seq_cst, so one of the two sees the other: no handler
// uses what has gone. It counts itself out with release, which who goes acquires.
#pragma once

#include <concepts>
#include <pinion/base/callback.hpp>
#include <pinion/base/export.hpp>
#include <pinion/config.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/detail/late_call.hpp>
#include <pinion/waker/mutex_inbox.hpp>

namespace pinion::waker {

namespace signal_detail {

/// Who is told, in the handler.
struct told {
  void (*push)(told& self) noexcept;
};
/// Tells that one from here on. Throws a refusal.
PINION_EXPORT void begin(int signal, told& who);
/// No more; returns when no handler tells it. Nothing in a child of fork() that inherited it.
PINION_EXPORT void end(int signal, const told& who) noexcept;

}  // namespace signal_detail

inline namespace PINION_MODE {

/// Made and destroyed on the owner's thread.
template <class Channel>
class call_on_signal : signal_detail::told {
  static_assert(
      !std::same_as<typename Channel::inbox_type, mutex_inbox>,
      "a handler of signals takes no lock, and mutex_inbox does: take tagged_inbox or bounded_inbox");

 public:
  /// The channel outlives it, and is drained, or closed by close(call_wakes), before the channel goes. Throws
  /// a refusal (std::system_error) where the signal is handled or ignored already, also since before the
  /// program began, or can't be handled.
  call_on_signal(Channel& channel, int signal, callback<> called)
      : told{&push}, called_(called), to_(channel.sender()), wake_(*this), signal_(signal) {
    signal_detail::begin(signal_, *this);
  }
  call_on_signal(const call_on_signal&) = delete;
  call_on_signal& operator=(const call_on_signal&) = delete;
  /// A signal that came and was not drained is forgotten.
  ~call_on_signal() { signal_detail::end(signal_, *this); }

 private:
  friend class late_call<call_on_signal>;
  void call() const noexcept { called_(); }
  static void push(told& self) noexcept {
    auto& mine = static_cast<call_on_signal&>(self);
    mine.to_.push(*mine.wake_);
  }

  callback<> called_;
  typename Channel::sender_type to_;
  late_call<call_on_signal> wake_;
  int signal_;
};

}  // namespace PINION_MODE
}  // namespace pinion::waker
