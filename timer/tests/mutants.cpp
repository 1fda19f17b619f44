// SPDX-License-Identifier: Apache-2.0
#include "mutants.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "historic_wheel.hpp"

namespace pinion::timer::testing {
namespace {

/// A right store, to be overridden in one place. Each mutant asks flawed() where its defect is, and nowhere
/// else.
class altered : public any_store {
 public:
  altered(const setup& how, bool flawed) : altered(std::make_unique<adapted<ordered_map>>(how), flawed) {}

  [[nodiscard]] store_traits traits() const override { return right_->traits(); }
  [[nodiscard]] duration lateness_bound(duration ahead) const override {
    return right_->lateness_bound(ahead);
  }
  [[nodiscard]] instant next_wakeup() const override { return right_->next_wakeup(); }
  [[nodiscard]] std::size_t size() const override { return right_->size(); }
  [[nodiscard]] std::size_t retired() const override { return right_->retired(); }
  [[nodiscard]] std::optional<std::uint64_t> work() const override { return right_->work(); }
  handle schedule(instant deadline, token&& value) override {
    return right_->schedule(deadline, std::move(value));
  }
  std::optional<token> cancel(handle h) override { return right_->cancel(h); }
  bool reschedule(handle h, instant deadline) override { return right_->reschedule(h, deadline); }
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    return right_->poll(now, budget, sink);
  }
  void clear() override { right_->clear(); }
  void reserve(std::size_t n) override { right_->reserve(n); }

 protected:
  altered(std::unique_ptr<any_store> right, bool flawed) : flawed_(flawed), right_(std::move(right)) {}
  [[nodiscard]] bool flawed() const noexcept { return flawed_; }
  any_store& right() noexcept { return *right_; }
  [[nodiscard]] const any_store& right() const noexcept { return *right_; }

 private:
  bool flawed_;
  std::unique_ptr<any_store> right_;
};

constexpr duration tick{std::uint64_t{1} << 20};

struct fires_one_tick_early final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    return right().poll(flawed() ? now + tick : now, budget, sink);
  }
};

/// Splits off what is before now, so that what is due now waits for another poll.
struct leaves_what_is_due_now final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    return right().poll(flawed() ? now - duration{1} : now, budget, sink);
  }
};

/// Its index of names is not told of firing.
class counts_what_has_fired final : public altered {
 public:
  using altered::altered;
  [[nodiscard]] std::size_t size() const override { return right().size() + (flawed() ? fired_ : 0); }
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    const poll_result did = right().poll(now, budget, sink);
    fired_ += did.fired;
    return did;
  }

 private:
  std::size_t fired_ = 0;
};

/// Unlinks what it clears, and frees none of it.
class leaks_what_is_cleared final : public altered {
 public:
  using altered::altered;
  handle schedule(instant deadline, token&& value) override {
    const handle h = right().schedule(deadline, std::move(value));
    const uncounted_allocations own;
    names_.push_back(h);
    return h;
  }
  void clear() override {
    for (const handle h : std::exchange(names_, {})) {
      std::optional<token> value = right().cancel(h);
      if (flawed() && value) leaked_.push_back(*std::move(value));
    }
  }

 private:
  std::vector<handle> names_;
  std::vector<token> leaked_;
};

struct fires_one_tick_late final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    return right().poll(flawed() ? now - tick : now, budget, sink);
  }
};

/// Reckons as if a ring reached as far as it has spokes, wherever in its spoke the hand is.
struct promises_too_little_at_an_edge final : altered {
  promises_too_little_at_an_edge(const setup& how, bool flawed)
      : altered(std::make_unique<adapted<stationary_wheel>>(how), flawed) {}
  [[nodiscard]] duration lateness_bound(duration ahead) const override {
    return right().lateness_bound(flawed() ? ahead - duration{ahead.ns / 1'024} : ahead);
  }
};

struct loses_what_is_beyond_the_budget final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    poll_result did = right().poll(now, budget, sink);
    if (flawed() && did.more) {
      auto drop = [](handle, instant, token&&) {};
      right().poll(now, unlimited, drop);
      did.more = false;
    }
    return did;
  }
};

struct fires_beyond_the_budget final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    return right().poll(now, flawed() && budget != unlimited ? 2 * budget : budget, sink);
  }
};

