// SPDX-License-Identifier: Apache-2.0
//
// inbox, notifier: all that an executor may rely on for being woken by other threads.
//
// An inbox holds wakes for one owner. Any thread pushes, the owner drains. Before it sleeps, the owner arms
// the inbox. The push that finds the inbox armed is told to signal: no other push makes a system call. A
// notifier is what ends the owner's sleep.
//
//   if (inbox.push(node) == push_result::signal) notifier.signal();    // any thread
//
//   inbox.drain(run);                                                  // the owner, round and round
//   if (inbox.try_arm()) notifier.wait(until);
//
// wake_channel joins the two, and keeps both alive for every sender that is left. The owner's calls (all but
// push and signal) are made by one thread at a time.
//
// The syntax is the concepts at the end. What syntax cannot say is the laws; tests name the law they prove.
//
// W1  No lost wake. When push has returned, and the thread that was told to signal has signalled, the owner
//     will drain the node without any further push, even if the owner was about to sleep. What a thread did
//     before its push has happened before what the sink does with the node, also when the node was already
//     there (W7). The thread that is told to signal sees all that the owner did before it armed.
// W2  One signal per arm. An owner that has not armed is not signalled; after arming, a burst of n pushes
//     costs one signal. (wake_channel's force() is outside this law. A host that is always armed pays one
//     signal for each drain.)
// W3  No allocation, no drop, no wait. push never allocates, never drops, and never waits for room or for
//     another thread: a bounded inbox overflows into a list. (Outside: value_inbox, which carries values, and
//     mutex_inbox, the tests' oracle.)
// W4  Order. FIFO for each producer: two nodes that one thread pushed are drained in that order.
// W5  Lifetime. A push to a closed inbox hands the node back: the node is in no inbox, and the result says
//     `closed`. close() hands what was there to its sink, and after close() nothing is delivered. A push that
//     merged into another one (W7) shares that one's fate. A sender holds a reference, so descriptor and
//     words outlive every signal in flight.
// W6  Bounded drain. A drain hands out what was there when it began: what its sink pushes waits for the next
//     drain. A sink that throws has had that one node; the rest is handed out first by the next drain, and
//     until then the inbox can't be armed.
// W7  Already there. Pushing a node that is queued is one read-modify-write of the node, touches no inbox,
//     queues nothing and is answered `queued`. A node stops being queued just before its sink is called, so a
//     push from then on queues the node anew.
// W8  The owner's half. All that a notifier needs of its owner's loop is in attach(): what to watch, and
//     again when the watch has ended, and which completion or event is its own. A program that names another
//     notifier changes nothing else. A pair that can't work is refused when it is made, with the remedy. A
//     signal from before attach() is not lost.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>

namespace pinion::waker {

/// What became of a push.
enum class push_result : std::uint8_t {
  queued,  ///< the owner will drain it; there is nothing to do
  signal,  ///< the same, and the owner sleeps: call signal() once
  closed,  ///< the owner is gone; the node is the caller's again
};

namespace concept_detail {
struct any_sink {
  template <class Item>
  void operator()(Item&&) const;
};
}  // namespace concept_detail

/// The owner's side of an inbox, of nodes or of values.
template <class Inbox>
concept inbox_core = requires(Inbox& box, const Inbox& view, concept_detail::any_sink sink) {
  { box.drain(sink) } -> std::same_as<std::size_t>;     // how many; ends being armed
  { box.try_arm() } noexcept -> std::same_as<bool>;     // false: not empty, or closed
  { box.disarm() } noexcept -> std::same_as<bool>;      // without draining; false: a push was told to signal
  { view.has_wakes() } noexcept -> std::same_as<bool>;  // a look, for an owner that polls
  { box.close(sink) } -> std::same_as<std::size_t>;     // how many were handed back
  { view.is_closed() } noexcept -> std::same_as<bool>;
};

/// What an owner is woken through: links nodes of the caller's.
template <class Inbox>
concept inbox = inbox_core<Inbox> && requires(Inbox& box, typename Inbox::node_type& node) {
  { box.push(node) } noexcept -> std::same_as<push_result>;  // any thread
};

/// What ends an owner's sleep. A signal is not lost if nobody waits: the next wait ends at once. Several
/// signals may become one. Call consume() before drain(), never between try_arm() and the wait: it would
/// swallow the signal of a push that came between, and the owner might sleep on that push.
template <class Notifier>
concept notifier = requires(Notifier& bell) {
  {
    bell.signal()
  } noexcept -> std::same_as<bool>;  // any thread; false: the owner could not be told, and report() said why
  {
    bell.consume()
  } noexcept
      -> std::same_as<bool>;  // the owner, before it drains: forgets what came, and says whether anything had
};

/// A notifier that can be attached to a loop: to a ring's owner, or to an epoll (law W8).
template <class Notifier, class Loop>
concept attachable_notifier = notifier<Notifier> && requires(Notifier& bell, Loop& loop) {
  bell.attach(loop);  // what it gives is kept as long as the loop is to hear; it may throw a refusal
  { bell.attach(loop).renew() } -> std::same_as<bool>;  // before each wait; false: go round first
};

/// A notifier that a thread with a ring of its own can ring by an entry of that ring.
template <class Notifier, class Port>
concept ring_notifier = notifier<Notifier> && ring_port<Port> && requires(Notifier& bell, Port& port) {
  { bell.signal(port) } noexcept -> std::same_as<bool>;  // any thread; arrives when the port's owner submits
};

/// A notifier that can be waited for by itself, and not only by what the owner's loop waits with.
template <class Notifier>
concept waiting_notifier = notifier<Notifier> && requires(Notifier& bell, instant until) {
  { bell.wait(until) } noexcept -> std::same_as<bool>;  // true: a signal ended it, and is consumed
};

}  // namespace pinion::waker
