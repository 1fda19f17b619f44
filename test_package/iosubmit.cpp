// SPDX-License-Identifier: Apache-2.0
//
// The iosubmit part of an installed pinion: what can be asked, a policy that says when, and the compiled library behind the
// explanations.
#include <cerrno>
#include <cstdio>

#ifdef THROUGH_IMPORT
import pinion.iosubmit;
#else
#include <pinion/iosubmit.hpp>
#endif

int main() {
  using namespace pinion::iosubmit;
  static_assert(submit_policy<batch_or_idle>);
  batch_or_idle policy{.batch = 2};
  operation nothing{entries::nop(), [](pinion::ring_answer&, int) noexcept {}};

  const bool at_one = policy.queued({.depth = 1});
  const bool at_two = policy.queued({.depth = 2});
  const bool is_explained = !errors::explain_enter(-EPERM).empty() && errors::is_passing(-EINTR);

  std::printf("iosubmit: a batch of 2 is entered at %d\n", at_two ? 2 : 0);
  return !at_one && at_two && is_explained && nothing.entry().operation == codes::nop ? 0 : 1;
}