struct wakes_later_than_the_earliest_due final : altered {
  using altered::altered;
  [[nodiscard]] instant next_wakeup() const override {
    const instant truth = right().next_wakeup();
    return flawed() && truth != never ? truth + tick : truth;
  }
};

struct fires_in_the_poll_that_armed_it final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    poll_result sum = right().poll(now, budget, sink);
    while (flawed() && budget == unlimited && right().next_wakeup() <= now)
      sum.fired += right().poll(now, budget, sink).fired;
    return sum;
  }
};

/// Takes the whole batch out of the store before the first callback, as many a timer does.
struct runs_a_due_timer_cancelled_in_the_batch final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    if (!flawed()) return right().poll(now, budget, sink);
    struct due {
      handle name;
      instant deadline;
      token value;
    };
    std::vector<due> batch;
    auto collect = [&](handle h, instant deadline, token&& value) {
      batch.push_back({h, deadline, std::move(value)});
    };
    const poll_result did = right().poll(now, budget, collect);
    for (due& d : batch) sink(d.name, d.deadline, std::move(d.value));
    return did;
  }
};

/// Its batch can be cancelled from, but a timer that was pushed on runs all the same.
class runs_a_due_timer_rescheduled_in_the_batch final : public altered {
 public:
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    now_ = now;
    polling_ = true;
    const poll_result did = right().poll(now, budget, sink);
    polling_ = false;
    return did;
  }
  bool reschedule(handle h, instant deadline) override {
    // "Already on its way": says yes and leaves it in the batch.
    return flawed() && polling_ && right().next_wakeup() <= now_ ? true : right().reschedule(h, deadline);
  }

 private:
  instant now_{0};
  bool polling_ = false;
};

/// Is done with what was due, though a sink threw before its turn came.
struct drops_the_batch_when_a_sink_throws final : altered {
  using altered::altered;
  poll_result poll(instant now, std::size_t budget, sink_ref sink) override {
    try {
      return right().poll(now, budget, sink);
    } catch (...) {
      auto drop = [](handle, instant, token&&) {};
      if (flawed()) right().poll(now, unlimited, drop);
      throw;
    }
  }
};

/// Names timers by their slot alone.
class accepts_a_reused_handle final : public altered {
 public:
  using altered::altered;
  handle schedule(instant deadline, token&& value) override {
    const handle h = right().schedule(deadline, std::move(value));
    const uncounted_allocations own;
    latest_[slot_of(h)] = h;
    return h;
  }
  std::optional<token> cancel(handle h) override { return right().cancel(latest(h)); }
  bool reschedule(handle h, instant deadline) override { return right().reschedule(latest(h), deadline); }

 private:
  static std::uint64_t slot_of(handle h) { return h.bits() & 0xffff'ffff; }
  handle latest(handle h) const {
    const auto at = latest_.find(slot_of(h));
    return flawed() && at != latest_.end() ? at->second : h;
  }
  std::map<std::uint64_t, handle> latest_;
};

struct wraps_a_deadline_near_the_end final : altered {
  using altered::altered;
  handle schedule(instant deadline, token&& value) override {
    // Rounded up to a tick in 64 bits, and past their end.
    const std::uint64_t rounded = (deadline.ns + tick.ns - 1) / tick.ns * tick.ns;
    const bool wraps = deadline != never && rounded < deadline.ns;
    return right().schedule(flawed() && wraps ? instant{rounded} : deadline, std::move(value));
  }
};

struct fires_a_timer_at_never final : altered {
  using altered::altered;
  handle schedule(instant deadline, token&& value) override {
    return right().schedule(flawed() && deadline == never ? instant{never.ns - 1} : deadline,
                            std::move(value));
  }
};

struct work_grows_with_the_population final : altered {
  using altered::altered;
  [[nodiscard]] store_traits traits() const override {
    store_traits claimed = right().traits();
    if (flawed()) claimed.cost = growth::constant;
    return claimed;
  }
};

/// What it touches for the next wakeup is not in its count, so nobody could tell how that grows.
class hides_the_work_of_the_next_wakeup final : public altered {
 public:
  using altered::altered;
  [[nodiscard]] instant next_wakeup() const override {
    const std::uint64_t before = right().work().value_or(0);
    const instant answer = right().next_wakeup();
    if (flawed()) hidden_ += right().work().value_or(0) - before;
    return answer;
  }
  [[nodiscard]] std::optional<std::uint64_t> work() const override {
    const std::optional<std::uint64_t> touched = right().work();
    return touched ? std::optional{*touched - hidden_} : touched;
  }

