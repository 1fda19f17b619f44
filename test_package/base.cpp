// SPDX-License-Identifier: Apache-2.0
//
// The base of an installed pinion: its library is linked, and the build has the mode and the parts that were
// asked for.
#include <cstdio>
#include <system_error>

#ifdef THROUGH_IMPORT
import pinion.base;
#else
#include <pinion/base.hpp>
#endif

int main() {
  static_assert(pinion::is_checked == EXPECTED_ASSERT);
  static_assert(pinion::is_counted == EXPECTED_STATISTICS);
  // from cmake/parts.json: expectations
  static_assert(pinion::has_timer == EXPECTED_TIMER);
  static_assert(pinion::has_waker == EXPECTED_WAKER);
  static_assert(pinion::has_iosubmit == EXPECTED_IOSUBMIT);
  static_assert(pinion::has_preempt == EXPECTED_PREEMPT);
  static_assert(pinion::has_scheduler == EXPECTED_SCHEDULER);
  static_assert(pinion::has_sim == EXPECTED_SIM);
  static_assert(pinion::has_asio == EXPECTED_WITH_ASIO);
  // end of expectations

  const std::error_code refused = pinion::errc::overflow;

  std::printf("base: %s\n", refused.message().c_str());
  return refused.message() == pinion::explain(pinion::errc::overflow) ? 0 : 1;
}
