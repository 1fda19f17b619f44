// SPDX-License-Identifier: Apache-2.0
// Calls functions that are compiled into the libraries of base and waker.
#include <cstdio>
#include <pinion/timer.hpp>
#include <pinion/waker.hpp>
#include <string>

int main() {
  pinion::waker::eventfd_notifier notifier;
  const bool woken = notifier.signal() && notifier.consume();
  const std::error_code code = pinion::errc::not_found;

  int fired = 0;
  pinion::timer::ordered_map<int> store{pinion::instant{0}};
  store.schedule(pinion::instant{1'000'000}, 7);
  store.poll(pinion::instant{2'000'000},
             [&](pinion::timer::handle, pinion::instant, int&& value) { fired += value; });
  std::printf("fired %d\n", fired);
  return woken && fired == 7 && !code.message().empty() ? 0 : 1;
}
