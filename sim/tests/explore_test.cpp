// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/sim/explore.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace pinion::sim {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto seq_cst = std::memory_order_seq_cst;

template <class T>
using word = explored_sync::atomic<T>;
template <class T>
using plain = explored_sync::plain<T>;

// Each choice within the limits was tried, and nothing broke.
void expect_passed(const exploration& found) {
  EXPECT_TRUE(found) << found.report();
  EXPECT_TRUE(found.is_complete) << found.report();
}

// Two threads that raise a flag each and look at the other's: at most one may find it down.
struct flags {
  word<int> left{0};
  word<int> right{0};
  bool is_in[2]{};

  flags() {
    explored_sync::name(left, "left");
    explored_sync::name(right, "right");
  }
};

scenario<flags> dekker(bool has_fence) {
  scenario<flags> result;
  const auto enter = [has_fence](word<int>& mine, word<int>& other) {
    mine.store(1, relaxed);
    if (has_fence) explored_sync::fence(seq_cst);
    return other.load(relaxed) == 0;
  };
  result.thread("left", [=](flags& f) { f.is_in[0] = enter(f.left, f.right); });
  result.thread("right", [=](flags& f) { f.is_in[1] = enter(f.right, f.left); });
  result.finally([](flags& f) { require(!(f.is_in[0] && f.is_in[1]), "both are in"); });
  return result;
}

TEST(explore, FindsADekkerFlagWithoutItsFence) {
  const exploration found = explore(dekker(false));

  EXPECT_EQ(found.violation, "both are in") << found.report();
}

TEST(explore, PassesADekkerFlagWithItsFence) { expect_passed(explore(dekker(true))); }

// A letter that is laid down and announced.
struct letter {
  plain<int> text{0};
  word<bool> is_there{false};
  int read = -1;
};

scenario<letter> message(std::memory_order announce, std::memory_order look) {
  scenario<letter> result;
  result.thread("writer", [=](letter& l) {
    l.text.write(7);
    l.is_there.store(true, announce);
  });
  result.thread("reader", [=](letter& l) {
    while (!l.is_there.load(look)) explored_sync::pause();
    l.read = l.text.read();
  });
  result.finally([](letter& l) { require(l.read == 7, "the letter is not what was written"); });
  return result;
}

TEST(explore, FindsTheDataRaceOfAMessageWithoutReleaseOrAcquire) {
  expect_passed(explore(message(release, acquire)));

  for (const auto& weak : {message(relaxed, acquire), message(release, relaxed), message(relaxed, relaxed)}) {
    const exploration found = explore(weak);
    EXPECT_EQ(found.violation.find("data race: reader reads"), 0U) << found.report();
  }
}

TEST(explore, FencesCarryAMessageOnRelaxedOperations) {
  const auto fenced = [](bool writer_has, bool reader_has) {
    scenario<letter> result;
    result.thread("writer", [=](letter& l) {
      l.text.write(7);
      if (writer_has) explored_sync::fence(release);
      l.is_there.store(true, relaxed);
    });
    result.thread("reader", [=](letter& l) {
      if (!l.is_there.load(relaxed)) return;
      if (reader_has) explored_sync::fence(acquire);
      l.read = l.text.read();
    });
    return explore(result);
  };

  expect_passed(fenced(true, true));
  EXPECT_FALSE(fenced(false, true));
  EXPECT_FALSE(fenced(true, false));
}

struct counted {
  word<int> lock{0};
  plain<int> count{0};
};

scenario<counted> spinlock(std::memory_order lock, std::memory_order unlock) {
  scenario<counted> result;
  for (const char* name : {"left", "right", "third"}) {
    result.thread(name, [=](counted& c) {
      while (c.lock.exchange(1, lock) != 0) explored_sync::pause();
      ++c.count.modify();
      c.lock.store(0, unlock);
    });
  }
  result.finally([](counted& c) { require(c.count.read() == 3, "a turn was lost"); });
  return result;
}

