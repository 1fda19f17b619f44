// SPDX-License-Identifier: Apache-2.0
//
// T9: n timers, once reserved or once live, are armed again without allocating.
#include "allocations.hpp"
#include "laws.hpp"
#include "scenario.hpp"

namespace pinion::timer::testing {
namespace {

/// Arms, pushes on, cancels and fires `n` timers, several times over, and counts the store's allocations.
std::size_t allocations_of_a_busy_while(scenario& s, std::size_t n) {
  std::vector<handle> names(n);
  auto sink = [](handle, instant, token&&) {};
  const std::size_t before = allocations_so_far();
  for (int round = 0; round < 5; ++round) {
    for (std::size_t k = 0; k < n; ++k)
      names[k] = s.store->schedule(s.now + s.random.any_length(34), token{s.book, k});
    for (std::size_t k = 0; k < n; k += 2) s.store->reschedule(names[k], s.now + s.random.any_length(34));
    for (std::size_t k = 0; k < n; k += 3) s.store->cancel(names[k]);
    s.now = s.now + duration{std::uint64_t{1} << 50};
    while (s.store->poll(s.now, 100, sink).more) {
    }
  }
  return allocations_so_far() - before;
}

violation after_reserve_nothing_is_allocated(const store_factory& factory) {
  scenario s{factory};
  if (s.store->traits().allocates == allocation::always) return {};
  for (std::size_t k = 0; k < 1'000; ++k) const token warm{s.book, k};
  s.store->reserve(1'000);
  const std::size_t count = allocations_of_a_busy_while(s, 1'000);
  if (count != 0) return s.broken("after reserve(1000) a thousand timers cost ", count, " allocations");
  return {};
}

violation after_a_warm_up_nothing_is_allocated(const store_factory& factory) {
  scenario s{factory};
  if (s.store->traits().allocates == allocation::always) return {};
  for (std::size_t k = 0; k < 1'000; ++k)
    s.store->schedule(s.now + s.random.any_length(34), token{s.book, k});
  s.store->clear();
  const std::size_t count = allocations_of_a_busy_while(s, 1'000);
  if (count != 0)
    return s.broken("a thousand timers were live before, and cost ", count, " allocations again");
  return {};
}

}  // namespace

std::vector<clause> allocations() {
  return {{"T9", "AfterReserveNothingIsAllocated", after_reserve_nothing_is_allocated},
          {"T9", "AfterAWarmUpNothingIsAllocated", after_a_warm_up_nothing_is_allocated}};
}

}  // namespace pinion::timer::testing
