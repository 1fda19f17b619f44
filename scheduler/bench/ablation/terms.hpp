// SPDX-License-Identifier: Apache-2.0
//
// terms: what the composite load consists of, and what each of its tasks has to give. seen: what was
// measured.
//
// All of it grows with the number of connections:
//
//   connections   TCP over loopback: a thread on the second core asks 1,000 requests of 64 bytes over each,
//                 one after the other. Each read has 30 s, each write 10 s
//   idle          tasks that sleep for an hour: the timeouts of connections on which nothing happens
//   sleepers      tasks that sleep for 1 to 20 ms, again and again
//   waiting       tasks that the thread outside wakes 500 times each: again when the task has taken the wake
//   hog           a task with a job each 10 ms, of 500 units of some 10 us; it may be asked to yield after
//                 each unit
//
// The work is fixed, so wall time and CPU time of all of it can be compared. Its checksum is the sum of what
// the tasks give: numbers of requests and of wakes, milliseconds that were slept, and what the hog computed.
// A peer in another language has the same numbers (bench/peers/src/ablation).
#pragma once

#include <array>
#include <bench/program/percentiles.hpp>
#include <bench/program/program.hpp>
#include <bench/program/random_numbers.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <pinion/config.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../../../preempt/bench/workloads/hog_work.hpp"

namespace pinion::scheduler::bench::inline PINION_MODE {

using load_clock = std::chrono::steady_clock;

/// 64 bytes that no other request has.
inline constexpr std::size_t words_a_message = 8;
using message = std::array<std::uint64_t, words_a_message>;

/// A request of a connection, or a wake of a task, by its number.
inline std::uint64_t stamp(std::size_t of, std::size_t number) noexcept {
  return (std::uint64_t{of} << 40U | number) * 0x9e37'79b9'7f4a'7c15;
}
inline message message_of(std::size_t connection, std::size_t number) noexcept {
  message words{};
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = stamp(connection, number) + k;
  return words;
}

struct terms {
  std::size_t connections;

  static constexpr std::size_t requests_each = 1'000;
  static constexpr std::size_t wakes_each = 500;
  static constexpr std::size_t units_a_job = 500;
  static constexpr std::chrono::milliseconds job_every{10};
  static constexpr std::chrono::milliseconds between_jobs{1};  ///< at least, where jobs take longer

  [[nodiscard]] std::size_t requests() const noexcept { return connections * requests_each; }
  [[nodiscard]] std::size_t idle() const noexcept { return connections * 150; }
  [[nodiscard]] std::size_t waiting() const noexcept { return connections / 4; }
  [[nodiscard]] std::size_t wakes() const noexcept { return waiting() * wakes_each; }
  [[nodiscard]] std::size_t sleepers() const noexcept { return connections; }
  [[nodiscard]] std::size_t sleeps_each() const noexcept { return connections * 3 / 4; }
  [[nodiscard]] std::size_t jobs() const noexcept { return connections * 3 / 4; }
  [[nodiscard]] std::size_t units() const noexcept { return jobs() * units_a_job; }

  /// How long a sleeper sleeps, each time in turn.
  class sleep_times {
   public:
    explicit sleep_times(std::size_t sleeper) noexcept : random_(sleeper) {}
    std::chrono::milliseconds next() noexcept { return std::chrono::milliseconds{1 + random_.below(20)}; }

   private:
    pinion::bench::random_numbers random_;
  };

  [[nodiscard]] std::uint64_t expected() const noexcept {
    std::uint64_t sum = preempt::bench::hog_work::expected(units());
    for (std::size_t one = 0; one < connections; ++one)
      for (std::size_t k = 0; k < requests_each; ++k) sum += stamp(one, k);
    for (std::size_t one = 0; one < waiting(); ++one)
      for (std::size_t k = 0; k < wakes_each; ++k) sum += stamp(one, k);
    for (std::size_t one = 0; one < sleepers(); ++one) {
      sleep_times times{one};
      for (std::size_t k = 0; k < sleeps_each(); ++k) sum += static_cast<std::uint64_t>(times.next().count());
    }
    return sum;
  }
};

/// Since then, in nanoseconds.
inline double ns_since(load_clock::time_point then) {
  return std::chrono::duration<double, std::nano>(load_clock::now() - then).count();
}

struct seen {
  std::uint64_t checksum = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;         ///< of the process without the thread outside
  std::uint64_t enters = 0;       ///< of the ring, by the executor
  std::uint64_t signals = 0;      ///< system calls of the thread outside that wake
  std::vector<double> answer_ns;  ///< from before a request is sent until its answer has been read, outside
  std::vector<double> late_ns;    ///< of sleepers
  std::vector<double> wake_ns;    ///< from before a push until the task goes on

  explicit seen(const terms& load) {
    answer_ns.reserve(load.requests());
    late_ns.reserve(load.sleepers() * load.sleeps_each());
    wake_ns.reserve(load.wakes());
  }

  /// As rows of the page.
  [[nodiscard]] pinion::bench::outcome shown(const terms& load) {
    using pinion::bench::percentiles;
    const percentiles answer = pinion::bench::percentiles_of(answer_ns);
    const percentiles late = pinion::bench::percentiles_of(late_ns);
    const percentiles wake = pinion::bench::percentiles_of(wake_ns);
    pinion::bench::outcome row{
        wall_seconds,
        checksum,
        load.expected(),
        {{"wall_ns", wall_seconds * 1e9},
         {"cpu_ns", cpu_seconds * 1e9},
         {"answer_p50_ns", answer.p50},
         {"answer_p99_ns", answer.p99},
         {"late_p50_ns", late.p50},
         {"late_p99_ns", late.p99},
         {"wake_p50_ns", wake.p50},
         {"wake_p99_ns", wake.p99},
         {"enters_count", static_cast<double>(enters) / static_cast<double>(load.requests())},
         {"signals_count", static_cast<double>(signals) / static_cast<double>(load.wakes())}}};
    if (late_ns.empty() || late_ns.front() < 0) row.fault = "a sleeper woke before its time";
    return row;
  }
};

}  // namespace pinion::scheduler::bench::inline PINION_MODE
