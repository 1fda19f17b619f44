// SPDX-License-Identifier: Apache-2.0
//
// Y1: a check looks, and does nothing else. What it costs in instructions is the budget's to say.
#include <cstring>
#include <utility>

#include "laws.hpp"

namespace pinion::preempt::testing {
namespace {

constexpr duration q{1'000'000};

// Every state that an owner can be in, one after the other, for a function that says what it finds wrong in
// each.
template <class Look>
violation in_each_state(const source_factory& factory, Look look) {
  const auto source = factory.make({.seed = factory.seed});
  const auto found = [&](const char* state) -> violation {
    const std::string what = look(*source);
    return what.empty() ? violation{} : broken(factory, what, ", ", state);
  };
  if (violation what = found("before the first slice")) return what;
  source->begin(source->now() + q);
  if (violation what = found("when a slice had begun")) return what;
  source->advance_by(q);
  if (violation what = found("when it was over")) return what;
  source->begin(source->now() + q);
  if (violation what = found("in the slice after it")) return what;
  source->rest();
  return found("at rest");
}

violation asking_is_declared(const source_factory& factory) {
  return in_each_state(factory, [&](const any_source& source) -> std::string {
    std::uint32_t bits = 0;
    std::memcpy(&bits, source.word(), sizeof bits);
    const bool asks = (bits & word::asks) != 0;
    if (asks == factory.traits.asks) return {};
    return asks ? "a source that declares no asking was asked by its word"
                : "a source that declares asking isn't asked";
  });
}

violation a_check_writes_nothing(const source_factory& factory) {
  return in_each_state(factory, [](any_source& source) -> std::string {
    const auto before = source.bytes();
    const bool first = source.is_due();
    if (source.bytes() != before) return "a check wrote";
    for (int k = 0; k < 100; ++k)
      if (source.is_due() != first) return "a check changed what the next one saw";
    return source.bytes() == before ? "" : "one of a hundred checks wrote";
  });
}

violation a_check_calls_nobody(const source_factory& factory) {
  return in_each_state(factory, [](any_source& source) -> std::string {
    const auto before = std::pair{source.calls(), source.wakes()};
    for (int k = 0; k < 100; ++k) static_cast<void>(source.is_due());
    return before == std::pair{source.calls(), source.wakes()} ? "" : "a check called the operating system";
  });
}

violation the_word_stays_where_it_is(const source_factory& factory) {
  const void* place = nullptr;
  return in_each_state(factory, [&](const any_source& source) -> std::string {
    if (place == nullptr) place = source.word();
    return source.word() == place ? "" : "the word was at another place";
  });
}

}  // namespace

std::vector<clause> cheap_check() {
  return {{"Y1", "AskingIsDeclared", asking_is_declared},
          {"Y1", "ACheckWritesNothing", a_check_writes_nothing, kinds::not_asking},
          {"Y1", "ACheckCallsNobody", a_check_calls_nobody},
          {"Y1", "TheWordStaysWhereItIs", the_word_stays_where_it_is}};
}

}  // namespace pinion::preempt::testing
