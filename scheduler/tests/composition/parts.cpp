// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

namespace pinion::scheduler::testing {

std::unique_ptr<any_wait> any_io::ask(const ring_entry& what, cancel_slot* slot, bool is_urgent) {
  if (slot == nullptr && is_urgent) return wait_on([&] { return iosubmit::awaiting_urgent(*this, what); });
  if (slot == nullptr) return wait_on([&] { return iosubmit::awaiting(*this, what); });
  if (is_urgent) return wait_on([&] { return iosubmit::awaiting_urgent(*this, what, *slot); });
  return wait_on([&] { return iosubmit::awaiting(*this, what, *slot); });
}

std::unique_ptr<any_wait> any_io::sleep_for(duration length, cancel_slot* slot) {
  if (slot == nullptr) return wait_on([&] { return iosubmit::sleep_for(*this, length); });
  return wait_on([&] { return iosubmit::sleep_for(*this, length, *slot); });
}

}  // namespace pinion::scheduler::testing
