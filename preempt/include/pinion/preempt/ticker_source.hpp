// SPDX-License-Identifier: Apache-2.0
//
// ticker_source: slices that a thread ends, the default: no signal, no system call a slice, exact to the wake of a thread.
//
//   ticker_source source;
//   source.begin(now, now + quantum);     // two stores; where it rested before, a fence and a load, and rarely a system call
//   … source.word().is_due() …
//   source.rest();                        // two stores
//
// What it can't do: be in time where the thread finds no core to run on. On a machine whose cores are all taken by threads of equal
// rank the kernel runs it next when it wakes, most often; not always.
#pragma once

#include <pinion/base/time.hpp>
#include <pinion/preempt/concept.hpp>
#include <pinion/preempt/ticker.hpp>
#include <pinion/preempt/word.hpp>

namespace pinion::preempt {

/// Over a ticker.
class ticker_source {
 public:
  static constexpr source_traits traits{.sees_stalls = true};

  /// By that ticker, which outlives it. A stall's hook is called on the ticker's thread, and makes or ends no source there. Throws
  /// std::system_error where there can be no thread.
  explicit ticker_source(ticker& by = ticker::shared(), stall_watch watch = {}) : ticker_(by) {
    ticker_.add(slice_, watch);
  }
  ticker_source(const ticker_source&) = delete;
  ticker_source& operator=(const ticker_source&) = delete;
  ~ticker_source() { ticker_.remove(slice_); }

  /// As preempt_source says. Due at `until`, or after the ticker's resolution if that is later.
  [[nodiscard]] const preempt::word& word() const noexcept { return slice_.word(); }
  void begin(instant /*now*/, instant until) noexcept {
    const bool rested = !slice_.has_end();
    slice_.begin(until);
    if (rested && until != never) ticker_.began();
  }
  void rest() noexcept { slice_.begin(never); }

 private:
  ticker& ticker_;
  ticked_slice slice_;
};

static_assert(preempt_source<ticker_source>);

}  // namespace pinion::preempt
