// SPDX-License-Identifier: Apache-2.0
//
// Y4: who rests is left alone: nothing is armed, and nothing wakes, but once for what had begun.
#include "laws.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration q{1'000'000};
constexpr duration second{1'000'000'000};

// What may still come has come: nothing comes any more, for as long as one likes.
violation nothing_comes(const source_factory& factory, any_source& source, const char* when) {
  const std::size_t wakes = source.wakes();
  const std::size_t calls = source.calls();
  source.advance_by(second);
  source.stop_until(source.now() + second * 100'000);
  if (source.wakes() != wakes)
    return broken(factory, when, ", something woke ", source.wakes() - wakes, " times in a day");
  if (source.calls() != calls) return broken(factory, when, ", the operating system was called");
  if (source.is_armed()) return broken(factory, when, ", something is armed");
  return {};
}

violation who_never_began_is_left_alone(const source_factory& factory) {
  const auto source = factory.make({.owners = 2, .seed = factory.seed});
  if (violation what = nothing_comes(factory, *source, "before the first slice")) return what;
  source->rest();
  if (source->is_due()) return broken(factory, "due at rest, before the first slice");
  return nothing_comes(factory, *source, "at rest before the first slice");
}

// After rest(): by rest() itself, or by a begin() that is to be the same.
template <class Rest>
violation rests(const source_factory& factory, Rest rest) {
  for (const duration late_max : {duration{0}, duration{30'000}}) {
    const auto source = factory.make({.late_max = late_max, .seed = factory.seed});
    for (const duration until_rest : {duration{0}, duration{1}, q, q * 7}) {
      for (int k = 0; k < 4; ++k) {
        source->begin(source->now() + q);
        source->advance_by(duration{q.ns / 10});
      }
      source->advance_by(until_rest);
      rest(*source);
      if (!factory.has_shared_word() && source->is_due()) return broken(factory, "due as it rests");
      const std::size_t wakes = source->wakes();
      source->advance_by(q * 20);
      if (source->wakes() > wakes + 1)
        return broken(factory, "after rest() something woke ", source->wakes() - wakes, " times");
      if (!factory.has_shared_word() && source->is_due()) return broken(factory, "due at rest");
      if (violation what = nothing_comes(factory, *source, "at rest")) return what;
      const std::size_t asleep = source->wakes() + source->calls();
      rest(*source);
      if (violation what = nothing_comes(factory, *source, "at rest, told so again")) return what;
      if (source->wakes() + source->calls() != asleep)
        return broken(factory, "to rest at rest woke somebody");
    }
  }
  return {};
}

violation at_rest_nothing_is_armed(const source_factory& factory) {
  return rests(factory, [](any_source& source) { source.rest(); });
}

violation a_slice_without_an_end_is_rest(const source_factory& factory) {
  return rests(factory, [](any_source& source) { source.begin(never); });
}

violation it_is_never_due_without_an_end(const source_factory& factory) {
  const auto source = factory.make({.seed = factory.seed});
  source->begin(never);
  for (int k = 0; k < 1'000; ++k) {
    if (source->is_due()) return broken(factory, "a slice without an end is due at check ", k);
    source->advance_by(q);
  }
  return {};
}

violation one_who_rests_does_not_still_the_others(const source_factory& factory) {
  const machine on{.owners = 2, .seed = factory.seed};
  const auto source = factory.make(on);
  source->begin(source->now() + q, 0);
  source->begin(source->now() + q, 1);
  source->rest(0);
  source->advance_by(q);
  if (!factory.has_shared_word() && source->is_due(0)) return broken(factory, "the one who rests is due");
  if (factory.checks_max != 0 && !looks_due(*source, factory, 1))
    return broken(factory, "as one came to rest, another was forgotten");
  source->rest(1);
  source->advance_by(q * 20);
  return nothing_comes(factory, *source, "with both at rest");
}

}  // namespace

std::vector<clause> quiet() {
  return {{"Y4", "WhoNeverBeganIsLeftAlone", who_never_began_is_left_alone},
          {"Y4", "AtRestNothingIsArmed", at_rest_nothing_is_armed},
          {"Y4", "ASliceWithoutAnEndIsRest", a_slice_without_an_end_is_rest},
          {"Y4", "ItIsNeverDueWithoutAnEnd", it_is_never_due_without_an_end},
          {"Y4", "OneWhoRestsDoesNotStillTheOthers", one_who_rests_does_not_still_the_others}};
}

}  // namespace pinion::preempt::testing
