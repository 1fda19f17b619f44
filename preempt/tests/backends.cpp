// SPDX-License-Identifier: Apache-2.0
//
// The list that a new source adds its name to: from there on every law holds for it.
#include <initializer_list>
#include <memory>
#include <pinion/preempt.hpp>
#include <type_traits>

#include "played_ring.hpp"
#include "played_source.hpp"
#include "played_ticker.hpp"
#include "played_timers.hpp"

namespace pinion::preempt::testing {
namespace {

// Sources that know no time.
template <class Source>
class timeless final : public each_with_a_source<Source> {
 public:
  explicit timeless(const machine& on) : each_with_a_source<Source>(on) {
    for (std::size_t who = 0; who < on.owners; ++who) {
      if constexpr (std::is_same_v<Source, scripted_source>)
        this->sources_.emplace_back(std::initializer_list<std::uint64_t>{3, 4, 50, 1'000});
      else
        this->sources_.emplace_back();
    }
  }
};

// tsc_budget, over a counter of three cycles a nanosecond.
struct played_counter {
  const any_source* machine_ = nullptr;
  instant from{};

  static tsc_scale scale() noexcept { return {.per_ns = std::uint64_t{3} << 20U}; }
  [[nodiscard]] std::uint64_t read(tsc_scale by) const noexcept { return by.of(machine_->now() - from); }
};

class with_tsc final : public each_with_a_source<basic_tsc_budget<played_counter>> {
 public:
  explicit with_tsc(const machine& on) : each_with_a_source(on) {
    for (std::size_t who = 0; who < on.owners; ++who)
      sources_.emplace_back(tsc_budget_options{}, played_counter{this, on.start});
  }
};

template <class Made, class Source>
source_factory made(const char* name, std::uint32_t checks_max, bool has_slice_min = false) {
  return {.name = name,
          .make = [](const machine& on) -> std::unique_ptr<any_source> { return std::make_unique<Made>(on); },
          .traits = Source::traits,
          .checks_max = checks_max,
          .has_slice_min = has_slice_min};
}

}  // namespace

const std::vector<source_factory>& backends() {
  static const std::vector<source_factory> all{
      made<with_ticker, ticker_source>("ticker_source", 1, true),
      made<with_posix_timer, posix_timer_source>("posix_timer_source", 1),
      made<with_uring, uring_source<played_ring>>("uring_source", 1, true),
      made<with_tsc, tsc_budget>("tsc_budget", tsc_budget_options{}.checks_max),
      made<timeless<operation_budget>, operation_budget>("operation_budget",
                                                         operation_budget_options{}.operations),
      made<timeless<always_due>, always_due>("always_due", 1),
      made<timeless<never_due>, never_due>("never_due", 0),
      made<timeless<scripted_source>, scripted_source>("scripted_source", 0),
  };
  return all;
}

}  // namespace pinion::preempt::testing
