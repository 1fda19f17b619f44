// SPDX-License-Identifier: Apache-2.0
//
// Y2: a slice is over when it was said to be: not before, not by the end of the one before it, and until
// another begins.
//
// Nothing here is about real time: a source is due at its time to the nanosecond, or as late as it declares,
// and as the machine was.
#include <random>
#include <utility>

#include "laws.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration us{1'000};
constexpr duration ms{1'000'000};
constexpr duration second{1'000'000'000};
constexpr duration day = second * (24 * 60 * 60);

violation too_early(const source_factory& factory, duration length, duration by) {
  return broken(factory, "a slice of ", length.ns, " ns was due ", by.ns, " ns too early");
}

// One slice from beginning to end, looked at on its way.
violation one_slice(const source_factory& factory, const machine& on, any_source& source, instant until,
                    std::size_t who = 0) {
  const instant began = source.now();
  const duration length = until - began;
  source.begin(until, who);
  if (!factory.traits.may_be_early && began < until) {
    for (const std::uint64_t eighths : {0U, 1U, 4U, 7U}) {
      source.advance_to(began + duration{length.ns / 8 * eighths});
      if (source.is_due(who)) return too_early(factory, length, until - source.now());
    }
    source.advance_to(until - duration{1});
    if (source.is_due(who)) return too_early(factory, length, duration{1});
  }
  source.advance_to(std::max(factory.due_by(on, began, until), began) + on.late_max);
  if (looks_due(source, factory, who)) return {};
  return broken(factory, "a slice of ", length.ns, " ns is not due ", (source.now() - until).ns,
                " ns after its end");
}

violation it_is_due_at_its_time(const source_factory& factory) {
  for (const duration late_max : {duration{0}, us * 30}) {
    const machine on{.late_max = late_max, .seed = factory.seed};
    const auto source = factory.make(on);
    for (const duration length : {us * 50, us * 100, ms, ms * 3 + us * 456, ms * 100}) {
      for (int k = 0; k < 3; ++k)
        if (violation what = one_slice(factory, on, *source, source->now() + length)) return what;
    }
  }
  return {};
}

violation quanta_of_all_lengths(const source_factory& factory) {
  const machine on{.seed = factory.seed};
  const auto source = factory.make(on);
  for (const std::uint64_t ns :
       {1ULL, 2ULL, 999ULL, 1'000ULL, 9'999ULL, 49'999ULL, 999'999'999ULL, 1'000'000'000ULL}) {
    if (violation what = one_slice(factory, on, *source, source->now() + duration{ns})) return what;
  }
  // Beyond a second the machine stands still: nobody plays a thread that looks each 50 us for ten years.
  for (const duration length : {second * 10, day, day * 365, day * 3650}) {
    const bool may_be_early = factory.traits.may_be_early;
    const instant end = source->now() + length;
    source->begin(end);
    source->advance_by(ms * 10);
    if (!may_be_early && source->is_due()) return too_early(factory, length, end - source->now());
    source->stop_until(end - duration{1});
    if (!may_be_early && source->is_due()) return too_early(factory, length, duration{1});
    source->stop_until(end + on.slice_min);
    if (!looks_due(*source, factory)) return broken(factory, "a slice of ", length.ns, " ns was never due");
  }
  return {};
}

violation it_stays_due(const source_factory& factory) {
  const machine on{.seed = factory.seed};
  const auto source = factory.make(on);
  for (int k = 0; k < 3; ++k) {
    if (violation what = one_slice(factory, on, *source, source->now() + ms)) return what;
    for (const duration later : {duration{0}, duration{1}, us, ms, ms * 50}) {
      source->advance_by(later);
      for (int look = 0; look < 3; ++look)
        if (!source->is_due())
          return broken(factory, "a slice that was due isn't any more, ", later.ns, " ns later");
    }
  }
  return {};
}

// Quanta, checks inside and outside of slices, and every end delivered when the next slice has begun.
violation a_late_end_cuts_no_slice_short(const source_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  // Where the number of slices begins anew, too.
  for (const std::uint32_t slices : {0U, (1U << 29U) - 20U}) {
    const auto source = factory.make({.slices = slices, .seed = factory.seed});
    instant end = source->now() + ms;
    source->begin(end);
    for (int k = 0; k < 60; ++k) {
      const duration next{std::uniform_int_distribution<std::uint64_t>{200'000, 2'000'000}(numbers)};
      source->advance_to(end - duration{1});
      source->begin_as_it_ends(end + next);
      end = end + next;
      if (source->is_due())
        return broken(factory, "slice ", k, " was over as it began, by the end of the one before");
      source->advance_to(end - next + us * 100);
      if (source->is_due())
        return broken(factory, "slice ", k, " was over after 100 us, by the end of the one before");
    }
    source->advance_to(end);
    if (!looks_due(*source, factory))
      return broken(factory, "after slices whose ends came late, one isn't due");
  }
  return {};
}

violation a_slice_begins_undue(const source_factory& factory) {
  const machine on{.seed = factory.seed};
  const auto source = factory.make(on);
  for (int k = 0; k < 3; ++k) {
    if (violation what = one_slice(factory, on, *source, source->now() + ms)) return what;
    source->begin(source->now() + ms);
    if (source->is_due())
      return broken(factory, "a slice that has just begun is due, as the one before it was");
  }
  return {};
}

violation the_last_begin_counts(const source_factory& factory) {
  const machine on{.seed = factory.seed};
  const auto source = factory.make(on);
  const instant first = source->now() + ms;
  source->begin(first);
  source->begin(first + ms);
  source->advance_to(first + us * 500);
  if (!factory.traits.may_be_early && source->is_due())
    return broken(factory, "a slice that began twice was due by the first time that it was given");
  source->advance_to(first + ms);
  if (!looks_due(*source, factory))
    return broken(factory, "a slice that began twice isn't due at the second time that it was given");
  source->begin(source->now() + ms * 5);
  source->advance_by(us * 200);
  if (violation what = one_slice(factory, on, *source, source->now() + us * 500)) return what;
  return {};
}

violation an_end_that_has_been_is_due(const source_factory& factory) {
  const machine on{.seed = factory.seed};
  const auto source = factory.make(on);
  for (const duration ago : {duration{0}, duration{1}, ms, second}) {
    for (int k = 0; k < 2; ++k) {
      const instant began = source->now();
      source->begin(began - ago);
      source->advance_to(factory.due_by(on, began, began));
      if (!looks_due(*source, factory))
        return broken(factory, "a slice that was over ", ago.ns, " ns before it began isn't due");
    }
    source->rest();
  }
  source->begin(instant{0});
  source->advance_by(on.slice_min);
  return looks_due(*source, factory) ? violation{} : broken(factory, "a slice that was over at 0 isn't due");
}

violation time_may_be_anything(const source_factory& factory) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63U;
  for (const std::uint64_t start : {std::uint64_t{1}, half - 3'000'000, half, half + half / 2}) {
    const machine on{.start = instant{start}, .seed = factory.seed};
    const auto source = factory.make(on);
    for (int k = 0; k < 6; ++k)
      if (violation what = one_slice(factory, on, *source, source->now() + ms)) return what;
  }
  return {};
}

// 10,000 slices of mixed lengths, none shorter than what is declared, each with an end, on a machine that is
// late by up to a tenth of q: no word is due later than the machine was.
violation lateness_is_the_machines(const source_factory& factory) {
  std::mt19937_64 numbers{factory.seed};
  for (const duration q : {us * 100, ms}) {
    const machine on{.late_max = duration{q.ns / 10}, .slice_min = duration{q.ns / 2}, .seed = factory.seed};
    const auto source = factory.make(on);
    for (int k = 0; k < 10'000; ++k) {
      const instant began = source->now();
      const duration length{std::uniform_int_distribution<std::uint64_t>{q.ns / 2, q.ns * 2}(numbers)};
      source->begin(began + length);
      // One in four ends before its time, as slices do whose queue is empty.
      if (k % 4 == 0) {
        source->advance_by(duration{std::uniform_int_distribution<std::uint64_t>{0, length.ns - 1}(numbers)});
        continue;
      }
      if (!factory.traits.may_be_early) {
        source->advance_to(began + length - duration{1});
        if (source->is_due()) return too_early(factory, length, duration{1});
      }
      source->advance_to(began + length + on.late_max);
      if (!looks_due(*source, factory))
        return broken(factory, "slice ", k, " of ", length.ns, " ns is not due ", on.late_max.ns,
                      " ns later, as late as the machine is");
      if (k % 64 == 1) {
        source->rest();
        source->advance_by(q * 3);
      }
    }
  }
  return {};
}

violation each_of_several_owners_is_served(const source_factory& factory) {
  const machine on{.owners = 3, .seed = factory.seed};
  const auto source = factory.make(on);
  for (int k = 0; k < 20; ++k) {
    const instant began = source->now();
    for (std::size_t who = 0; who < on.owners; ++who) {
      source->begin(began + ms + us * 100 * who, who);
      source->advance_by(us * 10);
    }
    for (std::size_t who = 0; who < on.owners; ++who) {
      const instant end = began + ms + us * 100 * who;
      source->advance_to(end - duration{1});
      if (!factory.traits.may_be_early && source->is_due(who))
        return broken(factory, "owner ", who, "'s slice is due too early");
      source->advance_to(end);
      if (!looks_due(*source, factory, who))
        return broken(factory, "owner ", who, "'s slice isn't due at its end, beside those of others");
    }
  }
  return {};
}

violation what_is_done_ends_a_slice(const source_factory& factory) {
  const auto source = factory.make({.seed = factory.seed});
  for (int k = 0; k < 3; ++k) {
    source->begin(source->now() + day);
    if (!looks_due(*source, factory)) return broken(factory, "not due after ", factory.checks_max, " checks");
    for (int look = 0; look < 10; ++look)
      if (!source->is_due()) return broken(factory, "what was due isn't any more at the next check");
  }
  return {};
}

}  // namespace

std::vector<clause> no_false_promise() {
  return {{"Y2", "ItIsDueAtItsTime", it_is_due_at_its_time, kinds::timed},
          {"Y2", "QuantaOfAllLengths", quanta_of_all_lengths, kinds::timed},
          {"Y2", "ItStaysDue", it_stays_due, kinds::timed},
          {"Y2", "ALateEndCutsNoSliceShort", a_late_end_cuts_no_slice_short, kinds::never_early},
          {"Y2", "ASliceBeginsUndue", a_slice_begins_undue, kinds::timed},
          {"Y2", "TheLastBeginCounts", the_last_begin_counts, kinds::timed},
          {"Y2", "AnEndThatHasBeenIsDue", an_end_that_has_been_is_due, kinds::timed},
          {"Y2", "TimeMayBeAnything", time_may_be_anything, kinds::timed},
          {"Y2", "LatenessIsTheMachines", lateness_is_the_machines, kinds::timed},
          {"Y2", "EachOfSeveralOwnersIsServed", each_of_several_owners_is_served, kinds::timed},
          {"Y2", "WhatIsDoneEndsASlice", what_is_done_ends_a_slice, kinds::counting}};
}

}  // namespace pinion::preempt::testing
