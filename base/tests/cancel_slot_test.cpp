// SPDX-License-Identifier: Apache-2.0
//
// cancel_slot: what it ends, how often, and in which order the two sides may go.
#include <pinion/base/cancel_slot.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>

namespace pinion {
namespace {

struct counted_wait : cancel_slot::wait {
  explicit counted_wait() : wait(&cancel) {}
  using wait::leave;
  using wait::wait_under;

  static void cancel(wait& self) noexcept {
    auto& mine = static_cast<counted_wait&>(self);
    ++mine.cancels;
    if (mine.also != nullptr) mine.also->request();
    if (mine.begins != nullptr) mine.begins->wait_under(*mine.of);
    if (mine.ends != nullptr) mine.ends->reset();
  }

  int cancels = 0;
  cancel_slot* also = nullptr;  // what cancelling it does besides
  counted_wait* begins = nullptr;
  cancel_slot* of = nullptr;
  std::optional<counted_wait>* ends = nullptr;
};

TEST(CancelSlot, EndsAllThatWaitUnderItOnce) {
  cancel_slot slot;
  counted_wait a, b, c;
  for (counted_wait* each : {&a, &b, &c}) each->wait_under(slot);
  b.leave();

  EXPECT_FALSE(slot.is_requested());
  slot.request();
  slot.request();

  EXPECT_TRUE(slot.is_requested());
  EXPECT_EQ(a.cancels, 1);
  EXPECT_EQ(b.cancels, 0);
  EXPECT_EQ(c.cancels, 1);
}

TEST(CancelSlot, EndsWhatBeginsLaterUntilItIsReset) {
  cancel_slot slot;
  counted_wait early, late;
  slot.request();

  early.wait_under(slot);
  EXPECT_EQ(early.cancels, 1);
  slot.reset();
  late.wait_under(slot);
  EXPECT_EQ(late.cancels, 0);
  slot.request();

  EXPECT_EQ(early.cancels, 1);
  EXPECT_EQ(late.cancels, 1);
}

TEST(CancelSlot, MayBeRequestedFromInsideItself) {
  cancel_slot slot, other;
  counted_wait a, b, elsewhere;
  a.also = &slot;
  b.also = &other;
  for (counted_wait* each : {&a, &b}) each->wait_under(slot);
  elsewhere.wait_under(other);
  elsewhere.also = &slot;

  slot.request();

  EXPECT_EQ(a.cancels, 1);
  EXPECT_EQ(b.cancels, 1);
  EXPECT_EQ(elsewhere.cancels, 1);
}

TEST(CancelSlot, WhileItEndsSomeOthersMayBeginAndGo) {
  cancel_slot slot;
  std::optional<counted_wait> goes{std::in_place};
  counted_wait first, begun;
  goes->wait_under(slot);
  first.wait_under(slot);  // the last that came is the first that is ended
  first.begins = &begun;
  first.of = &slot;
  first.ends = &goes;

  slot.request();

  EXPECT_EQ(first.cancels, 1);
  EXPECT_EQ(begun.cancels, 1);
  EXPECT_FALSE(goes);
}

TEST(CancelSlot, SlotAndWaitsGoInAnyOrder) {
  std::optional<cancel_slot> slot{std::in_place};
  counted_wait stays;
  {
    counted_wait goes;
    goes.wait_under(*slot);
    stays.wait_under(*slot);
  }
  slot.reset();
  stays.leave();

  EXPECT_EQ(stays.cancels, 0);
}

// Of one that waits under it itself, and of one that has it.
TEST(CancelSlot, MayBeRequestedFromADestructor) {
  struct requests : counted_wait {
    requests(cancel_slot& by, int& told) : slot(by), count(told) {}
    requests(const requests&) = delete;
    requests& operator=(const requests&) = delete;
    ~requests() {
      slot.request();
      count = cancels;
    }
    cancel_slot& slot;
    int& count;
  };
  struct owner {
    owner() = default;
    owner(const owner&) = delete;
    owner& operator=(const owner&) = delete;
    ~owner() { slot.request(); }
    cancel_slot slot;
  };
  counted_wait early, late, elsewhere;
  int told = 0;
  {
    cancel_slot slot;
    early.wait_under(slot);
    {
      requests last{slot, told};
      last.wait_under(slot);
    }
    late.wait_under(slot);
  }
  {
    const auto has_it = std::make_unique<owner>();
    elsewhere.wait_under(has_it->slot);
  }

  EXPECT_EQ(told, 1);
  EXPECT_EQ(early.cancels, 1);
  EXPECT_EQ(late.cancels, 1);
  EXPECT_EQ(elsewhere.cancels, 1);
}

TEST(CancelSlot, AWaitChangesSlots) {
  cancel_slot one, two;
  counted_wait wait;
  wait.wait_under(one);
  wait.wait_under(two);

  one.request();
  EXPECT_EQ(wait.cancels, 0);
  two.request();

  EXPECT_EQ(wait.cancels, 1);
}

TEST(CancelSlot, TheErrorIsOneForAll) {
  EXPECT_EQ(wait_cancelled(), std::errc::operation_canceled);
  EXPECT_EQ(wait_cancelled(), std::error_code(ECANCELED, std::generic_category()));
}

}  // namespace
}  // namespace pinion
