// SPDX-License-Identifier: Apache-2.0
//
// default_inbox, default_notifier: what a build recommends, chosen by the options PINION_INBOX_DEFAULT and
// PINION_NOTIFIER_DEFAULT.
//
// Aliases and nothing else: all code that is compiled on them names the concrete type, so two builds with
// different defaults have different symbols.
#pragma once

#include <pinion/config.hpp>
#include <pinion/waker/bounded_inbox.hpp>
#include <pinion/waker/eventfd_notifier.hpp>
#include <pinion/waker/futex_notifier.hpp>
#include <pinion/waker/mutex_inbox.hpp>
#include <pinion/waker/tagged_inbox.hpp>
#include <pinion/waker/wake_channel.hpp>

namespace pinion::waker::inline PINION_MODE {

// The option's values as types: one of them is a template, whose size the default has to choose.
namespace default_detail {
using bounded_inbox = waker::bounded_inbox<>;
using eventfd_notifier = waker::eventfd_notifier;
using futex_notifier = waker::futex_notifier;
using mutex_inbox = waker::mutex_inbox;
using tagged_inbox = waker::tagged_inbox;
}  // namespace default_detail

/// The inbox for nearly everybody: tagged_inbox, unless the build was told otherwise.
using default_inbox = default_detail::PINION_INBOX_DEFAULT;
/// The notifier that any loop can watch: eventfd_notifier, unless the build was told otherwise.
using default_notifier = default_detail::PINION_NOTIFIER_DEFAULT;
/// The two, joined.
using default_channel = wake_channel<default_inbox, default_notifier>;

}  // namespace pinion::waker::inline PINION_MODE
