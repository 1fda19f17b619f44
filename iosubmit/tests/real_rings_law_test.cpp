// SPDX-License-Identifier: Apache-2.0
//
// Laws S1, S2, S4 and S5 under every policy over every ring that is shipped, on the real kernel. What virtual
// time can show is in conformance_test.cpp; here each enter is looked at on its way to the ring, and each
// operation is counted.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "listed_test.hpp"
#include "probe.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {
namespace {

// What is seen of enters since the last look.
struct enters_seen {
  std::function<std::uint32_t()> depth;
  bool in_queue = false;
  int count = 0;              // by turn() and park()
  int in_vain = 0;            // with nothing to hand over, to fetch or to wait for
  int after_all_went = 0;     // though the one before had left nothing
  int waits_with_queued = 0;  // with something queued that was not offered, nor refused before
  bool was_refused = false;
  bool has_urgent = false;
};

class watched_ring {
 public:
  watched_ring(any_ring ring, enters_seen& seen) : ring_(std::move(ring)), seen_(&seen) {}

  [[nodiscard]] bool supports(std::uint8_t operation) const noexcept { return ring_.supports(operation); }
  [[nodiscard]] std::uint32_t room() const noexcept { return ring_.room(); }
  void put(const ring_entry& entry) noexcept { ring_.put(entry); }
  [[nodiscard]] std::uint32_t pending() const noexcept { return ring_.pending(); }
  [[nodiscard]] bool has_completions() const noexcept { return ring_.has_completions(); }
  [[nodiscard]] bool wants_enter() const noexcept { return ring_.wants_enter(); }
  ring_entered enter(const ring_wait& wait) noexcept {
    const std::uint32_t depth = seen_->depth();
    const std::uint32_t offered = wait.keeps_pending ? 0 : pending();
    if (offered == 0 && wait.count == 0 && !wants_enter()) ++seen_->in_vain;
    if (wait.count != 0 && depth != offered && !seen_->was_refused) ++seen_->waits_with_queued;
    const ring_entered done = ring_.enter(wait);
    if (done.error == 0) seen_->has_urgent = false;
    if (!seen_->in_queue) {
      if (seen_->count != 0 && all_went_) ++seen_->after_all_went;
      ++seen_->count;
    }
    seen_->was_refused = done.error != 0 || done.accepted < offered;
    all_went_ = depth == done.accepted;
    return done;
  }
  template <class Sink>
  std::size_t reap(Sink sink) noexcept {
    return ring_.reap(sink);
  }
  template <class Sink>
  std::size_t withdraw(Sink sink) noexcept {
    return ring_.withdraw(sink);
  }

 private:
  any_ring ring_;
  enters_seen* seen_;
  bool all_went_ = false;
};

// What one operation is asked for, and room for it.
struct task : probe {
  int times_asked = 0;
  bool asks_another = false;
  kernel_time delay{};
  std::array<std::byte, 8> bytes{};
};

template <class Policy>
class loop {
 public:
  loop(const ring_kind& kind, Policy policy, std::uint64_t seed)
      : numbers_(seed), io_(watched_ring{kind.make(4), seen_}, std::move(policy)) {
    seen_.depth = [this] { return io_.depth(); };
    for (int k = 0; k < 24; ++k) {
      operations_.push_back(std::make_unique<task>());
      operations_.back()->then = [this](probe& done) { answered(static_cast<task&>(done)); };
    }
  }

  // Random turns; empty, or what broke.
  std::string run() {
    for (int turn = 0; turn < 150; ++turn) {
      for (auto left = numbers_() % 7; left != 0; --left) ask();
      const bool parks = unanswered_ != 0 && numbers_() % 3 == 0;
      const bool was_wanted = io_.ring().wants_enter();
      const bool was_urgent = std::exchange(seen_.has_urgent, false);
      const bool had_to_go = parks && io_.depth() != 0;
      forget();
      if (parks)
        io_.park(io_.now() + duration{2'000'000});
      else
        io_.turn(monotonic_clock::now());
      if (const std::string broken = look(had_to_go, was_wanted, was_urgent); !broken.empty())
        return broken + ", in turn " + std::to_string(turn);
    }
    for (int ends = 0; ends == 0 || (unanswered_ != 0 && ends < 100); ++ends) io_.stop();
    for (const auto& one : operations_) {
      if (one->answers != one->times_asked)
        return "S5: asked " + std::to_string(one->times_asked) + " times, answered " +
               std::to_string(one->answers);
    }
    return unanswered_ == 0 ? "" : "S5: counted " + std::to_string(unanswered_) + " too many";
  }