TEST(explore, PassesASpinlockAndFindsItsMissingOrders) {
  expect_passed(explore(spinlock(acquire, release)));
  EXPECT_FALSE(explore(spinlock(relaxed, release)));
  EXPECT_FALSE(explore(spinlock(acquire, relaxed)));
}

TEST(explore, AViolationReplaysExactly) {
  const exploration found = explore(dekker(false));

  const exploration again = replay(dekker(false), found.replay);

  EXPECT_EQ(again.violation, found.violation);
  EXPECT_EQ(again.schedule, found.schedule);
  EXPECT_EQ(again.executions, 1U);
  EXPECT_FALSE(found.schedule.empty());
}

TEST(explore, AScheduleNamesThreadOperationWordAndWhichStoreWasRead) {
  const exploration found = explore(dekker(false));

  EXPECT_EQ(found.schedule,
            "1    left       store relaxed          left         1\n"
            "2    left       load relaxed           right        0 (the initial value)\n"
            "3    right      store relaxed          right        1\n"
            "4    right      load relaxed           left         0 (the initial value; 1 newer)\n");
  EXPECT_EQ(found.replay, "3.1.1:001");
}

TEST(explore, ARandomViolationReplaysToo) {
  const exploration found = explore(dekker(false), {.executions_max = 0, .seed = 3});

  const exploration again = replay(dekker(false), found.replay);

  EXPECT_EQ(again.violation, "both are in");
  EXPECT_EQ(again.schedule, found.schedule);
}

TEST(explore, AReplayOfAnotherScenarioOrOfNoneSaysSo) {
  EXPECT_NE(replay(dekker(false), "3.1.1:zz").violation.find("not of this scenario"), std::string::npos);
  EXPECT_NE(replay(dekker(false), "0101").violation.find("no replay"), std::string::npos);
  EXPECT_NE(replay(dekker(false), "3.1.1:A").violation.find("no replay"), std::string::npos);
}

// One waits, one posts.
struct parked {
  explored_sync::event wake;
  word<int> is_asleep{0};
};

TEST(explore, AWaitThatNobodyEndsIsALostWake) {
  scenario<parked> lost;
  lost.thread("owner", [](parked& p) {
    p.is_asleep.store(1, relaxed);
    p.wake.wait();
  });
  lost.thread("waker", [](parked& p) {
    if (p.is_asleep.load(relaxed) != 0) p.wake.post();
  });

  const exploration found = explore(lost);

  EXPECT_EQ(found.violation.find("lost wake"), 0U) << found.report();
  EXPECT_NE(found.schedule.find("initial value"), std::string::npos) << found.schedule;
}

struct handed_over {
  explored_sync::event there;
  plain<int> shared{0};
};

TEST(explore, AnEventHandsOverWhatWasWrittenBeforeIt) {
  scenario<handed_over> result;
  result.thread("giver", [](handed_over& h) {
    h.shared.write(1);
    h.there.post();
  });
  result.thread("taker", [](handed_over& h) {
    h.there.wait();
    require(h.shared.read() == 1, "is not what was written");
  });

  expect_passed(explore(result));
}

TEST(explore, AWriteAfterAReadThatNothingOrdersIsADataRace) {
  scenario<handed_over> result;
  result.thread("reader", [](handed_over& h) {
    static_cast<void>(h.shared.read());
    h.there.post();
  });
  result.thread("writer", [](handed_over& h) {
    h.shared.write(1);
    h.there.wait();
  });

  EXPECT_EQ(
      explore(result).violation.find("data race: writer writes a plain, and nothing says that reader's read"),
      0U);
}

