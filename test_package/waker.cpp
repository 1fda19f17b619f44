// SPDX-License-Identifier: Apache-2.0
//
// The waker part of an installed pinion: a push wakes an owner that has armed, through the inbox and the
// notifier that the build was asked to make the defaults.
#include <cstdio>
#include <type_traits>

#ifdef THROUGH_IMPORT
import pinion.waker;
#else
#include <pinion/waker.hpp>
#endif

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

namespace named {
using bounded_inbox = pinion::waker::bounded_inbox<>;
using pinion::waker::eventfd_notifier;
using pinion::waker::futex_notifier;
using pinion::waker::mutex_inbox;
using pinion::waker::tagged_inbox;
}  // namespace named

int main() {
  if (!std::is_same_v<pinion::waker::default_inbox, named::EXPECTED_INBOX_DEFAULT>) {
    std::puts("waker: default_inbox is not " NAME_OF(EXPECTED_INBOX_DEFAULT));
    return 1;
  }
  if (!std::is_same_v<pinion::waker::default_notifier, named::EXPECTED_NOTIFIER_DEFAULT>) {
    std::puts("waker: default_notifier is not " NAME_OF(EXPECTED_NOTIFIER_DEFAULT));
    return 1;
  }
  pinion::waker::default_channel channel;
  pinion::waker::wake_node node;
  const bool armed = channel.try_arm();

  channel.sender().push(node);
  const bool signalled = channel.notifier().consume();
  const auto drained = channel.drain([](pinion::waker::wake_node&) {});

  std::printf("waker: default_inbox is " NAME_OF(EXPECTED_INBOX_DEFAULT) ", default_notifier is " NAME_OF(
                  EXPECTED_NOTIFIER_DEFAULT) ", signalled %d, drained %d\n",
              signalled, static_cast<int>(drained));
  return armed && signalled && drained == 1 ? 0 : 1;
}
