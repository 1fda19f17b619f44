// SPDX-License-Identifier: Apache-2.0
//
// The one list that a new backend adds its name to: from there on every law, the model test and the
// benchmarks' result checks hold for it.
#include "any_store.hpp"
#include "owning.hpp"

namespace pinion::timer::testing {
namespace {

template <template <class> class Store>
store_factory backend(const char* name) {
  return {name, [](const setup& how) { return std::make_unique<adapted<Store>>(how); }};
}

}  // namespace

const std::vector<store_factory>& backends() {
  static const std::vector<store_factory> all{
      backend<ordered_map>("ordered_map"),
      backend<two_level_wheel>("two_level_wheel"),
      backend<stationary_wheel>("stationary_wheel"),
      backend<overflow_wheel>("overflow_wheel"),
      backend<owning_bitmap_wheel>("bitmap_wheel"),
      backend<deferred_wheel>("deferred_wheel"),
      backend<owning_deferred_hook_wheel>("deferred_hook_wheel"),
  };
  return all;
}

}  // namespace pinion::timer::testing
