// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <bench/program/program.hpp>

#include "../benchmarks.hpp"
#include "hashed_wheel.hpp"
#include "multimap_and_hash.hpp"
#include "skip_list.hpp"
#if PINION_BENCH_ASIO
#include "asio_timer_queue.hpp"
#endif
#if PINION_BENCH_ABSL
#include "absl_btree_and_hash.hpp"
#endif
#if PINION_BENCH_LIBUV
#include "libuv_heap.hpp"
#endif

namespace pinion::timer::bench {

void add_peers() {
  add_contestant<multimap_and_hash>("multimap_and_hash");
  add_coarse_contestant<skip_list>("skip_list", 100'000);
  add_contestant<hashed_wheel>("hashed_wheel");
#if PINION_BENCH_ABSL
  add_contestant<absl_btree_and_hash>("absl_btree_and_hash");
#else
  pinion::bench::leave_out("absl_btree_and_hash", "Abseil was not found");
#endif
#if PINION_BENCH_ASIO
  add_contestant<asio_timer_queue>("asio_timer_queue");
#else
  pinion::bench::leave_out("asio_timer_queue", "Boost 1.81 was not found");
#endif
#if PINION_BENCH_LIBUV
  add_touching<libuv_heap>("libuv_heap");
  add_memory<libuv_heap>("libuv_heap");
#else
  pinion::bench::leave_out("libuv_heap", "libuv was not found");
#endif
}

}  // namespace pinion::timer::bench
