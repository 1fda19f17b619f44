// SPDX-License-Identifier: Apache-2.0
//
// Each row of the fault table on each kernel that it is met on: what the ring and a submission over it do,
// and that nothing is lost.
#include "fault_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <string>
#include <vector>

#include "asked.hpp"

namespace pinion::iosubmit::testing {
namespace {

using faulty_ring = basic_uring_ring<faulty_calls>;

std::vector<std::string>* reported = nullptr;

// Reports of warnings and errors, while it lives.
class reports {
 public:
  reports() {
    reported = &texts;
    before_ = set_diagnostic_sink([](const diagnostic& one) noexcept {
      if (one.level != severity::note) reported->emplace_back(one.text);
    });
  }
  reports(const reports&) = delete;
  reports& operator=(const reports&) = delete;
  ~reports() { set_diagnostic_sink(before_); }

  std::vector<std::string> texts;

 private:
  diagnostic_sink before_;
};

// Twenty-one operations over a ring of eight entries: two that wait for something, and the others that don't.
// Were they as many as twenty, the last of them would fetch what the one before it had left flagged.
struct load {
  load() {
    for (int count = 0; count != 21; ++count) {
      all.push_back(std::make_unique<asked>(count % 10 == 5 ? entries::poll(0, 1) : entries::nop()));
    }
  }
  template <class Submission>
  void queue(Submission& io) {
    for (auto& one : all) io.queue(*one);
  }
  template <class Submission>
  void park(Submission& io) {
    for (int turns = 0; turns != 100 && unanswered() != 0; ++turns) {
      io.park(io.now() + duration{1'000'000});
    }
  }
  template <class Submission>
  void run(Submission& io) {
    queue(io);
    park(io);
  }
  [[nodiscard]] int unanswered() const {
    int count = 0;
    for (const auto& one : all) count += one->answers == 0 ? 1 : 0;
    return count;
  }
  // What is lost waits for good, and may not be destroyed.
  void keep_what_is_lost() {
    static auto& kept = *new std::vector<std::unique_ptr<asked>>;
    for (auto& one : all) {
      if (one->is_waiting()) kept.push_back(std::move(one));
    }
    std::erase(all, nullptr);
  }
  std::vector<std::unique_ptr<asked>> all;
};

std::string place_of(const fault& row, int level, int times) {
  return std::string{row.call} + ", " + row.answer + ", " + row.when + ", on " + std::to_string(level) +
         ", " + std::to_string(times) + " times";
}

void expect_refusal(const fault& row, const expected<faulty_ring, refusal>& opened,
                    const fake_kernel& kernel) {
  ASSERT_FALSE(opened.has_value());
  const refusal& why = opened.error();
  EXPECT_EQ(why.code, std::error_code(-row.error, std::generic_category()));
  EXPECT_NE(to_string(why).find(row.says), std::string::npos) << to_string(why);
  EXPECT_FALSE(why.asked.empty());
  EXPECT_FALSE(why.remedy.empty());
  EXPECT_EQ(kernel.rings, 0) << "a descriptor leaks";
  EXPECT_EQ(kernel.mappings, 0) << "a mapping leaks";
}

// An enter that fails for good is met when the ring is full: the turn answers those eight. The others wait
// until then, and go, or are refused, with the next enter.
void expect_answers(const fault& row, const load& work, int times) {
  const int failed = row.then != outcome::answered ? 0 : times == 1 ? 8 : 21;
  int place = 0;
  for (const auto& one : work.all) {
    ASSERT_EQ(one->answers, 1);
    EXPECT_EQ(one->result, place < failed ? row.error : 0) << place;
    ++place;
  }
}

// That the row was tested: its fault has happened, as often as it was to.
void expect_met(const fault& row, const fake_kernel& kernel, int times) {
  EXPECT_EQ(kernel.times_left(), 0);
  if (row.sign != nullptr) {
    EXPECT_TRUE(kernel.*row.sign);
  } else {
    EXPECT_GE(kernel.times_met(), times == fake_kernel::always ? 1 : times);
  }
  if (row.then == outcome::kept) {
    EXPECT_GT(kernel.enters, kernel.times_met()) << "not tried again";
  }
}

void expect_left_out(const fault& row, const uring_features& features) {
  ASSERT_NE(row.flag, 0U);
  EXPECT_EQ(features.setup_flags & row.flag, 0U);
  EXPECT_EQ(features.missing_flags & row.flag, row.flag);
}

// What failed is missing, and what did not is there as ever.
void expect_done_without(int level, const fake_kernel& kernel, const faulty_ring& ring) {
  const bool is_unprobed = kernel.times_met(faulty::probe) != 0;
  const bool is_unregistered = kernel.times_met(faulty::add_descriptor) != 0;
  ASSERT_NE(is_unprobed, is_unregistered);
  const bool registers = level >= 518 && !is_unregistered;
  EXPECT_EQ(ring.features().registered_descriptor, registers);
  EXPECT_EQ(kernel.saw_registered_enter, registers);
  EXPECT_EQ(ring.supports(codes::msg_ring), level >= 518 && !is_unprobed);
  EXPECT_TRUE(ring.supports(codes::recv));
}

// Each turn in which something is flagged enters, and hands out; in the end nothing is flagged.
template <class Submission>
void expect_fetches(Submission& io, const fake_kernel& kernel, const load& work) {
  int flagged = 0;
  for (; flagged != 100 && io.ring().wants_enter(); ++flagged) {
    const int enters = kernel.enters, unanswered = work.unanswered();
    io.turn(io.now());
    EXPECT_EQ(kernel.enters, enters + 1);
    EXPECT_LT(work.unanswered(), unanswered);
  }
  EXPECT_GT(flagged, 0) << "nothing was to be fetched";
  EXPECT_FALSE(io.ring().wants_enter());
}

void expect_report(const fault& row, const reports& said) {
  if (row.then != outcome::answered && row.then != outcome::lost) {
    EXPECT_TRUE(said.texts.empty()) << said.texts.front();
    return;
  }
  ASSERT_FALSE(said.texts.empty());
  if (row.then == outcome::answered) {
    EXPECT_EQ(said.texts.size(), 1U) << said.texts.back();
  }
  EXPECT_NE(said.texts.front().find(row.says), std::string::npos) << said.texts.front();
}

// What the kernel lost is never answered, and is not waited for.
void expect_only_lost_ones_unanswered(load& work, std::uint32_t lost) {
  EXPECT_NE(lost, 0U);
  EXPECT_EQ(static_cast<std::uint32_t>(work.unanswered()), lost);
  for (const auto& one : work.all) EXPECT_LE(one->answers, 1);
  work.keep_what_is_lost();
}

// How many are lost in the end.
template <class Policy>
std::uint32_t run(const fault& row, int level, const fake_kernel& kernel, faulty_ring ring, load& work) {
  submission<Policy, faulty_ring> io{std::move(ring)};
  work.queue(io);
  if (row.then == outcome::fetched) expect_fetches(io, kernel, work);
  work.park(io);
  if (row.then == outcome::without) expect_done_without(level, kernel, io.ring());
  io.stop();
  return io.ring().lost();
}

void expect_outcome(const fault& row, int level, int times) {
  SCOPED_TRACE(place_of(row, level, times));
  reports said;
  fake_kernel kernel{level};
  load work;
  row.inject(kernel, times);

  auto opened = faulty_ring::open({.entries = 8, .completion_entries = row.completions});
  if (row.then == outcome::refused) return expect_refusal(row, opened, kernel);
  ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
  if (row.then == outcome::left_out) expect_left_out(row, opened->features());
  // Who enters for each operation leaves what the last enter has flagged to the turn.
  const auto run_it = row.then == outcome::fetched ? &run<immediate> : &run<batch_or_idle>;
  const std::uint32_t lost = run_it(row, level, kernel, std::move(*opened), work);

  if (row.then != outcome::left_out && row.then != outcome::lost) expect_met(row, kernel, times);
  expect_report(row, said);
  if (row.then == outcome::lost)
    expect_only_lost_ones_unanswered(work, lost);
  else
    expect_answers(row, work, times);
  EXPECT_EQ(kernel.rings, 0) << "a descriptor leaks";
  EXPECT_EQ(kernel.mappings, 0) << "a mapping leaks";
  EXPECT_EQ(kernel.registered, 0) << "a registered descriptor leaks";
}

void expect_for_all(outcome which, const std::vector<int>& times) {
  int tried = 0;
  for (const fault& row : fault_table()) {
    for (const int level : fake_kernel::levels) {
      if (row.then != which || level < row.from || level > row.until) continue;
      for (const int often : times) {
        expect_outcome(row, level, often);
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 0);
}

TEST(FaultTableTest, WhatRefusesARingSaysWhyAndLeaksNothing) { expect_for_all(outcome::refused, {1}); }
TEST(FaultTableTest, AFlagThatIsNotKnownIsLeftOut) { expect_for_all(outcome::left_out, {1}); }
TEST(FaultTableTest, ARegistrationThatFailsIsDoneWithout) { expect_for_all(outcome::without, {1}); }
TEST(FaultTableTest, WhatPassesByItselfIsTriedAgain) { expect_for_all(outcome::kept, {1, 2, 7}); }
TEST(FaultTableTest, WhatDoesNotPassIsReportedAndAnswersWhatIsQueued) {
  expect_for_all(outcome::answered, {1, 2, fake_kernel::always});
}
TEST(FaultTableTest, WhatTheKernelKeepsBackIsFetched) { expect_for_all(outcome::fetched, {1}); }
TEST(FaultTableTest, WhatTheKernelLosesIsCountedAndNotWaitedFor) { expect_for_all(outcome::lost, {1}); }

TEST(FaultTableTest, WhatTheKernelLosesIsNotWaitedForThroughEitherRing) {
  using either = either_ring<faulty_ring, epoll_ring>;
  const reports said;
  fake_kernel kernel{615};
  load work;
  std::uint32_t lost = 0;
  kernel.has_no_memory_for_overflow();

  {
    submission<batch_or_idle, either> io{either{faulty_ring{{.entries = 8, .completion_entries = 8}}}};
    work.run(io);
    io.stop();
    lost = io.ring().lost();
  }

  EXPECT_FALSE(said.texts.empty());
  expect_only_lost_ones_unanswered(work, lost);
}

// PINION_WRITES_FAULTS=1 writes the page instead.
TEST(FaultTableTest, TheDocumentIsTheTable) {
  const std::string path = PINION_FAULTS_PAGE;
  if (std::getenv("PINION_WRITES_FAULTS") != nullptr) std::ofstream{path} << rendered_faults();
  std::ifstream page{path};

  const std::string text{std::istreambuf_iterator<char>{page}, std::istreambuf_iterator<char>{}};

  EXPECT_EQ(text, rendered_faults()) << "run this test with PINION_WRITES_FAULTS=1 to write " << path;
}

}  // namespace
}  // namespace pinion::iosubmit::testing
