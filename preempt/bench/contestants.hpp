// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: pinion's sources, each made as its header shows it. A new one joins by a line in
// with_each_source(). What is measured beside them stands in peers/.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <bench/program/cores.hpp>
#include <concepts>
#include <pinion/preempt.hpp>
#include <string>
#include <system_error>

#include "../../base/tests/raw_ring.hpp"

namespace pinion::preempt::bench {

/// A source, as it is made if nothing more is said.
template <class Source>
struct made {
  using source_type = Source;
  Source source{};
};

/// Once the counter's rate is known: before that, slices are measured by the monotonic clock.
struct settled_tsc {
  using source_type = tsc_budget;
  settled_tsc() {
    do static_cast<void>(tsc_counter::scale());
    while (tsc_counter::state() == tsc_state::measuring);
  }
  tsc_budget source{};
};

/// For as many checks as a benchmark makes.
struct large_operation_budget {
  using source_type = operation_budget;
  operation_budget source{{.operations = 1U << 30U}};
};

/// The finest ticks that a ticker has room for without being a load of its own.
struct fine_ticker {
  using source_type = ticker_source;
  ticker by{{.resolution = duration{50'000}}};
  ticker_source source{by};
};

/// A ticker whose thread has no core but the one that is hogged.
struct one_core_ticker {
  using source_type = ticker_source;
  const pinion::bench::on_core place{0};  // a thread stays where its maker is
  ticker by{};
  ticker_source source{by};
};

/// A ring that is as its source wants it.
struct flagged_ring : pinion::testing::raw_ring {
  flagged_ring() : raw_ring(one_issuer | deferred | flagged) {}
  [[nodiscard]] uring_view view() const noexcept { return {.flags = flags(), .setup = setup()}; }

  /// Why this machine makes none, or nothing if it does.
  [[nodiscard]] static const std::string& refusal() {
    static const std::string why = [] {
      try {
        const flagged_ring tried;
        return std::string{};
      } catch (const std::system_error& error) {
        return std::string{"this machine makes no such io_uring: "} + error.what();
      }
    }();
    return why;
  }
};

/// A word of a ring that nobody enters: what looks and slices cost where the loop's own enters do the rest.
struct idle_uring {
  using source_type = uring_source<flagged_ring>;
  flagged_ring ring{};
  source_type source{ring, ring.view()};
};

/// The same with the loop's part of it, once for each slice: an enter, which takes what waits, and another
/// where the source asks for it.
class entered_uring_source {
 public:
  static constexpr source_traits traits = uring_source<flagged_ring>::traits;

  explicit entered_uring_source(duration period) : source_(ring_, ring_.view(), {.period = period}) {}
  [[nodiscard]] const preempt::word& word() const noexcept { return source_.word(); }
  void begin(instant now, instant until) noexcept {
    ring_.submit();
    ring_.reap();
    source_.begin(now, until);
    if (source_.needs_submit()) submit();
  }
  void rest() noexcept { source_.rest(); }

 private:
  // And takes nothing: a timeout that is over by now would be a completion, which no word tells of.
  void submit() noexcept { ::syscall(SYS_io_uring_enter, ring_.descriptor(), 1, 0, 0, nullptr, 0); }

  flagged_ring ring_{};
  uring_source<flagged_ring> source_;
};
struct entered_uring {
  using source_type = entered_uring_source;
  explicit entered_uring(duration slices) : source(slices) {}
  source_type source;
};

/// One of those, for slices that are so long.
template <class Made>
Made make(duration slices) {
  if constexpr (std::constructible_from<Made, duration>) {
    return Made{slices};
  } else {
    return Made{};
  }
}

/// Calls add.operator()<Made>(name) with every source.
template <class Add>
void with_each_source(Add add) {
  add.template operator()<made<ticker_source>>("ticker_source");
  add.template operator()<made<posix_timer_source>>("posix_timer_source");
  if (flagged_ring::refusal().empty()) add.template operator()<idle_uring>("uring_source");
  add.template operator()<settled_tsc>("tsc_budget");
  add.template operator()<large_operation_budget>("operation_budget");
  add.template operator()<made<never_due>>("never_due");
}

/// The same with those that end slices by time.
template <class Add>
void with_each_timed_source(Add add) {
  add.template operator()<made<ticker_source>>("ticker_source");
  add.template operator()<made<posix_timer_source>>("posix_timer_source");
  if (flagged_ring::refusal().empty()) add.template operator()<entered_uring>("uring_source");
  add.template operator()<settled_tsc>("tsc_budget");
}

}  // namespace pinion::preempt::bench
