// SPDX-License-Identifier: Apache-2.0
//
// The sources that can be had in virtual time, each in a slicer.
#include <initializer_list>
#include <pinion/preempt.hpp>

#include "composition.hpp"

namespace pinion::scheduler::testing {
namespace {

// tsc_budget's counter: three cycles a nanosecond.
struct world_counter {
  static preempt::tsc_scale scale() noexcept { return {.per_ns = std::uint64_t{3} << 20U}; }
  [[nodiscard]] static std::uint64_t read(preempt::tsc_scale by) noexcept {
    return by.of(world::current().now() - instant{});
  }
};
// Due at each third check.
struct each_third : preempt::scripted_source {
  each_third() : scripted_source{3, 6, 9, 12, 15, 18, 21, 24, 27, 30} {}
};

template <class Source>
class slices_of final : public any_slices {
 public:
  template <class... Arguments>
  explicit slices_of(Arguments&... arguments) : slices_(arguments...) {}

  [[nodiscard]] expected<queue, refusal> add(const preempt::queue_terms& terms) override {
    return slices_.add(terms);
  }
  void remove(queue which) noexcept override { slices_.remove(which); }
  void begin(queue which, const preempt::slice_state& state) noexcept override {
    slices_.begin(which, state);
    is_armed_ = true;
  }
  void end(instant now) noexcept override { slices_.end(now); }
  void rest() noexcept override {
    slices_.rest();
    is_armed_ = false;
  }
  [[nodiscard]] const preempt::word& word() const noexcept override { return slices_.word(); }
  [[nodiscard]] preempt::slice_log& log() noexcept override { return slices_.log(); }
  [[nodiscard]] bool is_armed() const noexcept override { return is_armed_; }

 private:
  preempt::slicer<Source> slices_;
  bool is_armed_ = false;
};

template <class Source>
source_value value(const char* name, slice_end ends) {
  constexpr bool is_the_rings = std::constructible_from<Source, any_io&>;
  return {.name = name,
          .make = [](world&, any_io* io) -> std::unique_ptr<any_slices> {
            if constexpr (is_the_rings) {
              return std::make_unique<slices_of<Source>>(*io);
            } else {
              static_cast<void>(io);
              return std::make_unique<slices_of<Source>>();
            }
          },
          .ends = ends,
          .is_the_rings = is_the_rings};
}

}  // namespace

const std::vector<source_value>& all_sources() {
  static const std::vector<source_value> all{
      value<preempt::never_due>("never_due", slice_end::never),
      value<preempt::always_due>("always_due", slice_end::at_once),
      value<each_third>("scripted_source", slice_end::by_checks),
      value<preempt::operation_budget>("operation_budget", slice_end::by_checks),
      value<preempt::basic_tsc_budget<world_counter>>("tsc_budget", slice_end::by_time),
      value<preempt::uring_source<any_io>>("uring_source", slice_end::by_time),
  };
  return all;
}

}  // namespace pinion::scheduler::testing
