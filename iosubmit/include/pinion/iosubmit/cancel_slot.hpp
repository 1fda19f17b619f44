// SPDX-License-Identifier: Apache-2.0
//
// cancel_slot: through which the owner stops what a coroutine awaits.
//
// A std::stop_token allocates, and runs callbacks on the thread that asks. A slot does neither: it belongs to one thread, and holds the
// operation that cancels in itself. Who awaits names it; whoever has it on that thread may cancel.
//
//   cancel_slot slot;                                                        // beside what is to be stopped
//   auto count = co_await awaiting(io, entries::recv(socket, bytes), slot);  // ECANCELED, if it was in time
//   …
//   slot.request();                                                           // elsewhere on the owner's thread
//
// Before something is awaited: that is answered with ECANCELED at once, and asks the kernel nothing. While it is in flight: it is
// stopped if it still can be, else its result is the one that it has. Afterwards: it is remembered for what is awaited next, until
// reset(). The coroutine goes on only after the cancel has been answered as well, so the slot may go with it.
#pragma once

#include <coroutine>
#include <pinion/base/assert.hpp>
#include <pinion/config.hpp>
#include <pinion/iosubmit/entries.hpp>
#include <pinion/iosubmit/operation.hpp>
#include <utility>

namespace pinion::iosubmit::inline PINION_MODE {

/// All members are for the owner's thread.
class cancel_slot {
 public:
  /// With nothing to cancel.
  cancel_slot() noexcept : stop_(*this) {}
  cancel_slot(const cancel_slot&) = delete;
  cancel_slot& operator=(const cancel_slot&) = delete;
  /// Nothing may be awaited with it.
  ~cancel_slot() {
    PINION_ASSERT(
        target_ == nullptr,
        "a cancel_slot was destroyed while something is awaited with it: keep it until that is answered");
  }

  /// Stops what is awaited with it, or else what is awaited next. A second time does nothing.
  void request() noexcept {
    if (std::exchange(is_requested_, true) || target_ == nullptr) return;
    stop_.ask(entries::cancel(*target_));
    queue_(io_, stop_);
  }
  /// Whether it was cancelled.
  [[nodiscard]] bool is_requested() const noexcept { return is_requested_; }
  /// Forgets that it was. Not while something is awaited with it.
  void reset() noexcept {
    PINION_ASSERT(target_ == nullptr && !stop_.is_waiting(),
                  "a cancel_slot was reset while something is awaited with it: wait for its answer");
    is_requested_ = false;
  }

  /// For an awaitable: what is in flight with it from now on, and how its io takes another operation.
  void begin(const operation& target, void* io, void (*queue)(void* io, operation& what) noexcept) noexcept {
    PINION_ASSERT(target_ == nullptr, "two are awaited with one cancel_slot: each needs one of its own");
    target_ = &target;
    io_ = io;
    queue_ = queue;
  }
  /// For an awaitable that was answered: resumes the one who awaits, now or when the cancel has been answered.
  void end(std::coroutine_handle<> awaiting) noexcept {
    target_ = nullptr;
    if (stop_.is_waiting())
      after_stop_ = awaiting;
    else
      awaiting.resume();
  }

 private:
  struct stop : operation {
    explicit stop(cancel_slot& slot) noexcept : operation{entries::nop(), &answered}, of(slot) {}
    static void answered(ring_answer& self, std::int32_t /*result*/) noexcept {
      cancel_slot& slot = static_cast<stop&>(self).of;
      if (slot.after_stop_) std::exchange(slot.after_stop_, {}).resume();
    }
    cancel_slot& of;
  };

  stop stop_;
  const operation* target_ = nullptr;
  void* io_ = nullptr;
  void (*queue_)(void* io, operation& what) noexcept = nullptr;
  std::coroutine_handle<> after_stop_;
  bool is_requested_ = false;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
