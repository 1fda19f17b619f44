// SPDX-License-Identifier: Apache-2.0
//
// adaptive: enters when waiting has cost as much as entering would.
//
// An enter is paid for in the owner's time, a delay in the time of all that is queued. Three rules weigh the
// two, and each looks at something that batching changes:
//
//   At the end of a turn: how long everything queued has waited, taken together (the area below the depth, in
//   operations times nanoseconds). It enters when that reaches `enter_cost`. So a policy that does not know
//   when the next operation comes pays at most twice what it would pay if it knew. In nearly every loop that
//   is one enter for all that a turn has queued.
//
//   Within a turn: how long turns are, which is how old operations are at their end, and how many they queue.
//   Where turns are long and operations few, another one to share an enter with comes too late: each is
//   entered at once.
//
//   Before a wait: how many completions an enter brings. Much is in flight, and none of the last answers was
//   quick: then it waits for a share of what is out, for the same share of the quickest answer at most. Where
//   such a wait brought no two, it lets `rest` waits pass by before it tries again.
//
//   submission<adaptive, uring_ring> io{uring_ring{{}}};
//   std::puts(to_string(io.policy()).c_str());
//
// How long operations take is used for the bound of a wait only: most of it is the device's, which no batch
// changes. docs/design/iosubmit-adaptive.md has the argument, and what it was measured on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <pinion/base/export.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <string>

