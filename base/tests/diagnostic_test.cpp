// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <pinion/base/diagnostic.hpp>
#include <string>
#include <thread>
#include <vector>

namespace pinion {
namespace {

std::atomic<int> received{0};
std::atomic<int> wrong{0};

void count(const diagnostic& d) noexcept {
  received.fetch_add(1, std::memory_order_relaxed);
  if (d.level != severity::warning || d.part != "timer" || d.text != "late")
    wrong.fetch_add(1, std::memory_order_relaxed);
}
void count_too(const diagnostic& d) noexcept { count(d); }

class diagnostics : public ::testing::Test {
 protected:
  void SetUp() override {
    received.store(0, std::memory_order_relaxed);
    wrong.store(0, std::memory_order_relaxed);
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }
};

TEST_F(diagnostics, ASinkGetsSeverityPartTextAndPlace) {
  static std::string said;
  said.clear();
  set_diagnostic_sink([](const diagnostic& d) noexcept {
    said = std::string{to_string(d.level)} + '/' + std::string{d.part} + '/' + std::string{d.text} + '/' +
           std::to_string(d.place.line());
  });

  report(severity::note, "waker", "parked");

  EXPECT_EQ(said, "note/waker/parked/" + std::to_string(__LINE__ - 2));
}

TEST_F(diagnostics, SetReturnsTheSinkThatStoodBefore) {
  set_diagnostic_sink(&count);

  EXPECT_EQ(set_diagnostic_sink(&count_too), &count);
  EXPECT_EQ(set_diagnostic_sink(nullptr), &count_too);
}

TEST_F(diagnostics, ManyThreadsMayReportWhileTheSinkIsReplaced) {
  set_diagnostic_sink(&count);
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int k = 0; k < 2'000; ++k) report(severity::warning, "timer", "late");
    });
  }
  for (int k = 0; k < 2'000; ++k) set_diagnostic_sink(k % 2 == 0 ? &count_too : &count);
  for (std::thread& t : threads) t.join();

  EXPECT_EQ(received.load(std::memory_order_relaxed), 8'000);
  EXPECT_EQ(wrong.load(std::memory_order_relaxed), 0);
}

TEST_F(diagnostics, TheDefaultPrintsEachPlaceOnceAlsoFromManyThreads) {
  ::testing::internal::CaptureStderr();
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int k = 0; k < 100; ++k) report(severity::warning, "timer", "from one place");
    });
  }
  for (std::thread& t : threads) t.join();
  report(severity::error, "timer", "from another");

  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "pinion: warning: timer: from one place\npinion: error: timer: from another\n");
}

}  // namespace
}  // namespace pinion
