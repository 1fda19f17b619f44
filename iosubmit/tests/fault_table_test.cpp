// SPDX-License-Identifier: Apache-2.0
//
// Each row of the fault table on each kernel that it is met on: what the ring and a submission over it do, and that nothing is lost.
#include "fault_table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <string>
#include <vector>

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

struct counted_operation : operation {
  explicit counted_operation(const ring_entry& what) : operation{what, &arrived} {}
  static void arrived(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<counted_operation&>(self);
    ++mine.answers;
    mine.result = result;
  }
  int answers = 0;
  std::int32_t result = 1;
};

// Twenty operations over a ring of eight entries: two that wait for something, and the others that don't.
struct load {
  load() {
    for (int count = 0; count != 20; ++count) {
      all.push_back(
          std::make_unique<counted_operation>(count % 10 == 5 ? entries::poll(0, 1) : entries::nop()));
    }
  }
  template <class Submission>
  void run(Submission& io) {
    for (auto& one : all) io.queue(*one);
    for (int turns = 0; turns != 100 && unanswered() != 0; ++turns) {
      io.park(io.now(), io.now() + duration{1'000'000});
    }
  }
  [[nodiscard]] int unanswered() const {
    int count = 0;
    for (const auto& one : all) count += one->answers == 0 ? 1 : 0;
    return count;
  }
  // What is lost waits for good, and may not be destroyed.
  void keep_what_is_lost() {
    static auto& kept = *new std::vector<std::unique_ptr<counted_operation>>;
    for (auto& one : all) {
      if (one->is_waiting()) kept.push_back(std::move(one));
    }
    std::erase(all, nullptr);
  }
  std::vector<std::unique_ptr<counted_operation>> all;
};

std::string place_of(const fault& row, int level, int times) {
  return std::string{row.call} + ", " + row.answer + ", " + row.when + ", on " + std::to_string(level) +
         ", " + std::to_string(times) + " times";
}

void expect_refusal(const fault& row, const expected<faulty_ring, ring_refusal>& opened,
                    const fake_kernel& kernel) {
  ASSERT_FALSE(opened.has_value());
  const ring_refusal& why = opened.error();
  EXPECT_EQ(why.error, row.error);
  EXPECT_NE(to_string(why).find(row.says), std::string::npos) << to_string(why);
  EXPECT_FALSE(why.remedy.empty());
  EXPECT_EQ(kernel.rings, 0) << "a descriptor leaks";
  EXPECT_EQ(kernel.mappings, 0) << "a mapping leaks";
}

void expect_answers(const fault& row, const load& work, int times) {
  for (const auto& one : work.all) {
    ASSERT_EQ(one->answers, 1);
    if (row.then != outcome::answered)
      EXPECT_EQ(one->result, 0);
    else if (times == fake_kernel::always)
      EXPECT_EQ(one->result, row.error);
    else
      EXPECT_TRUE(one->result == row.error || one->result == 0) << one->result;
  }
}

void expect_report(const fault& row, const reports& said) {
  if (row.then != outcome::answered && row.then != outcome::lost) {
    EXPECT_TRUE(said.texts.empty()) << said.texts.front();
    return;
  }
  ASSERT_FALSE(said.texts.empty());
  EXPECT_NE(said.texts.front().find(row.says), std::string::npos) << said.texts.front();
}

// What the kernel lost is never answered, and is not waited for.
void expect_only_lost_ones_unanswered(load& work, std::uint32_t lost) {
  EXPECT_NE(lost, 0U);
  EXPECT_EQ(static_cast<std::uint32_t>(work.unanswered()), lost);
  for (const auto& one : work.all) EXPECT_LE(one->answers, 1);
  work.keep_what_is_lost();
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
  EXPECT_EQ(opened->features().setup_flags & row.flag, 0U);
  EXPECT_EQ(opened->features().missing_flags & row.flag, row.flag);
  std::uint32_t lost = 0;
  {
    submission<batch_or_idle, faulty_ring> io{std::move(*opened)};
    work.run(io);
    io.stop();
    lost = io.ring().lost();
  }

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
  expect_for_all(outcome::answered, {1, 3, fake_kernel::always});
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
