// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <bench/program/program.hpp>

#include "../benchmarks.hpp"
#include "raw_uring.hpp"

namespace pinion::iosubmit::bench {

void add_peers() {
  if (raw_queue::refusal().empty()) {
    add_nop<raw_uring>("raw_uring");
    add_file_work<raw_uring>("raw_uring");
  } else {
    pinion::bench::leave_out("raw_uring", raw_queue::refusal());
  }
}

}  // namespace pinion::iosubmit::bench
