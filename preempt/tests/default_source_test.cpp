// SPDX-License-Identifier: Apache-2.0
//
// default_source: it is what the build says, can be made of nothing, and is a source.
#include <gtest/gtest.h>

#include <pinion/preempt.hpp>
#include <string_view>
#include <type_traits>

namespace pinion::preempt {
namespace {

#define PINION_NAME_OF_TOKEN(token) #token
#define PINION_NAME_OF(macro) PINION_NAME_OF_TOKEN(macro)
constexpr std::string_view chosen = PINION_NAME_OF(PINION_PREEMPT_DEFAULT);

// Written out once more, so that a name that means another type is seen.
template <class Source>
constexpr std::string_view name_of() {
  if constexpr (std::is_same_v<Source, ticker_source>) return "ticker_source";
  if constexpr (std::is_same_v<Source, posix_timer_source>) return "posix_timer_source";
  if constexpr (std::is_same_v<Source, tsc_budget>) return "tsc_budget";
  if constexpr (std::is_same_v<Source, operation_budget>) return "operation_budget";
  return "none of the option's values";
}

static_assert(preempt_source<default_source> && std::is_default_constructible_v<default_source>);
static_assert(name_of<default_source>() == chosen);

// Whichever a build chooses, the option's other values would do, too.
template <class Source>
constexpr bool may_be_chosen = preempt_source<Source> && std::is_default_constructible_v<Source>;
static_assert(may_be_chosen<ticker_source> && may_be_chosen<posix_timer_source> &&
              may_be_chosen<tsc_budget> && may_be_chosen<operation_budget>);

TEST(DefaultSourceTest, IsNotDueBeforeASliceNorAtRest) {
  default_source source;
  EXPECT_FALSE(source.word().is_due());

  source.begin(instant{0}, instant{0});
  source.rest();

  EXPECT_FALSE(source.word().is_due());
}

}  // namespace
}  // namespace pinion::preempt
