// SPDX-License-Identifier: Apache-2.0
//
// The same entities through `import`: that names are exported, that values cross, that a store works.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#include "included_store.hpp"

import pinion.timer;

namespace {

using pinion::duration;
using pinion::instant;
using pinion::timer::handle;

TEST(timer_module, AStoreArmsCancelsReschedulesAndFires) {
  pinion::timer::ordered_map<std::string> store{instant{0}};
  const handle a = store.schedule(instant{0} + duration{10}, "a");
  const handle b = store.schedule(instant{20}, "b");
  store.schedule(pinion::never, "never");
  std::string fired;

  EXPECT_EQ(store.cancel(a), "a");
  EXPECT_TRUE(store.reschedule(b, instant{30}));
  const pinion::timer::poll_result did = store.poll(
      instant{30}, pinion::timer::unlimited, [&](handle, instant, std::string&& value) { fired += value; });

  EXPECT_EQ(did.fired, 1U);
  EXPECT_EQ(fired, "b");
  EXPECT_EQ(store.size(), 1U);
  EXPECT_EQ(store.next_wakeup(), pinion::never);
}

TEST(timer_module, ImportedAndIncludedNamesAreOneEntity) {
  pinion::timer::ordered_map<int> made_by_import{instant{0}};
  made_by_import.schedule(instant{5}, 7);

  EXPECT_EQ(fire_through_header(made_by_import, instant{5}), 7);
}

TEST(timer_module, ConceptsAndErrorsCross) {
  static_assert(pinion::timer::timer_store<pinion::timer::default_store<int>>);
  pinion::timer::ordered_map<int> store{instant{9}};

  const auto refused = store.try_schedule(instant{9}, 1);

  ASSERT_FALSE(refused);
  EXPECT_EQ(std::error_code{refused.error()}.message(), pinion::explain(pinion::errc::deadline_passed));
}

struct connection : pinion::timer::timer_hook {
  int number = 0;
};

TEST(timer_module, HooksOfAConnectionAreTimersWithoutAHandle) {
  pinion::timer::deferred_hook_wheel<connection> timers{instant{0}};
  connection client;
  client.number = 5;
  timers.schedule(client, instant{0} + pinion::duration{3'000'000});
  timers.reschedule(client, instant{0} + pinion::duration{9'000'000});
  int fired = 0;

  timers.poll(instant{0} + pinion::duration{8'000'000}, [&](connection& c) { fired += c.number; });
  const int before = fired;
  timers.poll(instant{0} + pinion::duration{11'000'000}, [&](connection& c) { fired += c.number; });

  EXPECT_EQ(before, 0);
  EXPECT_EQ(fired, 5);
}

}  // namespace
