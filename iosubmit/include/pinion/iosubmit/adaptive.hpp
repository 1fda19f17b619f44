// SPDX-License-Identifier: Apache-2.0
//
// adaptive: enters when waiting has cost as much as entering would.
//
// What an enter costs is paid in the owner's time, what a delay costs in the time of all that is queued. So this sums up how long
// everything queued has waited (the area below the depth, in operations times nanoseconds) and enters when that reaches the price of
// an enter: who may neither know when the next operation comes nor what it is never pays twice what one who knew would have paid. One
// operation that is alone waits for about the price; thirty that were queued together are as impatient as thirty are.
//
// The price follows the load. An enter of the owner's holds up every completion that is there to be worked on, and how many those are
// shows in how many come back at once: with an average of n completions an enter, it costs n + 1 times `enter_cost`. A loop that has
// little to do so enters at the end of each turn, and one that is overrun enters seldom and with much.
//
//   submission<adaptive, uring_ring> io{uring_ring{{}}};
//   std::puts(to_string(io.policy()).c_str());
//
// No latency of any operation is looked at: most of it is the device's, which no batch changes.
#pragma once

#include <cstdint>
#include <pinion/iosubmit/concept.hpp>
#include <string>

namespace pinion::iosubmit {

/// Every number that adaptive decides by.
struct adaptive_options {
  duration enter_cost{1'000};    ///< what an enter costs the owner, where nothing else waits for it
  std::uint32_t batch_max = 64;  ///< enter when so many are queued, whatever they have waited
  std::uint32_t memory = 8;      ///< the averages are over about the last so many enters; 1 to 2^16
  friend constexpr bool operator==(const adaptive_options&, const adaptive_options&) noexcept = default;
};

/// Weighs waiting against entering.
class adaptive {
 public:
  /// With nothing known: an enter costs what it does on an idle machine.
  explicit adaptive(const adaptive_options& options = {}) noexcept
      : options_(options), price_(options.enter_cost.ns) {}

  bool queued(const queue_state& state) noexcept {
    waited_ += depth_ * (state.now - at_).ns;
    at_ = state.now;
    depth_ = state.depth;
    return depth_ != 0 && (waited_ >= price_ || depth_ >= options_.batch_max);
  }
  void entered(const entered_batch& batch) noexcept {
    waited_ = 0;
    depth_ -= depth_ < batch.accepted ? depth_ : batch.accepted;
  }
  void reaped(const reaped_batch& batch) noexcept {
    const std::int64_t seen = std::int64_t{batch.count} * one;
    completions_ += (seen - completions_) / static_cast<std::int64_t>(options_.memory);
    price_ = options_.enter_cost.ns * static_cast<std::uint64_t>(completions_ + one) / one;
  }
  park_wait about_to_park(const queue_state& /*state*/) noexcept { return {}; }

  /// How long all that is queued has waited, taken together, as of the last queued().
  [[nodiscard]] duration waited() const noexcept { return duration{waited_}; }
  /// What an enter costs now: waited() that reaches it ends the waiting.
  [[nodiscard]] duration price() const noexcept { return duration{price_}; }
  /// Completions an enter, averaged, in sixteenths.
  [[nodiscard]] std::uint64_t completions_in_sixteenths() const noexcept {
    return static_cast<std::uint64_t>(completions_);
  }
  /// What it was made with.
  [[nodiscard]] const adaptive_options& options() const noexcept { return options_; }

  friend bool operator==(const adaptive&, const adaptive&) noexcept = default;

 private:
  static constexpr std::int64_t one = 16;

  adaptive_options options_;
  std::uint64_t waited_ = 0;
  std::uint64_t price_;
  std::int64_t completions_ = 0;
  instant at_;
  std::uint32_t depth_ = 0;
};

/// One line for people: what is queued has waited for, what an enter costs, completions an enter.
[[nodiscard]] std::string to_string(const adaptive& policy);

}  // namespace pinion::iosubmit
