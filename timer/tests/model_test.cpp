// SPDX-License-Identifier: Apache-2.0
//
// Every backend against a model that shares no code with any: a plain list, searched from end to end.
// RapidCheck makes the operations, and what sinks do to the store in the midst of a poll; on a difference it
// shrinks both and prints the seed (RC_PARAMS="seed=…" repeats a run).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "any_store.hpp"

namespace pinion::timer::testing {
namespace {

enum class action : std::uint8_t { arm, cancel, push_on, clear, fail, poll, poll_some };

/// What a sink does when it is called.
struct reaction {
  action what;
  std::uint64_t time;  // ahead of now; for every third victim, before it
  std::size_t victim;  // modulo the timers so far
};

struct operation {
  action what;
  std::uint64_t time;
  std::size_t victim;
  std::size_t budget;
  std::vector<reaction> reactions;  // of a poll: of its first sink, its second, …
};

std::ostream& operator<<(std::ostream& out, const reaction& r) {
  static constexpr const char* names[] = {"arm", "cancel", "push_on", "clear", "fail", "poll", "poll_some"};
  return out << names[static_cast<int>(r.what)] << "(+" << r.time << ", #" << r.victim << ')';
}

std::ostream& operator<<(std::ostream& out, const operation& o) {
  out << reaction{o.what, o.time, o.victim} << '/' << o.budget;
  for (const reaction& r : o.reactions) out << " then " << r;
  return out;
}

rc::Gen<std::uint64_t> any_length() {
  return rc::gen::mapcat(rc::gen::inRange(0, 48), [](int bits) {
    return rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits);
  });
}

rc::Gen<std::size_t> any_victim() { return rc::gen::inRange<std::size_t>(0, 10'000); }

rc::Gen<reaction> any_reaction() {
  return rc::gen::build<reaction>(
      rc::gen::set(&reaction::what, rc::gen::weightedElement<action>({{8, action::arm},
                                                                      {8, action::cancel},
                                                                      {8, action::push_on},
                                                                      {1, action::clear},
                                                                      {1, action::fail}})),
      rc::gen::set(&reaction::time, any_length()), rc::gen::set(&reaction::victim, any_victim()));
}

rc::Gen<operation> any_operation() {
  const auto reactions = rc::gen::scale(0.05, rc::gen::container<std::vector<reaction>>(any_reaction()));
  return rc::gen::build<operation>(
      rc::gen::set(&operation::what, rc::gen::weightedElement<action>({{20, action::arm},
                                                                       {8, action::cancel},
                                                                       {8, action::push_on},
                                                                       {1, action::clear},
                                                                       {8, action::poll},
                                                                       {8, action::poll_some}})),
      rc::gen::set(&operation::time, any_length()), rc::gen::set(&operation::victim, any_victim()),
      rc::gen::set(&operation::budget, rc::gen::inRange<std::size_t>(0, 12)),
      rc::gen::set(&operation::reactions, reactions));
}

/// A store, and what it should do, said as simply as it can be.
class model {
 public:
  struct failure {};  // what a sink throws

  model(const store_factory& backend, instant start)
      : store_(
            backend.make({.start = start, .generation_bits = 32, .seed = backend.seed, .broken = &broken_})),
        now_(start) {}

  void play(const operation& o) {
    if (o.what == action::poll || o.what == action::poll_some) {
      poll(now_ + duration{o.time}, o.what == action::poll ? unlimited : o.budget, o.reactions);
    } else {
      change({o.what, o.time, o.victim});
    }
    RC_ASSERT(store_->size() == armed());
    instant earliest = never;
    for (const timer& t : timers_) {
      if (t.armed) earliest = std::min(earliest, t.latest);
    }
    RC_ASSERT(store_->next_wakeup() <= earliest);
    if (!broken_.empty()) RC_FAIL(broken_);
  }

 private:
  struct timer {
    instant deadline;
    instant latest;  // the latest due time its lateness bound allows
    handle name;
    std::size_t poll;  // the latest before or while it was armed
    bool armed;
  };

  /// What may be done between polls and inside of one.
  void change(const reaction& r) {
    const instant deadline = r.victim % 3 == 0 ? now_ - duration{r.time} : now_ + duration{r.time};
    if (r.what == action::arm) {
      const handle name = store_->schedule(deadline, token{book_, timers_.size()});
      timers_.push_back({deadline, latest_due(deadline), name, polls_, true});
    } else if (r.what == action::clear) {
      store_->clear();
      for (std::size_t id = 0; id < timers_.size(); ++id) {
        timers_[id].armed = false;
        RC_ASSERT(book_.live(id) == 0);
      }
    } else if (r.what == action::fail) {
      throw failure{};
    } else if (!timers_.empty()) {
      const std::size_t id = r.victim % timers_.size();
      timer& t = timers_[id];
      if (r.what == action::cancel) {
        const std::optional<token> back = store_->cancel(t.name);
        RC_ASSERT(back.has_value() == t.armed);
        if (back) RC_ASSERT(back->id() == id);
        t.armed = false;
      } else {
        RC_ASSERT(store_->reschedule(t.name, deadline) == t.armed);
        if (t.armed) t = {deadline, latest_due(deadline), t.name, polls_, true};
      }
    }
  }

  void poll(instant at, std::size_t budget, const std::vector<reaction>& reactions) {
    if (budget != 0) now_ = std::max(now_, at);
    ++polls_;
    std::size_t fired = 0;
    auto sink = [&](handle h, instant deadline, token&& value) {
      const std::size_t id = token{std::move(value)}.id();
      RC_ASSERT(id < timers_.size());
      timer& t = timers_[id];
      RC_ASSERT(t.armed);
      RC_ASSERT(t.name == h);
      RC_ASSERT(t.deadline == deadline);
      RC_ASSERT(deadline <= now_);
      RC_ASSERT(t.poll < polls_);  // what this poll's sinks arm or push on is for the next one
      t.armed = false;
      RC_ASSERT(store_->size() == armed());
      if (fired++ < reactions.size()) change(reactions[fired - 1]);
    };
    try {
      const poll_result did = store_->poll(at, budget, sink);
      RC_ASSERT(did.fired == fired);
      RC_ASSERT(budget == unlimited || did.fired + did.moved <= budget);
      const bool some_left = std::ranges::any_of(timers_, [&](const timer& t) {
        return t.armed && t.poll < polls_ && t.latest <= now_ && t.deadline != never;
      });
      if (budget != 0 && !did.more) RC_ASSERT(!some_left);
      if (budget == unlimited) RC_ASSERT(!did.more);
    } catch (const failure&) {  // NOLINT(bugprone-empty-catch): thrown by a sink of this test's own
      // That timer has fired; all that is left is judged with the next operation.
    }
  }

  [[nodiscard]] std::size_t armed() const {
    return static_cast<std::size_t>(std::ranges::count_if(timers_, [](const timer& t) { return t.armed; }));
  }
  [[nodiscard]] instant latest_due(instant deadline) const {
    return deadline + store_->lateness_bound(deadline - now_);
  }

  ledger book_;
  std::string broken_;                // an invariant of the store's, as it says itself
  std::unique_ptr<any_store> store_;  // after the ledger its tokens report to
  std::vector<timer> timers_;
  instant now_;
  std::size_t polls_ = 0;
};

class model_test : public ::testing::TestWithParam<std::size_t> {};

TEST_P(model_test, DoesWhatAPlainListDoes) {
  const store_factory& backend = backends()[GetParam()];
  // As many and as long as a second allows, unless whoever runs the test says otherwise.
  setenv("RC_PARAMS", "max_success=1500 max_size=200", 0);

  const bool holds = rc::check(backend.name + " does what a plain list does", [&] {
    const auto start =
        *rc::gen::element<std::uint64_t>(0, 1, (std::uint64_t{1} << 36) - 1, std::uint64_t{1} << 63);
    const auto operations = *rc::gen::container<std::vector<operation>>(any_operation());
    model m{backend, instant{start}};
    for (const operation& o : operations) m.play(o);
  });

  EXPECT_TRUE(holds) << "the operations and the seed are printed above";
}

INSTANTIATE_TEST_SUITE_P(backends, model_test, ::testing::Range<std::size_t>(0, backends().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& which) {
                           return backends()[which.param].name;
                         });

}  // namespace
}  // namespace pinion::timer::testing
