// SPDX-License-Identifier: Apache-2.0
//
// over_virtual: a submission over a ring in virtual time; and a test that has one, whose policy never enters
// by itself.
#pragma once

#include <gtest/gtest.h>

#include <pinion/iosubmit.hpp>
#include <pinion/sim/virtual_ring.hpp>

#include "probe.hpp"

namespace pinion::iosubmit::testing {

template <class Policy>
using over_virtual = submission<Policy, sim::virtual_ring, sim::virtual_clock::view>;

struct never_by_itself : batch_or_idle {
  bool queued(const queue_state&) noexcept { return false; }
};

class over_virtual_test : public ::testing::Test {
 protected:
  sim::virtual_ring ring(const sim::virtual_ring_options& how = {.latency = duration{100}}) {
    return sim::virtual_ring{clock, how};
  }

  sim::virtual_clock clock{instant{1'000}};
  probe first{device_read()}, second{device_read()};
  over_virtual<never_by_itself> io{ring(), {}, clock};
};

}  // namespace pinion::iosubmit::testing
