// SPDX-License-Identifier: Apache-2.0
//
// late_call: a wake that may arrive when what made it is gone: then it does nothing. For slot_on_stop,
// stop_on_slot and call_on_signal, which hold one each, and whose call() it calls from the drain.
#pragma once

#include <pinion/config.hpp>
#include <pinion/waker/wake_event.hpp>

namespace pinion::waker::inline PINION_MODE {

/// Held by the target, on the owner's thread. Only the push is not the owner's.
template <class Target>
class late_call {
 public:
  /// Allocates the wake, which is apart from the target since it may arrive later.
  explicit late_call(Target& target) : wake_(new wake(target)) {}
  late_call(const late_call&) = delete;
  late_call& operator=(const late_call&) = delete;
  /// Nobody pushes it any more. One that is on its way goes when it is drained.
  ~late_call() {
    wake_->target = nullptr;
    if (!wake_->is_queued()) delete wake_;
  }
  /// What is to be pushed.
  [[nodiscard]] wake_call& operator*() const noexcept { return *wake_; }

 private:
  struct wake : wake_call {
    explicit wake(Target& its_target) noexcept : wake_call(&came), target(&its_target) {}
    static void came(wake_call& self) {
      auto& mine = static_cast<wake&>(self);
      if (mine.target != nullptr)
        mine.target->call();
      else
        delete &mine;
    }
    Target* target;
  };
  wake* wake_;
};

}  // namespace pinion::waker::inline PINION_MODE
