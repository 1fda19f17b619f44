// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's stores behind the interface of workloads.hpp. A new backend joins by a line in
// timer_bench.cpp. Who is measured beside them stands in peers/.
#pragma once

#include <cstdint>
#include <pinion/timer.hpp>
#include <utility>

namespace pinion::timer::bench {

template <template <class> class Store>
class store_contestant {
 public:
  explicit store_contestant(std::uint64_t start_ns) : store_(instant{start_ns}) {}

  handle arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    return store_.schedule(instant{deadline_ns}, std::move(payload));
  }
  std::uint64_t cancel(handle h) { return store_.cancel(h).value_or(0); }
  handle push_on(handle h, std::uint64_t deadline_ns, std::uint64_t payload) {
    return store_.reschedule(h, instant{deadline_ns}) ? h : arm(deadline_ns, payload);
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    store_.poll(instant{now_ns}, [&](handle, instant, std::uint64_t&& payload) { fired(payload); });
  }

 private:
  Store<std::uint64_t> store_;
};

}  // namespace pinion::timer::bench
