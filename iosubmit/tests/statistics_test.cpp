// SPDX-License-Identifier: Apache-2.0
//
// What submission tells of itself: in a build with PINION_STATISTICS=ON what it did, in another nothing, at
// no cost.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <list>
#include <numeric>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <random>
#include <string>
#include <type_traits>
#include <utility>

namespace pinion::iosubmit {
namespace {

using submission_detail::submission_recorder;

template <class Policy>
using virtual_submission = submission<Policy, sim::virtual_ring, sim::virtual_clock::view>;

template <class Owner>
concept has_statistics = requires(const Owner& owner) {
  owner.statistics();
  owner.trace();
};

static_assert(has_statistics<virtual_submission<batch_or_idle>> == is_counted);
static_assert(std::is_empty_v<submission_recorder> == !is_counted);

TEST(DecisionTraceTest, HoldsTheLastOnesTheOldestFirst) {
  decision_trace trace;
  EXPECT_EQ(trace.size(), 0U);

  for (std::uint32_t k = 0; k < 3 * trace.capacity + 5; ++k) trace.push({.depth = k});

  ASSERT_EQ(trace.size(), trace.capacity);
  for (std::uint32_t k = 0; k < trace.size(); ++k) EXPECT_EQ(trace[k].depth, 2 * trace.capacity + 5 + k);
}

TEST(StatisticsTest, ArePrintable) {
  submission_statistics of;
  of.enters = {1, 2, 3, 4, 5, 6, 7, 8};
  of.submitted = 90;
  of.completed = 80;
  of.said_no = 70;
  of.submissions_an_enter.add(0);
  of.submissions_an_enter.add(9);
  of.age_ns.add(1'000'000);
  of.mode_changes = {0, 1, 2, 3, 4};
  of.errors = {4, 3, 2, 1};

  EXPECT_EQ(to_string(of), "enters: 36 (policy 1, urgent 2, room 3, kernel 4, park 5, retry 6, stop 7, "
                           "submit 8), after 70 times no\n"
                           "submitted: 90; an enter, 0: 1, 8+: 1\n"
                           "completed: 80, dropped 0; an enter, none\n"
                           "age of the oldest at an enter, ns: 524288+: 1\n"
                           "changes of mode: begun 0, slow 1, fast and busy 2, neither 3, long turns 4\n"
                           "errors: interrupted 4, no memory 3, overflow 2, refused 1\n");
}

TEST(StatisticsTest, PrintDecisionsLineByLine) {
  decision_trace trace;
  trace.push({.at = instant{5'000},
              .age = duration{3'000},
              .depth = 8,
              .in_flight = 2,
              .accepted = 7,
              .said_no = 9,
              .error = -EAGAIN,
              .reason = enter_reason::policy,
              .mode = submit_mode::high_throughput});
  trace.push({.at = instant{9'000}, .in_flight = 9, .reason = enter_reason::park});

  EXPECT_EQ(to_string(trace), "at 5 us: policy (high-throughput), after 9 times no; 8 queued, the oldest for "
                              "3 us, 2 in flight; 7 taken, errno 11\n"
                              "at 9 us: park, after 0 times no; 0 queued, 9 in flight; 0 taken\n");
}

TEST(StatisticsTest, KnowTheClassesOfErrors) {
  EXPECT_EQ(statistics_detail::class_of(-EINTR), enter_error::interrupted);
  EXPECT_EQ(statistics_detail::class_of(-EAGAIN), enter_error::no_memory);
  EXPECT_EQ(statistics_detail::class_of(-EBUSY), enter_error::overflow);
  EXPECT_EQ(statistics_detail::class_of(-ENOSYS), enter_error::refused);
}

#if PINION_COUNTED

struct nop_operation : operation {
  nop_operation() : operation{entries::read(0, {}, 0), [](ring_answer&, std::int32_t) noexcept {}} {}
};

/// A ring of 8, and a device that takes 10 us.
template <class Policy>
class counted {
 public:
  explicit counted(Policy policy = {},
                   sim::virtual_ring_options how = {.entries = 8, .latency = duration{10'000}})
      : clock_(instant{1'000'000}), io_(sim::virtual_ring{clock_, how}, policy, clock_) {}
  ~counted() { io_.stop(); }

  void queue(int times) {
    for (int k = 0; k < times; ++k) io_.queue(operations_.emplace_back());
  }
  void queue_urgent() { io_.queue_urgent(operations_.emplace_back()); }
  void pass(std::uint64_t ns) { clock_.advance_by(duration{ns}); }
  void turn() { io_.turn(clock_.time()); }
  void park() { io_.park(never); }
  [[nodiscard]] std::uint64_t enters(enter_reason why) const {
    return io_.statistics().enters[static_cast<std::size_t>(why)];
  }
  virtual_submission<Policy>& io() noexcept { return io_; }

 private:
  sim::virtual_clock clock_;
  std::list<nop_operation> operations_;
  virtual_submission<Policy> io_;
};

TEST(CountedSubmissionTest, CountsAnEnterThatThePolicyWants) {
  counted<batch_or_idle> of{{.batch = 4}};

  of.queue(3);
  of.turn();
  EXPECT_EQ(of.enters(enter_reason::policy), 0U);
  of.queue(1);

  EXPECT_EQ(of.enters(enter_reason::policy), 1U);
  EXPECT_EQ(of.io().statistics().said_no, 4U) << "three operations, and a turn";
}

TEST(CountedSubmissionTest, CountsAnEnterForWhatIsUrgent) {
  counted<batch_or_idle> of;

  of.queue_urgent();
  of.turn();

  EXPECT_EQ(of.enters(enter_reason::urgent), 1U);
}

TEST(CountedSubmissionTest, CountsAnEnterForRoom) {
  counted<batch_or_idle> of;

  of.queue(8);
  EXPECT_EQ(of.enters(enter_reason::room), 0U);
  of.queue(1);

  EXPECT_EQ(of.enters(enter_reason::room), 1U);
}

TEST(CountedSubmissionTest, CountsAnEnterThatTheKernelWants) {
  counted<batch_or_idle> of{{}, {.entries = 8, .keeps_back = true, .latency = duration{10'000}}};
  of.queue(9);
  of.pass(20'000);

  of.turn();

  EXPECT_EQ(of.enters(enter_reason::kernel), 1U);
}

TEST(CountedSubmissionTest, CountsParksAndRetries) {
  counted<batch_or_idle> of;
  of.queue(1);
  of.io().ring().fail(1, -EAGAIN);

  of.park();
  EXPECT_EQ(of.enters(enter_reason::park), 1U);
  EXPECT_EQ(of.enters(enter_reason::retry), 1U);
  of.park();

  EXPECT_EQ(of.enters(enter_reason::park), 2U);
  EXPECT_EQ(of.enters(enter_reason::retry), 1U);
}

TEST(CountedSubmissionTest, CountsEntersOfStop) {
  counted<immediate> of{{}, {.entries = 8, .latency = forever}};
  of.queue(1);

  of.io().stop();

  EXPECT_EQ(of.enters(enter_reason::stop), 1U);
}

TEST(CountedSubmissionTest, CountsErrorsByTheirClass) {
  counted<immediate> of;
  const auto errors = [&](enter_error what) {
    return of.io().statistics().errors[static_cast<std::size_t>(what)];
  };

  of.io().ring().fail(1, -EAGAIN);
  of.queue(1);
  of.io().ring().fail(1, -EBUSY);
  of.queue(1);
  EXPECT_EQ(errors(enter_error::no_memory), 1U);
  EXPECT_EQ(errors(enter_error::overflow), 1U);
  EXPECT_EQ(errors(enter_error::interrupted), 0U);
  of.park();
  of.io().ring().end_early(1);
  of.park();
  EXPECT_EQ(errors(enter_error::interrupted), 1U);
  EXPECT_EQ(errors(enter_error::refused), 0U);
  set_diagnostic_sink([](const diagnostic&) noexcept {});
  of.io().ring().fail(1, -ENOSYS);
  of.queue(1);
  set_diagnostic_sink(nullptr);

  EXPECT_EQ(errors(enter_error::refused), 1U);
}

TEST(CountedSubmissionTest, CountsHowOldTheOldestWasAndHowMuchAnEnterTookAndBrought) {
  counted<batch_or_idle> of;
  of.queue(1);
  of.pass(5'000);
  of.turn();
  of.queue(2);

  of.park();

  const submission_statistics all = of.io().statistics();
  EXPECT_EQ(all.age_ns[13], 1U) << "5000 ns";
  EXPECT_EQ(all.submissions_an_enter[2], 1U) << "3 were taken";
  EXPECT_EQ(all.completions_an_enter[2], 1U) << "3 came";
  EXPECT_EQ(to_string(of.io().trace()),
            "at 1005 us: park, after 4 times no; 3 queued, the oldest for 5 us, 0 in flight; 3 taken\n");
}

TEST(CountedSubmissionTest, CountsForEachEnterWhatCameUntilTheNext) {
  counted<batch_or_idle> of;
  for (const int many : {3, 1, 4}) {
    of.queue(many);
    of.park();
  }

  const submission_statistics all = of.io().statistics();
  EXPECT_EQ(all.completions_an_enter[1], 1U);
  EXPECT_EQ(all.completions_an_enter[2], 1U);
  EXPECT_EQ(all.completions_an_enter[3], 1U);
}

struct asks_again : operation {
  explicit asks_again(virtual_submission<immediate>& by) : operation{entries::nop(), again}, io{by} {}
  static void again(ring_answer& self, std::int32_t result) noexcept {
    auto& one = static_cast<asks_again&>(self);
    if (result >= 0 && one.left-- != 0) one.io.queue(one);
  }
  virtual_submission<immediate>& io;
  int left = 1;
};

TEST(CountedSubmissionTest, CountsACompletionForTheEnterBeforeItWhereAnswersEnter) {
  sim::virtual_clock clock{instant{1'000}};
  virtual_submission<immediate> io{sim::virtual_ring{clock, {.latency = duration{100}}}, {}, clock};
  asks_again first{io}, second{io};
  io.queue(first);
  io.queue(second);
  clock.advance_by(duration{200});

  io.turn(clock.time());

  const submission_statistics all = io.statistics();
  io.stop();
  EXPECT_EQ(all.completed, 2U);
  EXPECT_EQ(all.completions_an_enter[0], 2U) << "the first, and the last, which waits still";
  EXPECT_EQ(all.completions_an_enter[1], 2U) << "one each: the first answer has entered";
}

TEST(CountedSubmissionTest, CountsChangesOfModeAndNamesTheModeOfEachEnter) {
  counted<balanced> of{
      balanced{{.readjust_every = duration{1'000}, .busy_submissions = 2, .samples_min = 1}}};
  of.queue(1);
  of.park();
  EXPECT_EQ(of.io().policy().mode(), submit_mode::balanced);

  of.queue(4);
  of.park();

  ASSERT_EQ(of.io().policy().mode(), submit_mode::high_throughput);
  EXPECT_EQ(of.io().statistics().mode_changes[static_cast<std::size_t>(mode_reason::fast_and_busy)], 1U);
  of.queue(1);
  of.park();
  ASSERT_EQ(of.io().trace().size(), 3U);
  EXPECT_EQ(of.io().trace()[1].mode, submit_mode::balanced);
  EXPECT_EQ(of.io().trace()[2].mode, submit_mode::high_throughput);
  const auto changes = of.io().statistics().mode_changes;
  EXPECT_EQ(std::accumulate(changes.begin(), changes.end(), std::uint64_t{0}), of.io().policy().changes());
}

TEST(CountedSubmissionTest, CountsWhatTheRingHasSeenWhateverTheLoad) {
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  std::mt19937_64 random{7};
  counted<balanced> of{{}, {.entries = 8, .completions = 16, .keeps_back = true, .latency = duration{3'000}}};

  for (int k = 0; k < 3'000; ++k) {
    of.queue(static_cast<int>(random() % 20));
    of.pass(random() % 4'000);
    if (random() % 8 == 0) of.io().ring().accept_at_most(3, 1);
    if (random() % 16 == 0) of.io().ring().fail(1, -EAGAIN);
    random() % 3 == 0 ? of.park() : of.turn();
  }

  const submission_statistics all = of.io().statistics();
  const sim::virtual_ring_counts& seen = of.io().ring().counts();
  EXPECT_EQ(sum(all.enters), seen.enters);
  EXPECT_EQ(sum(all.errors), seen.failed);
  EXPECT_EQ(all.submitted, seen.accepted);
  EXPECT_EQ(all.completed, seen.reaped);
  EXPECT_EQ(all.submissions_an_enter.count(), seen.enters);
  EXPECT_EQ(all.completions_an_enter.count(), seen.enters);
  EXPECT_GT(all.completed, 10'000U) << "or the numbers prove nothing";
  EXPECT_GT(seen.failed, 100U);
}

#else

TEST(StatisticsTest, AreNoBytesWhereNothingIsCounted) {
  struct one_word {
    std::uint64_t word = 0;
  };
  struct with_recorder {
    [[no_unique_address]] submission_recorder recorder;
    std::uint64_t word = 0;
  };

  EXPECT_EQ(sizeof(with_recorder), sizeof(one_word));
}

#endif

}  // namespace
}  // namespace pinion::iosubmit
