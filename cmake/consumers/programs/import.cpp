// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

import pinion.timer;

int main() {
  int fired = 0;
  pinion::timer::ordered_map<int> store{pinion::instant{0}};
  store.schedule(pinion::instant{1'000'000}, 7);
  store.poll(pinion::instant{2'000'000},
             [&](pinion::timer::handle, pinion::instant, int&& value) { fired += value; });
  std::printf("fired %d\n", fired);
  return fired == 7 ? 0 : 1;
}
