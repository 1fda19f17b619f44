// SPDX-License-Identifier: Apache-2.0
//
// with_ticker: ticker_source, over a ticker whose thread is played.
#pragma once

#include <cstdint>
#include <functional>
#include <pinion/preempt/detail/tick_board.hpp>
#include <pinion/preempt/ticker_source.hpp>
#include <utility>

#include "played_source.hpp"
#include "watched_sync.hpp"

namespace pinion::preempt::testing {

class played_ticker {
 public:
  // As many slices have been as the machine says.
  struct slice_type : basic_ticked_slice<watched_sync> {
    slice_type() : basic_ticked_slice(before) {}
    static inline std::uint32_t before = 0;
  };

  played_ticker(duration resolution, std::function<void()> woken)
      : board(resolution), woken_(std::move(woken)) {}

  void add(slice_type& one, stall_watch watch) { board.add(one, watch); }
  void remove(const slice_type& one) noexcept { board.remove(one); }
  void began(bool is_told, instant end) {
    if (is_told && end < until) woken_();
  }

  basic_tick_board<watched_sync> board;
  instant until = never;  // when the thread means to look
  instant next = never;   // when it does

 private:
  std::function<void()> woken_;
};

class with_ticker final : public each_with_a_source<basic_ticker_source<played_ticker>> {
 public:
  explicit with_ticker(const machine& on)
      : each_with_a_source(on), ticker_(on.slice_min, [this] {
          called();
          ticker_.until = now();
          ticker_.next = late(now());
        }) {
    played_ticker::slice_type::before = on.slices;
    for (std::size_t who = 0; who < on.owners; ++who)
      sources_.emplace_back(ticker_, stall_watch{.after = on.stall_after, .hook = noting(who)});
  }
  ~with_ticker() override { sources_.clear(); }

  void begin_as_it_ends(instant until, std::size_t who) override {
    time_is(now() + duration{1});
    bool has_begun = false;
    watched_sync::before_exchange = [&] {
      has_begun = true;
      begin(until, who);
    };
    happen();
    watched_sync::before_exchange = nullptr;
    if (!has_begun) begin(until, who);
  }

 protected:
  [[nodiscard]] instant next_event() const override { return ticker_.next; }
  void happen() override {
    woke();
    const instant next = ticker_.board.tick(now());
    while (const auto seen = ticker_.board.take_stall()) seen->tell();
    // As the thread does: whether nobody has begun meanwhile.
    ticker_.until = ticker_.board.is_quiet_until(next) ? next : now();
    ticker_.next = late(ticker_.until);
  }

 private:
  played_ticker ticker_;
};

}  // namespace pinion::preempt::testing