TEST(explore, AFutexWakeAfterTheStoreIsNeverMissed) {
  const auto futex = [](bool stores_first) {
    struct state {
      word<std::uint32_t> posted{0};
    };
    scenario<state> result;
    result.thread("owner", [](state& s) {
      while (s.posted.load(acquire) == 0) explored_sync::futex_wait(s.posted, 0);
    });
    result.thread("waker", [=](state& s) {
      if (!stores_first) explored_sync::futex_wake(s.posted, 1);
      s.posted.store(1, release);
      if (stores_first) explored_sync::futex_wake(s.posted, 1);
    });
    return explore(result);
  };

  expect_passed(futex(true));
  EXPECT_EQ(futex(false).violation.find("lost wake"), 0U) << futex(false).report();
}

TEST(explore, ALoopThatNobodyEndsIsFound) {
  scenario<flags> pausing;
  pausing.thread("left", [](flags& f) {
    while (f.left.load(relaxed) == 0) explored_sync::pause();
  });
  pausing.thread("right", [](flags& f) { f.right.store(1, relaxed); });
  scenario<flags> hot;
  hot.thread("left", [](flags& f) {
    while (f.left.load(relaxed) == 0) {
    }
  });

  EXPECT_EQ(explore(pausing).violation.find("spins for ever"), 0U);
  EXPECT_EQ(explore(hot).violation.find("does not end"), 0U);
}

TEST(explore, AWeakCompareExchangeMayFailWithoutCauseAndAStrongOneNot) {
  const auto once = [](bool weak) {
    scenario<flags> result;
    result.thread("only", [=](flags& f) {
      int expected = 0;
      const bool done = weak ? f.left.compare_exchange_weak(expected, 1, relaxed, relaxed)
                             : f.left.compare_exchange_strong(expected, 1, relaxed, relaxed);
      require(done, "failed");
    });
    return explore(result);
  };

  EXPECT_EQ(once(true).violation, "failed");
  expect_passed(once(false));
}

TEST(explore, AWordUsedAfterItsEndOrBeforeItsMakingIsKnownIsFound) {
  struct holder {
    std::optional<word<int>> kept{std::in_place, 1};
    std::optional<word<int>> late;
    word<word<int>*> shown{nullptr};
    word<int> is_done{0};
  };
  const auto ended = [](std::memory_order order) {
    scenario<holder> result;
    result.thread("user", [=](holder& h) {
      static_cast<void>(h.kept->load(relaxed));
      h.is_done.store(1, order);
    });
    result.thread("owner", [](holder& h) {
      while (h.is_done.load(acquire) == 0) explored_sync::pause();
      h.kept.reset();
    });
    return explore(result);
  };
  const auto made = [](std::memory_order order) {
    scenario<holder> result;
    result.thread("maker", [=](holder& h) { h.shown.store(&h.late.emplace(5), order); });
    result.thread("user", [](holder& h) {
      if (word<int>* const seen = h.shown.load(acquire)) require(seen->load(relaxed) == 5, "is not made");
    });
    return explore(result);
  };

  expect_passed(ended(release));
  EXPECT_EQ(ended(relaxed).violation.find("data race"), 0U);
  expect_passed(made(release));
  EXPECT_EQ(made(relaxed).violation.find("data race"), 0U);
}

TEST(explore, AnExceptionAndABrokenContractAreViolations) {
  scenario<flags> thrower;
  thrower.thread("left", [](flags&) { throw std::runtime_error{"no"}; });

  EXPECT_EQ(explore(thrower).violation, "left threw: no");
#if PINION_CHECKED
  scenario<flags> breaker;
  breaker.thread("left", [](flags& f) { PINION_ASSERT(f.left.load(relaxed) == 1, "the flag is down"); });
  EXPECT_NE(explore(breaker).violation.find("the flag is down"), std::string::npos);
#endif
}

TEST(explore, BeyondItsLimitTheSearchIsRandomAndSaysSo) {
  const exploration found =
      explore(spinlock(acquire, release), {.executions_max = 10, .random_executions = 50});

  EXPECT_TRUE(found);
  EXPECT_FALSE(found.is_complete);
  EXPECT_EQ(found.executions, 60U);
  EXPECT_EQ(found.random_executions, 50U);
}

}  // namespace
}  // namespace pinion::sim
