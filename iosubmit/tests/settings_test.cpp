// SPDX-License-Identifier: Apache-2.0
//
// What the environment may say, what code may say, and which of them counts. RapidCheck prints the seed of a
// failure (RC_PARAMS="seed=…" repeats it). This file is a program by itself: the environment is read once.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit/policy/settings.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "settings_oracle.hpp"

namespace pinion::iosubmit {
namespace {

/// What one text for each becomes, where the other two are not there.
std::optional<submit_mode> parsed_mode(std::string_view text) {
  const auto all = parse_settings({.mode = text});
  return all ? all->mode : std::nullopt;
}
std::optional<std::uint32_t> parsed_batch_size(std::string_view text) {
  const auto all = parse_settings({.batch_size = text});
  return all ? all->batch_size : std::nullopt;
}
std::optional<std::uint64_t> parsed_wait_ns(std::string_view text) {
  const auto all = parse_settings({.max_wait_us = text});
  return all ? std::optional{all->max_wait->ns} : std::nullopt;
}

TEST(SettingsTest, TakeEachMode) {
  EXPECT_EQ(parsed_mode("low-latency"), submit_mode::low_latency);
  EXPECT_EQ(parsed_mode("high-throughput"), submit_mode::high_throughput);
  EXPECT_EQ(parsed_mode("balanced"), submit_mode::balanced);
  EXPECT_EQ(parsed_mode("adaptive"), submit_mode::adaptive);
}

TEST(SettingsTest, TakeNumbersUpToTheirBounds) {
  EXPECT_EQ(parsed_batch_size("1"), 1U);
  EXPECT_EQ(parsed_batch_size("32768"), 32'768U);
  EXPECT_EQ(parsed_batch_size("32769"), std::nullopt);
  EXPECT_EQ(parsed_wait_ns("1"), 1'000U);
  EXPECT_EQ(parsed_wait_ns("1000000"), 1'000'000'000U);
  EXPECT_EQ(parsed_wait_ns("1000001"), std::nullopt);
}

TEST(SettingsTest, RefuseWhatIsNotWrittenAsItMustBe) {
  using namespace std::string_view_literals;
  for (const std::string_view bad :
       {""sv, " "sv, "fast"sv, "Balanced"sv, " balanced"sv, "balanced "sv, "balanced\n"sv, "balance"sv,
        "low_latency"sv, "0"sv, "balanced\0"sv, "balanced,adaptive"sv}) {
    EXPECT_EQ(parsed_mode(bad), std::nullopt) << '"' << bad << '"';
  }
  for (const std::string_view bad : {""sv,
                                     " "sv,
                                     "0"sv,
                                     "-1"sv,
                                     "+1"sv,
                                     " 1"sv,
                                     "1 "sv,
                                     "1\n"sv,
                                     "\t1"sv,
                                     "01"sv,
                                     "00"sv,
                                     "0x10"sv,
                                     "1e3"sv,
                                     "1.0"sv,
                                     "1,000"sv,
                                     "16x"sv,
                                     "1\0"sv,
                                     "sixteen"sv,
                                     "4294967296"sv,
                                     "4294967297"sv,
                                     "18446744073709551617"sv,
                                     "99999999999999999999999999999999"sv,
                                     "-0"sv,
                                     "١"sv}) {
    EXPECT_EQ(parsed_batch_size(bad), std::nullopt) << '"' << bad << '"';
    EXPECT_EQ(parsed_wait_ns(bad), std::nullopt) << '"' << bad << '"';
  }
}

TEST(SettingsTest, AskForNothingWhereThereAreNoTexts) { EXPECT_EQ(parse_settings({}), settings{}); }

TEST(SettingsTest, SayOfEachRefusedOneWhatWasGivenAndWhatIsValid) {
  const auto parsed = parse_settings({.mode = "fast", .batch_size = "16", .max_wait_us = "-5"});

  ASSERT_FALSE(parsed.has_value());
  ASSERT_EQ(parsed.error().size(), 2U);
  EXPECT_EQ(to_string(parsed.error()[0]),
            "PINION_SUBMIT_MODE is \"fast\": that is not valid; set it to low-latency, "
            "high-throughput, balanced or adaptive, or unset it");
  EXPECT_EQ(to_string(parsed.error()[1]),
            "PINION_SUBMIT_MAX_WAIT_US is \"-5\": that is not valid; set it to a whole number of "
            "microseconds from 1 to 1000000, or unset it");
}

TEST(SettingsTest, RepeatOnlyThePrintableBeginningOfWhatIsRefused) {
  const std::string given = "\x1b[2J" + std::string(100'000, '9');

  const auto parsed = parse_settings({.batch_size = given});

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(to_string(parsed.error()[0]),
            "PINION_SUBMIT_BATCH_SIZE is \"?[2J" + std::string(36, '9') +
                "...\": that is not valid; set it to a whole number from 1 to 32768, or unset it");
}

/// Texts that are right, nearly right, anything, or not there.
rc::Gen<std::optional<std::string>> any_text(const rc::Gen<std::string>& right) {
  const auto nearly = rc::gen::map(
      rc::gen::tuple(right, rc::gen::arbitrary<std::size_t>(), rc::gen::elementOf(std::string{" +-0x9\n"})),
      [](std::tuple<std::string, std::size_t, char> of) {
        auto& [text, place, what] = of;
        text.insert(place % (text.size() + 1), 1, what);
        return text;
      });
  const auto some = rc::gen::map(
      rc::gen::weightedOneOf<std::string>({{6, right}, {2, nearly}, {1, rc::gen::arbitrary<std::string>()}}),
      [](std::string text) { return std::optional{std::move(text)}; });
  return rc::gen::oneOf(some, some, rc::gen::just(std::optional<std::string>{}));
}

rc::Gen<std::string> number_up_to(std::uint64_t most) {
  return rc::gen::map(rc::gen::inRange<std::uint64_t>(1, most + most / 8),
                      [](std::uint64_t n) { return std::to_string(n); });
}

TEST(SettingsTest, AreTakenOnlyAsTheyAreWritten) {
  const bool holds = rc::check("what is taken is written as it was given, and what is not, is refused", [] {
    const auto mode =
        *any_text(rc::gen::element<std::string>("low-latency", "high-throughput", "balanced", "adaptive"));
    const auto batch_size = *any_text(number_up_to(32'768));
    const auto max_wait_us = *any_text(number_up_to(1'000'000));

    const testing::violation wrong =
        testing::judge({.mode = mode, .batch_size = batch_size, .max_wait_us = max_wait_us});

    if (wrong) RC_FAIL(wrong.what());
    const bool was_taken =
        parse_settings({.mode = mode, .batch_size = batch_size, .max_wait_us = max_wait_us}).has_value();
    RC_CLASSIFY(was_taken, "taken");
  });
  EXPECT_TRUE(holds);
}

TEST(EffectiveSettingsTest, AreFromCodeThenFromTheEnvironmentThenBuiltIn) {
  const settings code{.mode = submit_mode::balanced, .max_wait = duration{5'000}};
  const settings environment{.mode = submit_mode::low_latency, .batch_size = 16};

  const effective_settings all = effective(code, environment);

  EXPECT_EQ(all, (effective_settings{.mode = submit_mode::balanced,
                                     .batch_size = 16,
                                     .max_wait = duration{5'000},
                                     .mode_from = setting_source::code,
                                     .batch_size_from = setting_source::environment,
                                     .max_wait_from = setting_source::code}));
  EXPECT_EQ(to_string(all), "mode balanced (code), batch size 16 (environment), longest wait 5 us (code)");
}

TEST(EffectiveSettingsTest, AreAdaptiveWhereNobodyAsks) {
  const effective_settings all = effective({}, {});

  EXPECT_EQ(all, effective_settings{});
  EXPECT_EQ(to_string(all),
            "mode adaptive (built in), batch size as the mode has it, longest wait as the mode has it");
}

TEST(EffectiveSettingsTest, TakeABatchOfNoneFromCodeAsOne) {
  EXPECT_EQ(effective({.batch_size = 0}, {}).batch_size, 1U);
}

/// What was reported, by a program whose environment says such things. In a process of its own: the
/// environment is read once.
std::vector<std::string>& said() {
  static std::vector<std::string> all;
  return all;
}
void listen() {
  set_diagnostic_sink([](const diagnostic& d) noexcept {
    said().push_back(std::string{to_string(d.level)} + ": " + std::string{d.text});
  });
}
[[noreturn]] void leave(bool right) {
  for (const std::string& one : said()) std::fprintf(stderr, "%s\n", one.c_str());
  std::fprintf(stderr, "%s\n", right ? "right" : "wrong");
  std::_Exit(right ? 0 : 1);
}

TEST(EnvironmentDeathTest, IsReadOnceAndToldOnce) {
  EXPECT_EXIT(
      {
        listen();
        setenv("PINION_SUBMIT_MODE", "high-throughput", 1);
        setenv("PINION_SUBMIT_BATCH_SIZE", "16", 1);
        unsetenv("PINION_SUBMIT_MAX_WAIT_US");
        const effective_settings first = effective();
        setenv("PINION_SUBMIT_BATCH_SIZE", "17", 1);
        const effective_settings second = effective();
        leave(first == second && second.batch_size == 16U && second.mode == submit_mode::high_throughput &&
              said().size() == 1);
      },
      ::testing::ExitedWithCode(0),
      "^note: submission: mode high-throughput \\(environment\\), batch size 16 \\(environment\\), longest "
      "wait as the mode has it\n"
      "right\n$");
}

// By the default sink, which prints each key once.
TEST(EnvironmentDeathTest, IsToldForEachThatIsDifferentOnce) {
  EXPECT_EXIT(
      {
        unsetenv("PINION_SUBMIT_MODE");
        unsetenv("PINION_SUBMIT_BATCH_SIZE");
        unsetenv("PINION_SUBMIT_MAX_WAIT_US");
        set_diagnostic_threshold(severity::note);
        for (int times = 0; times != 2; ++times) {
          static_cast<void>(effective());
          static_cast<void>(effective({.batch_size = 16}));
          static_cast<void>(effective({.batch_size = 17}));
        }
        leave(true);
      },
      ::testing::ExitedWithCode(0),
      "^pinion: note: iosubmit: submission: mode adaptive \\(built in\\), batch size as [^\n]*\n"
      "pinion: note: iosubmit: submission: mode adaptive \\(built in\\), batch size 16 [^\n]*\n"
      "pinion: note: iosubmit: submission: mode adaptive \\(built in\\), batch size 17 [^\n]*\n"
      "right\n$");
}

TEST(EnvironmentDeathTest, IsOverruledByCodeAndThatIsTold) {
  EXPECT_EXIT(
      {
        listen();
        setenv("PINION_SUBMIT_MODE", "high-throughput", 1);
        unsetenv("PINION_SUBMIT_BATCH_SIZE");
        setenv("PINION_SUBMIT_MAX_WAIT_US", "300", 1);
        const effective_settings all = effective({.mode = submit_mode::low_latency});
        leave(all.mode == submit_mode::low_latency && all.max_wait == duration{300'000} &&
              said().size() == 1);
      },
      ::testing::ExitedWithCode(0),
      "^note: submission: mode low-latency \\(code\\), batch size as the mode has it, longest wait 300 us "
      "\\(environment\\)\n"
      "right\n$");
}

TEST(EnvironmentDeathTest, CountsForNothingWhereOneValueIsRefused) {
  EXPECT_EXIT(
      {
        listen();
        setenv("PINION_SUBMIT_MODE", "high-throughput", 1);
        setenv("PINION_SUBMIT_BATCH_SIZE", "16x", 1);
        setenv("PINION_SUBMIT_MAX_WAIT_US", "0", 1);
        const effective_settings all = effective();
        leave(all == effective_settings{} && said().size() == 2);
      },
      ::testing::ExitedWithCode(0),
      "^error: PINION_SUBMIT_BATCH_SIZE is \"16x\": that is not valid; set it to a whole number from 1 to "
      "32768, or unset it; "
      "PINION_SUBMIT_MAX_WAIT_US is \"0\": that is not valid; set it to a whole number of microseconds from "
      "1 "
      "to 1000000, or unset "
      "it; nothing that the environment says of submission is in effect\n"
      "note: submission: mode adaptive \\(built in\\).*\nright\n$");
}

}  // namespace
}  // namespace pinion::iosubmit
