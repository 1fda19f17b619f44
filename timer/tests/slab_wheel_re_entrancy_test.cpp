// SPDX-License-Identifier: Apache-2.0
//
// Calls that come back to a slab_wheel from inside it: of its values' destructors, and of its sink.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <pinion/timer.hpp>
#include <utility>
#include <vector>

namespace pinion::timer {
namespace {

constexpr auto ignore = [](auto&&...) {};
constexpr std::uint64_t tick = std::uint64_t{1} << 20;

/// Calls a function as it is destroyed.
class on_death {
 public:
  explicit on_death(std::function<void()> last_words) : last_words_(std::move(last_words)) {}
  on_death(on_death&& other) noexcept : last_words_(std::exchange(other.last_words_, nullptr)) {}
  on_death& operator=(on_death&&) = delete;
  ~on_death() {
    if (last_words_) last_words_();
  }

 private:
  std::function<void()> last_words_;
};

template <class Wheel>
class slab_wheel_re_entrancy : public ::testing::Test {
 protected:
  handle arm(std::uint64_t ticks, std::function<void()> last_words = nullptr) {
    return timers.schedule(instant{ticks * tick}, on_death{std::move(last_words)});
  }
  void look() { EXPECT_EQ(timers.violated_invariant(), ""); }

  Wheel timers{instant{0}};
};

using wheels =
    ::testing::Types<deferred_wheel<on_death>, two_level_wheel<on_death>, stationary_wheel<on_death>>;
TYPED_TEST_SUITE(slab_wheel_re_entrancy, wheels);

TYPED_TEST(slab_wheel_re_entrancy, AValueDestroyedByClearMayArmAndCancel) {
  std::vector<handle> others;
  int refused = 0;
  for (std::uint64_t k = 0; k < 50; ++k) others.push_back(this->arm(k * 40));
  for (std::size_t k = 0; k < 50; ++k) {
    this->arm(k * 40, [this, &others, &refused, k] {
      this->look();
      if (!this->timers.cancel(others[k])) ++refused;
      this->arm(500 + k);
      this->look();
    });
  }

  this->timers.clear();

  EXPECT_EQ(this->timers.size(), 50U) << "what the destructors armed";
  EXPECT_EQ(refused, 50) << "what clear() had destroyed before";
  this->look();
  EXPECT_EQ(this->timers.poll(instant{1'000 * tick}, ignore).fired, 50U);
}

TYPED_TEST(slab_wheel_re_entrancy, AValueDestroyedByClearMayCancelWhatIsStillToBeDestroyed) {
  std::vector<handle> others(10);
  int taken_back = 0;
  for (std::size_t k = 0; k < 10; ++k) {
    this->arm(5, [this, &others, &taken_back, k] {
      taken_back += this->timers.cancel(others[k]).has_value() ? 1 : 0;
    });
  }
  for (handle& other : others) other = this->arm(5);

  this->timers.clear();

  EXPECT_EQ(taken_back, 10) << "the slots are cleared in order";
  EXPECT_EQ(this->timers.size(), 0U);
  EXPECT_EQ(this->timers.next_wakeup(), never);
  this->look();
}

TYPED_TEST(slab_wheel_re_entrancy, AValueDestroyedByClearCanNotSaveAnotherByPushingItOn) {
  handle other;
  bool is_pushed_on = false;
  this->arm(
      5, [this, &other, &is_pushed_on] { is_pushed_on = this->timers.reschedule(other, instant{9 * tick}); });
  other = this->arm(5);

  this->timers.clear();

  EXPECT_FALSE(is_pushed_on);
  EXPECT_EQ(this->timers.size(), 0U);
  this->look();
}

TYPED_TEST(slab_wheel_re_entrancy, AValueDestroyedByClearMayClear) {
  for (int k = 0; k < 20; ++k) this->arm(5, [this] { this->timers.clear(); });

  this->timers.clear();

  EXPECT_EQ(this->timers.size(), 0U);
  this->look();
  this->arm(6);
  EXPECT_EQ(this->timers.poll(instant{6 * tick}, ignore).fired, 1U);
}

TYPED_TEST(slab_wheel_re_entrancy, AValueDestroyedAfterItsSinkMayArmCancelAndClear) {
  const handle far = this->arm(900);
  const handle due = this->arm(6);
  this->arm(5, [this, far, due] {
    this->timers.cancel(far);
    this->timers.cancel(due);
    this->arm(1);
    this->look();
  });
  const poll_result first = this->timers.poll(instant{10 * tick}, ignore);
  this->arm(11, [this] {
    this->timers.clear();
    this->arm(12);
    this->look();
  });
  for (int k = 0; k < 10; ++k) this->arm(15);

  const poll_result second = this->timers.poll(instant{20 * tick}, ignore);

  EXPECT_EQ(first.fired, 1U) << "the due one was cancelled, the new one waits";
  EXPECT_EQ(second.fired, 2U) << "what waited, and the one that cleared the rest";
  EXPECT_EQ(this->timers.size(), 1U);
  this->look();
}

TYPED_TEST(slab_wheel_re_entrancy, AValueThatCancelGaveBackMayComeBackAsItDies) {
  const handle other = this->arm(7);
  const handle h = this->arm(5, [this, other] {
    this->timers.cancel(other);
    this->arm(9);
  });

  this->timers.cancel(h);

  EXPECT_EQ(this->timers.size(), 1U);
  this->look();
}

TYPED_TEST(slab_wheel_re_entrancy, TheWheelsEndDestroysWhatValuesArmAsTheyDie) {
  int deaths = 0;
  {
    std::optional<TypeParam> wheel{std::in_place, instant{0}};
    for (int k = 0; k < 10; ++k) wheel->schedule(instant{5 * tick}, on_death{[&] { ++deaths; }});
    wheel.reset();
  }

  EXPECT_EQ(deaths, 10);
}

TYPED_TEST(slab_wheel_re_entrancy, AStoreThatDiesInsideItsOwnSinkIsAViolation) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  EXPECT_DEATH(
      {
        auto wheel = std::make_unique<TypeParam>(instant{0});
        wheel->schedule(instant{tick}, on_death{nullptr});
        wheel->poll(instant{tick}, [&](auto&&...) { wheel.reset(); });
      },
      "a store was destroyed inside its own sink");
}

TYPED_TEST(slab_wheel_re_entrancy, ANestedPollAndCompactAllInsideASinkAreViolations) {
  if (!is_checked) GTEST_SKIP() << "expects a contract violation: only in a checked build";
  this->arm(1);
  EXPECT_DEATH(this->timers.poll(instant{tick}, [&](auto&&...) { this->timers.poll(instant{tick}, ignore); }),
               "poll.. was called from inside a sink");
  EXPECT_DEATH(this->timers.poll(instant{tick}, [&](auto&&...) { this->timers.compact_all(); }),
               "compact_all.. was called from inside a sink");
}

}  // namespace
}  // namespace pinion::timer
