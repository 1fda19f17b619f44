// SPDX-License-Identifier: Apache-2.0
#include "included_store.hpp"

int fire_through_header(pinion::timer::ordered_map<int>& store, pinion::instant now) {
  int fired = -1;
  store.poll(now, [&](pinion::timer::handle, pinion::instant, int&& value) { fired = value; });
  return fired;
}
