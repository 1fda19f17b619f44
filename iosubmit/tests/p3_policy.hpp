// SPDX-License-Identifier: Apache-2.0
//
// p3_policy: the policy of design 004 P3, written from its text and sharing nothing with `balanced`, with
// each of its defects on demand.
//
// Without any it answers as `balanced` does, which a property proves; so that each check that fails on it
// shows what one defect does. In the text's words:
//
//   never_resets_submissions  "submissions_since_wait": added to in record_submission(), and nothing sets it back
//   counts_before_adjusting   the count and the period it is of do not end at the same moment
//   ages_from_the_call        "elapsed_us = start.elapsed()" with start taken where the question begins: no entry ever grows old
//   asks_its_own_clock        "last_adjustment.elapsed()", "Instant::now()": not the turn's time. A real clock inside would make the
//                             verdict depend on the machine, so here it is one that stands still, which a real one nearly does
//                             while a test in virtual time runs
//   adjusts_each_completion   without "every 10ms"
//   believes_any_p99          of a few latencies the P99 is the worst
//   ranks_one_too_low, …_high the percentile's index, off by one
//   inverts_thresholds        stressed where it should be healthy, and the other way round
//   gathers_while_slow        waits for many where the first one counts
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <vector>

namespace pinion::iosubmit::testing {

enum p3_defect : unsigned {
  as_it_should_be = 0,
  never_resets_submissions = 1,
  counts_before_adjusting = 2,
  ages_from_the_call = 4,
  asks_its_own_clock = 8,
  adjusts_each_completion = 16,
  believes_any_p99 = 32,
  ranks_one_too_low = 64,
  ranks_one_too_high = 128,
  inverts_thresholds = 256,
  gathers_while_slow = 512,
};

template <unsigned Defects>
class p3_policy {
 public:
  bool queued(const queue_state& state) noexcept {
    const std::uint64_t elapsed_ns = has(ages_from_the_call) ? 0 : (state.now - state.oldest).ns;
    const std::uint64_t depth = state.depth;
    if (depth == 0) return false;
    if (mode_ == submit_mode::low_latency) return depth >= 1;
    if (mode_ == submit_mode::high_throughput) return depth >= 64 || elapsed_ns > 1'000'000;
    if (stressed_) return depth >= 1;
    if (healthy_) return depth >= 32 || elapsed_ns > 500'000;
    return depth >= 8 || elapsed_ns > 200'000;
  }

  void entered(const entered_batch& batch) noexcept {
    if (has(counts_before_adjusting)) submissions_ += batch.accepted;
    adjust(batch.now);
    if (!has(counts_before_adjusting)) submissions_ += batch.accepted;
  }

  void reaped(const reaped_batch& batch) noexcept {
    adjust(batch.now);
    average();
  }

  void completed(duration latency) noexcept {
    recent_.push_back(latency.ns);
    if (recent_.size() > 128) recent_.pop_front();
  }

  park_wait about_to_park(const queue_state& state) noexcept {
    if (mode_ == submit_mode::high_throughput ||
        (has(gathers_while_slow) && mode_ == submit_mode::low_latency)) {
      const std::uint32_t wanted = (state.depth + state.in_flight) / 2;
      return {.count = std::clamp(wanted, 1U, 64U), .gather = duration{250'000}};
    }
    return {.count = 1, .gather = duration{0}};
  }

  [[nodiscard]] submit_mode mode() const noexcept { return mode_; }

 private:
  static constexpr bool has(p3_defect one) noexcept { return (Defects & one) != 0; }

  void average() noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : recent_) sum += one;
    const std::uint64_t average = recent_.empty() ? 0 : sum / recent_.size();
    stressed_ = has(inverts_thresholds) ? average < 1'000'000 : average > 10'000'000;
    healthy_ = has(inverts_thresholds) ? average > 10'000'000 : average < 1'000'000;
  }

  [[nodiscard]] std::uint64_t p99() const {
    std::vector<std::uint64_t> sorted(recent_.begin(), recent_.end());
    std::ranges::sort(sorted);
    std::size_t rank = sorted.size() - sorted.size() / 100;  // ceil(0.99 n): all but the floor of 0.01 n
    if (has(ranks_one_too_low)) --rank;
    if (has(ranks_one_too_high)) rank = std::min(rank + 1, sorted.size());
    return sorted[rank - 1];
  }

  void adjust(instant turn) noexcept {
    const instant now = has(asks_its_own_clock) ? instant{1} : turn;
    if (!has_begun_) {
      has_begun_ = true;
      last_ = now;
    }
    if ((now - last_).ns <= 10'000'000 && !has(adjusts_each_completion)) return;
    last_ = now;
    const std::uint64_t submitted = submissions_;
    if (!has(never_resets_submissions)) submissions_ = 0;
    if (recent_.empty() || (recent_.size() < 100 && !has(believes_any_p99))) return;
    mode_ = submit_mode::balanced;
    if (p99() > 50'000'000)
      mode_ = submit_mode::low_latency;
    else if (p99() < 1'000'000 && submitted > 1000)
      mode_ = submit_mode::high_throughput;
    average();
  }

  submit_mode mode_ = submit_mode::balanced;
  std::deque<std::uint64_t> recent_;
  std::uint64_t submissions_ = 0;
  instant last_;
  bool has_begun_ = false;
  bool stressed_ = false;
  bool healthy_ = true;
};

}  // namespace pinion::iosubmit::testing
