// SPDX-License-Identifier: Apache-2.0
//
// The base through `import`: every kind of name it exports, used once.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>

import pinion.base;

namespace {

TEST(base_module, TimeAndItsArithmeticCross) {
  using namespace std::chrono_literals;
  const pinion::instant deadline = pinion::instant{5} + pinion::ceil(1ms);

  EXPECT_EQ(deadline, pinion::instant{1'000'005});
  EXPECT_EQ(pinion::ceil_to<std::chrono::milliseconds>(deadline - pinion::instant{5}), 1ms);
  EXPECT_EQ(pinion::poll_timeout(deadline, pinion::instant{5}), 1);
  EXPECT_LT(pinion::instant{0}, pinion::monotonic_clock::now());
  EXPECT_EQ(pinion::never + pinion::forever, pinion::never);
}

TEST(base_module, ErrorsCross) {
  const std::error_code code = pinion::errc::overflow;
  const pinion::expected<int> none = pinion::unexpected<pinion::errc>{pinion::errc::overflow};

  EXPECT_EQ(code.message(), pinion::explain(none.error()));
}

TEST(base_module, AFunctionThatIsKeptInlineCrosses) {
  int sum = 0;
  pinion::inline_function<void(int)> add{[&sum](int by) { sum += by; }};
  pinion::inline_function<void(int)> from_the_heap{pinion::boxed([&sum](int by) { sum += by; })};

  add(2);
  from_the_heap(3);

  EXPECT_EQ(sum, 5);
}

TEST(base_module, RefusalsAndCallbacksCross) {
  const pinion::callback<const pinion::refusal&> none;

  EXPECT_FALSE(none);
  EXPECT_EQ(pinion::to_string(pinion::refusal{.code = {}, .asked = "a ring", .reason = "", .remedy = "wait"}),
            "a ring; wait");
}

struct of_turns {
  std::uint64_t turns = 0;
};

TEST(base_module, HistogramsAndCountersCross) {
  pinion::histogram<16, 2> lengths;
  pinion::event_counter<of_turns> events;

  lengths.add(9);
  events.count(&of_turns::turns);

  EXPECT_EQ(lengths.quantile(500), 9U);
  [](const auto& counter) {
    if constexpr (pinion::is_counted) {
      EXPECT_EQ(counter.total().turns, 1U);
    }
  }(events);
}

TEST(base_module, TheDiagnosticSeamIsTheOneTheLibraryUses) {
  static std::string said;
  pinion::set_diagnostic_sink([](const pinion::diagnostic& d) noexcept { said = d.text; });

  pinion::report(pinion::severity::note, "base", "greeting", "hello");
  pinion::set_diagnostic_sink(nullptr);

  EXPECT_EQ(said, "hello");
  const pinion::severity before = pinion::set_diagnostic_threshold(pinion::severity::warning);
  EXPECT_EQ(pinion::set_diagnostic_threshold(before), pinion::severity::warning);
}

TEST(base_module, TheSeamOfSharedWordsCrosses) {
  static_assert(pinion::sync_traits<pinion::std_sync>);
  pinion::std_sync::event event;
  pinion::std_sync::plain<int> shared{1};

  event.post();
  event.wait();
  shared.write(2);

  EXPECT_EQ(shared.read(), 2);
}

struct full_port {
  [[nodiscard]] int descriptor() const noexcept { return -1; }
  [[nodiscard]] bool is_owner() const noexcept { return true; }
  bool queue(const pinion::ring_entry&, pinion::ring_answer&) noexcept { return false; }
};

TEST(base_module, ThePortOfARingCrosses) {
  static_assert(pinion::ring_port<full_port>);
  pinion::ring_answer answer{[](pinion::ring_answer&, int) noexcept {}};
  full_port port;

  EXPECT_FALSE(port.queue(pinion::ring_entry{.operation = 1}, answer));
}

TEST(base_module, TheNameOfAnAnswerCrosses) {
  pinion::ring_answer answer{[](pinion::ring_answer&, int) noexcept {}};
  const std::uint64_t name = pinion::user_data_of(answer, 3);

  EXPECT_TRUE(pinion::names_answer(name, 3));
  EXPECT_FALSE(pinion::names_answer(name ^ (pinion::answer_tag << 48U), 3));
  EXPECT_EQ(pinion::mark_of(name), 3);
  EXPECT_EQ(&pinion::answer_of(name), &answer);
}

}  // namespace
