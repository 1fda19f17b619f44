// SPDX-License-Identifier: Apache-2.0
//
// probe: an operation that remembers what it was told, and does something then.
#pragma once

#include <cstdint>
#include <functional>
#include <pinion/iosubmit.hpp>
#include <utility>

namespace pinion::iosubmit::testing {

struct probe : operation {
  explicit probe(const ring_entry& what = entries::nop()) noexcept : operation{what, &done} {}

  int answers = 0;
  std::int32_t result = 0;
  std::function<void(probe&)> then;  ///< called inside the answer

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<probe&>(self);
    ++mine.answers;
    mine.result = result;
    if (mine.then) mine.then(mine);
  }
};

/// The same for what a part queues through the port.
struct port_probe : ring_answer {
  port_probe() noexcept : ring_answer{&done} {}

  int answers = 0;
  std::int32_t result = 0;

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<port_probe&>(self);
    ++mine.answers;
    mine.result = result;
  }
};

/// What a device is asked for: a read of nothing.
[[nodiscard]] inline ring_entry device_read() noexcept { return {.operation = codes::read}; }

}  // namespace pinion::iosubmit::testing
