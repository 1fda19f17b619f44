// SPDX-License-Identifier: Apache-2.0
//
// message_sink: whom a submission tells of completions that answer no operation.
//
//   io.messages_to({.arrived = [](void* context, const ring_completion& message) noexcept { … }, .context = &mine});
#pragma once

#include <pinion/base/ring.hpp>
#include <pinion/config.hpp>

namespace pinion::iosubmit::inline PINION_MODE {

/// Receives completions that are nobody's answer: what other rings sent, and what watch() queued. Their user_data has a mark of 2 or
/// more. Without one they are dropped.
struct message_sink {
  void (*arrived)(void* context, const ring_completion& message) noexcept = nullptr;
  void* context = nullptr;
};

}  // namespace pinion::iosubmit::inline PINION_MODE
