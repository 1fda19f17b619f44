// SPDX-License-Identifier: Apache-2.0
//
// ticker_source: slices that a thread ends, the default: no signal, no system call a slice, exact to the wake
// of a thread.
//
//   ticker_source source;
//   source.begin(now, now + quantum);     // some stores; after rest() also a fence, and rarely a system call
//   const bool is_over = source.word().is_due();
//   source.rest();                        // two stores
//
// What it can't do: be in time where the thread finds no core to run on. On a machine whose cores are all
// taken by threads of equal rank the kernel runs it next when it wakes, most often; not always.
#pragma once

#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/stall_watch.hpp>
#include <pinion/preempt/ticker.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt {

/// Over a ticker: the shipped one, or a test's, which has no thread.
template <class Ticker>
class basic_ticker_source {
 public:
  /// What it declares.
  static constexpr source_traits traits{.sees_stalls = true};

  /// By that ticker, which outlives it. A stall's hook is called on a thread of the ticker's that is for
  /// hooks: ticker.hpp says what it may do. Throws a refusal (std::system_error) where there can be no
  /// thread.
  explicit basic_ticker_source(Ticker& by = Ticker::shared(), stall_watch watch = {}) : ticker_(by) {
    watch.who = this;
    ticker_.add(slice_, watch);
  }
  basic_ticker_source(const basic_ticker_source&) = delete;
  basic_ticker_source& operator=(const basic_ticker_source&) = delete;
  /// The ticker looks at it no more. Waits for its stall's hook, if that runs on another thread.
  ~basic_ticker_source() { ticker_.remove(slice_); }

  /// As preempt_source says. Due at `until`, or after the ticker's resolution if that is later.
  [[nodiscard]] const auto& word() const noexcept { return slice_.word(); }
  void begin(instant now, instant until) noexcept {
    if (until == never) {
      rest();
      return;
    }
    const bool is_told = slice_.begin(until, until - now);
    ticker_.began(is_told, until);
  }
  void rest() noexcept { slice_.begin(never); }
  /// Watches for stalls so from here on, in place of what it was made with. Waits for the hook that it had,
  /// if that runs. With a hook it throws as the constructor, and then nothing has changed.
  void watch(stall_watch watch) {
    watch.who = this;
    ticker_.watch(slice_, watch);
  }

 private:
  Ticker& ticker_;
  typename Ticker::slice_type slice_;
};

/// Over the machine's.
using ticker_source = basic_ticker_source<ticker>;

static_assert(watchable_source<ticker_source>);

}  // namespace pinion::preempt
