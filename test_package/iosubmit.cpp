// SPDX-License-Identifier: Apache-2.0
//
// The iosubmit part of an installed pinion: an operation goes to the kernel and is answered, under the policy
// and by the ring that the build was asked to make the defaults.
//
// A machine that opens no ring proves nothing, so that is a failure. EXPECT_NO_RING=1 in the environment says
// that the machine has none: then a refusal, with its cause and its remedy, is what is right.
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

#ifdef THROUGH_IMPORT
import pinion.iosubmit;
#else
#include <pinion/iosubmit.hpp>
#endif

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

namespace iosubmit = pinion::iosubmit;

namespace named {
using either_ring = iosubmit::either_ring<iosubmit::uring_ring, iosubmit::epoll_ring>;
using iosubmit::epoll_ring;
using iosubmit::uring_ring;
}  // namespace named

int main() {
  if (!std::is_same_v<iosubmit::default_policy, iosubmit::EXPECTED_POLICY_DEFAULT>) {
    std::puts("iosubmit: default_policy is not " NAME_OF(EXPECTED_POLICY_DEFAULT));
    return 1;
  }
  if (!std::is_same_v<iosubmit::default_ring, named::EXPECTED_RING_DEFAULT>) {
    std::puts("iosubmit: default_ring is not " NAME_OF(EXPECTED_RING_DEFAULT));
    return 1;
  }
  const bool expects_none = std::getenv("EXPECT_NO_RING") != nullptr;
  auto ring = iosubmit::open_ring();
  if (!ring) {
    std::printf("iosubmit: %s: %s\n", expects_none ? "no ring, as expected" : "FAILED",
                to_string(ring.error()).c_str());
    if (!expects_none) std::puts("iosubmit: if this machine can have no ring, set EXPECT_NO_RING=1");
    return expects_none ? 0 : 1;
  }
  if (expects_none) {
    std::puts("iosubmit: FAILED: EXPECT_NO_RING is set, and a ring was opened: unset it");
    return 1;
  }
  static int answers = 0;
  iosubmit::operation nothing{iosubmit::entries::nop(), [](pinion::ring_answer&, int result) noexcept {
                                answers += result == 0 ? 1 : 0;
                              }};
  iosubmit::submission<iosubmit::default_policy, iosubmit::default_ring> io{std::move(*ring)};

  io.queue(nothing);
  io.park(pinion::never);

  std::printf("iosubmit: default_policy is " NAME_OF(EXPECTED_POLICY_DEFAULT) ", default_ring is " NAME_OF(
                  EXPECTED_RING_DEFAULT) ", answered %d\n",
              answers);
  return answers == 1 ? 0 : 1;
}
