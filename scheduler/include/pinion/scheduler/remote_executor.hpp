// SPDX-License-Identifier: Apache-2.0
//
// remote_executor: the name by which other threads reach an executor, whatever it is made of.
//
//   const remote_executor worker = loop.remote();  // on the executor's own thread
//   worker.push(call);                             // any thread: that one calls it in its turn
//
// It is copied freely and outlives the executor. From the end of the executor on each push is answered
// `closed` (law W5); what was pushed and not called by then is called by the end itself. spawn_on.hpp starts
// tasks by it.
//
// Memory ordering. It holds a wake_sender and adds no shared word: copies are the sender's references, and
// what a thread did before push() has happened before what the call does (law W1).
#pragma once

#include <pinion/config.hpp>

#include <any>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/wake_event.hpp>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE {

class executor_base;

/// Any thread; a copy is one reference more. One that was moved from can only be assigned to or destroyed.
class remote_executor {
 public:
  /// Of that executor, to be pushed into by this sender. For executors; a program asks for theirs: remote().
  template <class Sender>
  remote_executor(executor_base& by, Sender sender)
      : by_(&by), sender_(std::move(sender)),
        push_([](const std::any& held, waker::wake_call& call) noexcept {
          return std::any_cast<Sender>(&held)->push(call);
        }) {
    // So a std::any keeps it in itself, and allocates nothing.
    static_assert(sizeof(Sender) <= sizeof(void*) && std::is_nothrow_move_constructible_v<Sender>);
  }

  /// Has that called by the executor's thread, in a round of the executor or in its end. `closed`: the
  /// executor is gone, and the call is the caller's.
  waker::push_result push(waker::wake_call& call) const noexcept { return push_(sender_, call); }

  /// The executor, for calls on its own thread, as long as it is there.
  [[nodiscard]] executor_base& executor() const noexcept { return *by_; }

 private:
  executor_base* by_;
  std::any sender_;  // a pointer to what the channel's sides share, and a reference to that
  waker::push_result (*push_)(const std::any& held, waker::wake_call& call) noexcept;
};

}  // namespace pinion::scheduler::inline PINION_MODE
