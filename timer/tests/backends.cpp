// SPDX-License-Identifier: Apache-2.0
//
// The one list that a new backend adds its name to: from there on every law, the model test and the
// benchmarks' result checks hold for it.
#include "any_store.hpp"

namespace pinion::timer::testing {
namespace {

template <template <class> class Store>
store_factory backend(const char* name) {
  return {name, [](const setup& how) { return std::make_unique<adapted<Store>>(how); }};
}

// Intrusive wheels, as stores of values.
template <class Hook>
using bitmap_hooks = hook_wheel<Hook, bitmap_wheel::levels_type>;
template <class Value>
using owned_bitmap_entries = owning<Value, bitmap_hooks>;
template <class Value>
using owned_deferred_hooks = owning<Value, deferred_hook_wheel>;

}  // namespace

const std::vector<store_factory>& backends() {
  static const std::vector<store_factory> all{
      backend<ordered_map>("ordered_map"),
      backend<two_level_wheel>("two_level_wheel"),
      backend<stationary_wheel>("stationary_wheel"),
      backend<overflow_wheel>("overflow_wheel"),
      backend<owned_bitmap_entries>("bitmap_wheel"),
      backend<deferred_wheel>("deferred_wheel"),
      backend<owned_deferred_hooks>("deferred_hook_wheel"),
  };
  return all;
}

}  // namespace pinion::timer::testing
