// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
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
  if (d.level != severity::warning || d.part != "timer" || d.key != "lateness" || d.text != "late")
    wrong.fetch_add(1, std::memory_order_relaxed);
}
void count_too(const diagnostic& d) noexcept { count(d); }

std::string without_lines(std::string text, const std::string& line) {
  for (std::size_t at = 0; (at = text.find(line, at)) != std::string::npos;) text.erase(at, line.size());
  return text;
}

class diagnostics : public ::testing::Test {
 protected:
  void SetUp() override {
    received.store(0, std::memory_order_relaxed);
    wrong.store(0, std::memory_order_relaxed);
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }
};

TEST_F(diagnostics, ASinkGetsSeverityPartKeyAndTextEachTimeWhateverTheThreshold) {
  static std::string said;
  said.clear();
  set_diagnostic_sink([](const diagnostic& d) noexcept {
    said += std::string{to_string(d.level)} + '/' + std::string{d.part} + '/' + std::string{d.key} + '/' +
            std::string{d.text} + ' ';
  });
  const severity before = set_diagnostic_threshold(severity::error);

  for (int times = 0; times < 2; ++times) report(severity::note, "waker", "parking", "parked");
  set_diagnostic_threshold(before);

  EXPECT_EQ(said, "note/waker/parking/parked note/waker/parking/parked ");
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
      for (int k = 0; k < 2'000; ++k) report(severity::warning, "timer", "lateness", "late");
    });
  }
  for (int k = 0; k < 2'000; ++k) set_diagnostic_sink(k % 2 == 0 ? &count_too : &count);
  for (std::thread& t : threads) t.join();

  EXPECT_EQ(received.load(std::memory_order_relaxed), 8'000);
  EXPECT_EQ(wrong.load(std::memory_order_relaxed), 0);
}

TEST_F(diagnostics, TheDefaultPrintsEachKeyOfAPartOnceAlsoFromManyThreads) {
  ::testing::internal::CaptureStderr();
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int k = 0; k < 100; ++k) report(severity::error, "timer", "one", "of one key");
    });
  }
  for (std::thread& t : threads) t.join();
  for (const char* key : {"two", "three"}) report(severity::error, "timer", key, "from one place");
  report(severity::error, "timer", "one", "of one key in other words");
  report(severity::error, "waker", "one", "of another part");

  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "pinion: error: timer: of one key\npinion: error: timer: from one place\n"
            "pinion: error: timer: from one place\npinion: error: waker: of another part\n");
}

TEST_F(diagnostics, ManyThreadsMayReportToTheDefaultWhileTheThresholdMoves) {
  ::testing::internal::CaptureStderr();
  const severity before = set_diagnostic_threshold(severity::error);
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int k = 0; k < 500; ++k) report(severity::note, "timer", "moving", "low");
    });
  }
  for (int k = 0; k < 500; ++k) set_diagnostic_threshold(k % 2 == 0 ? severity::warning : severity::error);
  for (std::thread& t : threads) t.join();

  EXPECT_EQ(set_diagnostic_threshold(before), severity::error);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// A child has the forking thread alone, so the sink must not wait there for one that was in it at the fork.
TEST_F(diagnostics, AChildOfForkReportsWhateverOtherThreadsWereReporting) {
  constexpr unsigned seconds_max = 60;  // a child that waits for ever ends by a signal
  ::testing::internal::CaptureStderr();
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; !is_over.load(std::memory_order_relaxed); ++k) {
        report(severity::error, "timer", "beside-a-fork-" + std::to_string(t * 100 + k % 100), "beside");
      }
    });
  }

  int status = 0;
  std::string printed;
  for (int k = 0; k < 50 && status == 0; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(seconds_max);
      for (int times = 0; times < 2; ++times) report(severity::error, "timer", "in-a-child", "in a child");
      ::_exit(0);
    }
    if (::waitpid(child, &status, 0) != child) status = errno;
    printed += "pinion: error: timer: in a child\n";
  }
  is_over.store(true, std::memory_order_relaxed);
  for (std::thread& t : threads) t.join();

  EXPECT_EQ(status, 0) << "a child did not end, or there was none";
  EXPECT_EQ(without_lines(::testing::internal::GetCapturedStderr(), "pinion: error: timer: beside\n"),
            printed);
}

// What the default sink prints in a process whose environment says so: it is read once.
class DiagnosticDeathTest : public ::testing::Test {
 protected:
  DiagnosticDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  [[noreturn]] static void speak_with(const char* log, const severity* by_code = nullptr) {
    log == nullptr ? ::unsetenv("PINION_LOG") : ::setenv("PINION_LOG", log, 1);
    if (by_code != nullptr) set_diagnostic_threshold(*by_code);
    for (int times = 0; times < 2; ++times) {
      report(severity::note, "timer", "n", "note");
      report(severity::warning, "timer", "w", "warning");
      report(severity::error, "timer", "e", "error");
      ::setenv("PINION_LOG", "note", 1);
    }
    std::_Exit(0);
  }
};
const ::testing::ExitedWithCode as_meant{0};
constexpr char errors[] = "^pinion: error: timer: error\n$";

TEST_F(DiagnosticDeathTest, ByDefaultErrorsAreAllThatIsPrinted) {
  EXPECT_EXIT(speak_with(nullptr), as_meant, errors);
}

TEST_F(DiagnosticDeathTest, TheEnvironmentSetsTheThresholdOnce) {
  EXPECT_EXIT(speak_with("error"), as_meant, errors);
  EXPECT_EXIT(speak_with("warning"), as_meant,
              "^pinion: warning: timer: warning\npinion: error: timer: error\n$");
  EXPECT_EXIT(speak_with("note"), as_meant,
              "^pinion: note: timer: note\npinion: warning: timer: warning\npinion: error: timer: error\n$");
}

TEST_F(DiagnosticDeathTest, TheProgramCountsForMoreThanTheEnvironment) {
  EXPECT_EXIT(
      {
        const severity quiet = severity::error;
        speak_with("note", &quiet);
      },
      as_meant, errors);
  EXPECT_EXIT(
      {
        const severity loud = severity::warning;
        speak_with(nullptr, &loud);
      },
      as_meant, "^pinion: warning: timer: warning\npinion: error: timer: error\n$");
}

TEST_F(DiagnosticDeathTest, AnUnknownThresholdIsSaidOnceAndIsError) {
  for (const std::string unknown : {"", "Note", "note ", "3", "off"})
    EXPECT_EXIT(speak_with(unknown.c_str()), as_meant,
                "^pinion: error: base: PINION_LOG is \"" + unknown +
                    "\", which is none of error, warning and note: [^\n]*\npinion: error: timer: error\n$");
  EXPECT_EXIT(
      speak_with(std::string(1'000, 'x').c_str()), as_meant,
      "^pinion: error: base: PINION_LOG is \"x{40}\\.\\.\\.\", [^\n]*\npinion: error: timer: error\n$");
}

}  // namespace
}  // namespace pinion
