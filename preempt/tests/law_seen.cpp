// SPDX-License-Identifier: Apache-2.0
//
// Y3: a slice that goes on after its end is told of, once, while it does; one that ends in time isn't.
//
// That slice_log tells of those that nothing saw while they lasted is in slice_log_test.cpp: it needs no
// source.
#include "laws.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration ms{1'000'000};
constexpr machine watching{.stall_after = duration{5'000'000}};

machine watched(const source_factory& factory) {
  machine on = watching;
  on.seed = factory.seed;
  return on;
}

// A slice that goes on for so long after its end.
void overrun(any_source& source, duration by) {
  source.begin(source.now() + ms);
  source.advance_by(ms + by);
}

violation a_stall_is_told_once(const source_factory& factory) {
  const machine on = watched(factory);
  const auto source = factory.make(on);
  for (std::size_t slice = 1; slice <= 5; ++slice) {
    overrun(*source, on.stall_after - duration{1});
    if (source->told().size() != slice - 1)
      return broken(factory, "slice ", slice, " was told of before it was late by what was asked for");
    source->advance_by(on.slice_min + duration{1});
    if (source->told().size() != slice)
      return broken(factory, "of stalled slice ", slice, " nothing was told");
    source->advance_by(ms * 100);
    if (source->told().size() != slice)
      return broken(factory, "stalled slice ", slice, " was told of ", source->told().size() - slice + 1,
                    " times");
  }
  return {};
}

violation what_is_told_is_true(const source_factory& factory) {
  const machine on = watched(factory);
  const auto source = factory.make(on);
  overrun(*source, ms * 20);
  if (source->told().size() != 1)
    return broken(factory, "a stalled slice was told of ", source->told().size(), " times");
  const stall& told = source->told().front();
  if (!told.lasts) return broken(factory, "a slice that goes on was told of as one that is over");
  if (told.length < on.stall_after || on.stall_after + on.slice_min < told.length)
    return broken(factory, "a slice ", on.stall_after.ns, " ns after its end was told of as ", told.length.ns,
                  " ns late");
  if (told.who == nullptr) return broken(factory, "a stall was told of without whose it is");
  return {};
}

violation what_ends_in_time_is_not_told_of(const source_factory& factory) {
  const machine on = watched(factory);
  const auto source = factory.make(on);
  for (int k = 0; k < 100; ++k) overrun(*source, k % 2 == 0 ? duration{0} : on.stall_after - ms);
  source->rest();
  source->advance_by(ms * 100);
  if (!source->told().empty())
    return broken(factory, source->told().size(), " slices were told of that had ended in time");
  source->begin(never);
  source->advance_by(ms * 100);
  return source->told().empty() ? violation{} : broken(factory, "a slice without an end was told of");
}

violation each_owner_is_told_of_its_own(const source_factory& factory) {
  machine on = watched(factory);
  on.owners = 2;
  const auto source = factory.make(on);
  source->begin(source->now() + ms, 0);
  overrun(*source, duration{0});
  source->begin(source->now() + ms, 1);
  source->begin(source->now() + ms * 50, 0);
  source->advance_by(ms * 20);
  if (!source->told(0).empty()) return broken(factory, "an owner in time was told of another's stall");
  return source->told(1).size() == 1 ? violation{}
                                     : broken(factory, "of the second owner's stall nothing was told");
}

}  // namespace

std::vector<clause> seen() {
  return {{"Y3", "AStallIsToldOnce", a_stall_is_told_once, kinds::seeing},
          {"Y3", "WhatIsToldIsTrue", what_is_told_is_true, kinds::seeing},
          {"Y3", "WhatEndsInTimeIsNotToldOf", what_ends_in_time_is_not_told_of, kinds::seeing},
          {"Y3", "EachOwnerIsToldOfItsOwn", each_owner_is_told_of_its_own, kinds::seeing}};
}

}  // namespace pinion::preempt::testing
