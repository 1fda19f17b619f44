// SPDX-License-Identifier: Apache-2.0
//
// probe: an operation that remembers what it was told, and does something then.
//
//   probe first{device_read()};
//   first.then = [&](probe&) { io.queue(second); };
#pragma once

#include <cstdint>
#include <functional>
#include <pinion/iosubmit.hpp>
#include <utility>

#include "asked.hpp"

namespace pinion::iosubmit::testing {

struct probe : asked {
  explicit probe(const ring_entry& what = entries::nop()) noexcept : asked{what, &done} {}

  std::function<void(probe&)> then;  ///< called inside the answer

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    keep(self, result);
    auto& mine = static_cast<probe&>(self);
    if (mine.then) mine.then(mine);
  }
};

/// The same, without what is done then, for what a part queues through the port.
struct port_probe : ring_answer {
  port_probe() noexcept : ring_answer{&done} {}

  int answers = 0;
  std::int32_t result = no_answer;

 private:
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<port_probe&>(self);
    ++mine.answers;
    mine.result = result;
    ++asked::order;
  }
};

/// What a device is asked for: a read of nothing.
[[nodiscard]] inline ring_entry device_read() noexcept { return {.operation = codes::read}; }

}  // namespace pinion::iosubmit::testing