 private:
  mutable std::uint64_t hidden_ = 0;
};

/// Looks through the timers for the next wakeup, a few at a time, and through more the more there are.
class scans_for_the_next_wakeup final : public altered {
 public:
  using altered::altered;
  [[nodiscard]] instant next_wakeup() const override {
    const std::size_t looks = flawed() ? right().size() / 256 : 0;
    for (std::size_t k = 0; k < looks; ++k) static_cast<void>(right().next_wakeup());
    return right().next_wakeup();
  }
};

struct allocates_after_reserve final : altered {
  using altered::altered;
  handle schedule(instant deadline, token&& value) override {
    if (!flawed()) return right().schedule(deadline, std::move(value));
    const auto node = std::make_unique<token>(std::move(value));
    return right().schedule(deadline, std::move(*node));
  }
};

/// Of two timers armed one after the other for the same time, the second comes first.
class fires_equal_deadlines_out_of_arming_order final : public altered {
 public:
  using altered::altered;
  handle schedule(instant deadline, token&& value) override {
    const handle h = right().schedule(deadline, std::move(value));
    if (flawed() && deadline == latest_deadline_) right().reschedule(latest_, deadline);
    latest_ = h;
    latest_deadline_ = deadline;
    return h;
  }
  bool reschedule(handle h, instant deadline) override {
    if (h == latest_) latest_ = handle{};
    return right().reschedule(h, deadline);
  }

 private:
  handle latest_;
  instant latest_deadline_{0};
};

}  // namespace

const std::vector<mutant>& mutants() {
  static const std::vector<mutant> all = [] {
    std::vector<mutant> list{
        made<fires_one_tick_early>("T1", "FiresOneTickEarly"),
        made<loses_what_is_beyond_the_budget>("T2", "LosesWhatIsBeyondTheBudget"),
        made<drops_the_batch_when_a_sink_throws>("T2", "DropsTheBatchWhenASinkThrows"),
        made<counts_what_has_fired>("T2", "CountsWhatHasFired", "Glommio"),
        made<leaks_what_is_cleared>("T2", "LeaksWhatIsCleared", "003 (e)"),
        made<fires_one_tick_late>("T3", "FiresOneTickLate"),
        made<promises_too_little_at_an_edge>("T3", "PromisesTooLittleAtAnEdge", "our own"),
        made<leaves_what_is_due_now>("T3", "LeavesWhatIsDueNow", "Glommio, 004"),
        made<wakes_later_than_the_earliest_due>("T4", "WakesLaterThanTheEarliestDue"),
        made<accepts_a_reused_handle>("T5", "AcceptsAReusedHandle", "001 (a)"),
        made<loses_what_is_beyond_the_budget>("T6", "LosesWhatIsBeyondTheBudget"),
        made<fires_beyond_the_budget>("T6", "FiresBeyondTheBudget"),
        made<fires_in_the_poll_that_armed_it>("T7", "FiresInThePollThatArmedIt", "libuv"),
        made<runs_a_due_timer_cancelled_in_the_batch>("T7", "RunsADueTimerCancelledInTheBatch", "Asio"),
        made<runs_a_due_timer_rescheduled_in_the_batch>("T7", "RunsADueTimerRescheduledInTheBatch"),
        made<work_grows_with_the_population>("T8", "WorkGrowsWithThePopulation", "Glommio", true),
        made<hides_the_work_of_the_next_wakeup>("T8", "HidesTheWorkOfTheNextWakeup", "our own", true),
        made<scans_for_the_next_wakeup>("T8", "ScansForTheNextWakeup", "004", true),
        made<allocates_after_reserve>("T9", "AllocatesAfterReserve", "Asio"),
        made<wraps_a_deadline_near_the_end>("T10", "WrapsADeadlineNearTheEnd", "tokio"),
        made<fires_a_timer_at_never>("T10", "FiresATimerAtNever"),
        made<fires_equal_deadlines_out_of_arming_order>("T11", "FiresEqualDeadlinesOutOfArmingOrder",
                                                        "Linux"),
    };
    std::ranges::move(historic_mutants(), std::back_inserter(list));
    return list;
  }();
  return all;
}

}  // namespace pinion::timer::testing