namespace pinion::iosubmit {

/// Every number that adaptive decides by.
struct adaptive_options {
  /// What an enter costs the owner: waiting that adds up to it ends at the turn's end.
  duration enter_cost{1'000};
  /// Enter when so many are queued, whatever they have waited; 0 is as 1.
  std::uint32_t batch_max = 64;

  /// Enter at once where a turn takes longer than this for each operation that it queues. More than an enter
  /// costs whose one entry rings a device's bell; `forever`: never at once.
  duration at_once_above{20'000};
  /// A turn that queues fewer counts as if it queued so many.
  std::uint32_t operations_min = 2;
  /// How long turns are, and how many they queue, are averages over about so many of them: a power of two,
  /// rounded down to one.
  std::uint32_t turns = 16;
  /// A turn counts as no longer than this, an hour at most: somebody else's time slice is no turn.
  duration turn_max{10'000'000};

  /// Waits for one share of so many of what is out, and for one share of the quickest recent answer; 0: for
  /// one completion, always.
  std::uint32_t share = 4;
  /// And for more than one no longer than this.
  duration gather_max{1'000'000};
  /// Recent are the last so many answers, up to twice as many; at least 1.
  std::uint32_t answers = 256;
  /// Waits that pass by after one that gathered in vain.
  std::uint32_t rest = 256;
  friend constexpr bool operator==(const adaptive_options&, const adaptive_options&) noexcept = default;
};

/// Weighs waiting against entering. A policy that is told latencies (latency_policy).
class adaptive {
 public:
  /// With nothing known: enters at the end of turns, and waits for one completion.
  explicit adaptive(const adaptive_options& options = {}) noexcept
      : options_(options), price_(options.enter_cost.ns), answers_left_(options.answers),
        memory_bits_(static_cast<int>(std::bit_width(options.turns | 1U)) - 1) {
    options_.turn_max = std::min(options_.turn_max, turn_max_max);
  }

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept {
    if (state.now != at_) end_turn(state.now);
    operations_ += state.depth > depth_ ? 1U : 0U;
    depth_ = state.depth;
    return depth_ != 0 && (waited_ >= price_ || depth_ >= options_.batch_max);
  }
  void entered(const entered_batch& batch) noexcept {
    waited_ = 0;
    depth_ -= std::min(depth_, batch.accepted);
  }
  void reaped(const reaped_batch& batch) noexcept {
    if (batch.now != at_) end_turn(batch.now);
    if (gathering_ && batch.count < 2) resting_ = options_.rest;
    gathering_ = false;
  }
  void completed(duration latency) noexcept {
    quickest_ = std::min(quickest_, latency.ns);
    if (--answers_left_ == 0) forget();
  }
  park_wait about_to_park(const queue_state& state) noexcept {
    if (state.now != at_) end_turn(state.now);
    if (resting_ != 0) {
      --resting_;
      return {};
    }
    const std::uint32_t out = state.depth + state.in_flight;
    if (out < std::uint64_t{options_.share} * 2) return {};
    const duration most = gather();
    if (most == duration{} || most < options_.enter_cost)
      return {};  // too little is known, or answers are quick; also where share is 0
    gathering_ = true;
    return {.count = out / options_.share, .gather = most};
  }

  /// Whether operations are entered as soon as they are queued.
  [[nodiscard]] bool enters_at_once() const noexcept { return at_once_; }
  /// The same as a mode: low-latency while they are. And how that last changed, and why.
  [[nodiscard]] submit_mode mode() const noexcept {
    return at_once_ ? submit_mode::low_latency : submit_mode::adaptive;
  }
  [[nodiscard]] mode_change last_change() const noexcept {
    if (changes_ == 0) return {.from = submit_mode::adaptive, .to = submit_mode::adaptive};
    return {.from = at_once_ ? submit_mode::adaptive : submit_mode::low_latency,
            .to = mode(),
            .reason = at_once_ ? mode_reason::long_turns : mode_reason::neither,
            .at = changed_};
  }
  /// How often that has changed, and when it last did.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  [[nodiscard]] instant changed() const noexcept { return changed_; }
  /// How long turns are, and how many operations they queue in 256ths: averages over turns that queue some.
  /// They are why.
  [[nodiscard]] duration turn() const noexcept { return duration{static_cast<std::uint64_t>(turn_ns_)}; }
  [[nodiscard]] std::uint64_t operations_in_256ths() const noexcept {
    return static_cast<std::uint64_t>(operations_mean_);
  }
  /// How long all that is queued has waited, taken together, as of the last turn's end.
  [[nodiscard]] duration waited() const noexcept { return duration{waited_}; }
  /// How long a wait may gather, when it may; and how many waits pass by until then.
  [[nodiscard]] duration gather() const noexcept {
    return options_.share == 0 ? duration{}
                               : std::min(options_.gather_max,
                                          duration{std::min(quickest_, quickest_before_) / options_.share});
  }
  [[nodiscard]] std::uint32_t resting() const noexcept { return resting_; }
  /// What it was made with.
  [[nodiscard]] const adaptive_options& options() const noexcept { return options_; }

  friend bool operator==(const adaptive&, const adaptive&) noexcept = default;

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  static constexpr duration turn_max_max{3'600'000'000'000};  // of which 256 fit

  void end_turn(instant now) noexcept {
    const std::uint64_t passed = (now - at_).ns;
    waited_ += depth_ * passed;
    at_ = now;
    if (operations_ == 0) return;
    turn_ns_ +=
        (static_cast<std::int64_t>(std::min(passed, options_.turn_max.ns)) - turn_ns_) >> memory_bits_;
    operations_mean_ += (static_cast<std::int64_t>(operations_) * 256 - operations_mean_) >> memory_bits_;
    operations_ = 0;
    const auto operations =
        static_cast<std::uint64_t>(std::max(std::int64_t{options_.operations_min} * 256, operations_mean_));
    const bool is_long =
        duration{static_cast<std::uint64_t>(turn_ns_) * 256} > options_.at_once_above * operations;
    if (is_long != at_once_) change(now);
  }

  void change(instant now) noexcept {
    at_once_ = !at_once_;
    price_ = at_once_ ? 0 : options_.enter_cost.ns;
    ++changes_;
    changed_ = now;
  }

  void forget() noexcept {
    quickest_before_ = quickest_;
    quickest_ = none;
    answers_left_ = options_.answers;
  }

  adaptive_options options_;
  instant at_;  // the latest time seen: of the last turn's end
  std::uint64_t waited_ = 0;
  std::uint64_t price_;  // what waited_ is held against: none where operations are entered at once
  std::int64_t turn_ns_ = 0;
  std::int64_t operations_mean_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t operations_ = 0;  // queued in this turn
  std::uint64_t quickest_ = none;
  std::uint64_t quickest_before_ = 0;
  std::uint32_t answers_left_;
  int memory_bits_;
  std::uint32_t resting_ = 0;
  bool at_once_ = false;
  bool gathering_ = false;
  std::uint64_t changes_ = 0;
  instant changed_;
};

/// One line for people: which rule holds within turns and why, and what a wait does.
PINION_EXPORT [[nodiscard]] std::string to_string(const adaptive& policy);

}  // namespace pinion::iosubmit