 private:
  void ask() {
    task& one = *operations_[numbers_() % operations_.size()];
    if (one.is_waiting()) return;
    switch (numbers_() % 5) {
    case 0: one.ask(entries::nop()); break;
    case 1:
      one.delay = kernel_time::of(duration{numbers_() % 300'000});
      one.ask(entries::timeout(one.delay));
      break;
    case 2: one.ask(entries::recv(sockets_.first.get(), one.bytes)); break;
    case 3: one.ask(entries::send(sockets_.second.get(), one.bytes)); break;
    default: one.ask(entries::recv(-1, one.bytes)); break;  // EBADF
    }
    one.asks_another = numbers_() % 8 == 0;
    ++one.times_asked;
    ++unanswered_;
    const bool was_inside = std::exchange(seen_.in_queue, true);
    if (numbers_() % 6 == 0) {
      io_.queue_urgent(one);
      seen_.has_urgent = has_asked_urgently_ = true;
    } else {
      io_.queue(one);
    }
    seen_.in_queue = was_inside;
  }

  void answered(task& one) {
    --unanswered_;
    if (one.asks_another) ask();
  }

  void forget() {
    has_asked_urgently_ = false;
    seen_.count = 0;
    seen_.was_refused = false;
  }

  std::string look(bool had_to_go, bool was_wanted, bool was_urgent) {
    if (seen_.waits_with_queued != 0) return "S1: waited with something queued that was not offered";
    if (seen_.in_vain != 0) return "S2: entered with nothing to do";
    if (seen_.after_all_went != 0 && !has_asked_urgently_) return "S2: entered again, though all had gone";
    if (was_wanted && seen_.count == 0) return "S4: left alone what the kernel keeps back";
    if (was_urgent && seen_.count == 0) return "S2: an urgent operation outlived its turn";
    if (had_to_go && seen_.count == 0) return "S1: a park handed nothing over";
    seen_.after_all_went = 0;
    return {};
  }

  std::mt19937_64 numbers_;
  enters_seen seen_;
  joined sockets_ = joined::sockets();
  int unanswered_ = 0;
  bool has_asked_urgently_ = false;  // an answer did, in this turn
  std::vector<std::unique_ptr<task>> operations_;
  submission<Policy, watched_ring> io_;
};

struct always_no : immediate {
  bool queued(const queue_state& /*state*/) noexcept { return false; }
};

template <class Policy>
void add(const char* name, const Policy& policy, std::uint64_t seed) {
  for (const ring_kind& kind : rings()) {
    pinion::testing::add_test("real_rings", std::string{name} + "_over_" + kind.name, [&kind, policy, seed] {
      if (!kind.refusal.empty()) GTEST_SKIP() << kind.refusal;
      loop<Policy> turns{kind, policy, seed};

      EXPECT_EQ(turns.run(), "") << "PINION_TEST_SEED=" << seed;
    });
  }
}

}  // namespace
}  // namespace pinion::iosubmit::testing

int main(int count, char** words) {
  namespace testing = pinion::iosubmit::testing;
  namespace iosubmit = pinion::iosubmit;
  ::testing::InitGoogleTest(&count, words);
  const std::uint64_t seed = pinion::testing::seed_from_environment();
  testing::add("immediate", iosubmit::immediate{}, seed);
  testing::add("batch_or_idle", iosubmit::batch_or_idle{}, seed);
  testing::add("each_turn", iosubmit::each_turn{}, seed);
  testing::add("low_latency", iosubmit::low_latency{}, seed);
  testing::add("high_throughput", iosubmit::high_throughput{}, seed);
  testing::add("balanced", iosubmit::balanced{}, seed);
  testing::add("adaptive", iosubmit::adaptive{}, seed);
  testing::add("chosen_policy", iosubmit::chosen_policy{iosubmit::effective_settings{}}, seed);
  testing::add("always_no", testing::always_no{}, seed);
  return RUN_ALL_TESTS();
}
