// SPDX-License-Identifier: Apache-2.0
//
// The waker part of an installed pinion: a push wakes an owner that has armed, through a descriptor of the library's.
#include <cstdio>

#ifdef THROUGH_IMPORT
import pinion.waker;
#else
#include <pinion/waker.hpp>
#endif

int main() {
  pinion::waker::default_channel channel;
  pinion::waker::wake_node node;
  const bool armed = channel.try_arm();

  channel.sender().push(node);
  const bool signalled = channel.notifier().consume();
  const auto drained = channel.drain([](pinion::waker::wake_node&) {});

  std::printf("waker: signalled %d, drained %d\n", signalled, static_cast<int>(drained));
  return armed && signalled && drained == 1 ? 0 : 1;
}
