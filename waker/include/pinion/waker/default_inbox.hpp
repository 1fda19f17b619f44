// SPDX-License-Identifier: Apache-2.0
//
// default_inbox, default_notifier: what a build recommends.
//
// Aliases and nothing else: whatever is compiled on them names the concrete type.
#pragma once

#include <pinion/waker/eventfd_notifier.hpp>
#include <pinion/waker/tagged_inbox.hpp>
#include <pinion/waker/wake_channel.hpp>

namespace pinion::waker::inline PINION_MODE {

/// The inbox for nearly everybody.
using default_inbox = tagged_inbox;
/// The notifier that any loop can watch.
using default_notifier = eventfd_notifier;
/// The two, joined.
using default_channel = wake_channel<default_inbox, default_notifier>;

}  // namespace pinion::waker::inline PINION_MODE
