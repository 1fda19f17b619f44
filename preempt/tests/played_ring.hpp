// SPDX-License-Identifier: Apache-2.0
//
// with_uring: uring_source, over a ring that knows timeouts and nothing else. Its owner enters as loops do:
// before each slice, and as it parks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <pinion/base/ring.hpp>
#include <pinion/preempt/uring_source.hpp>
#include <utility>
#include <vector>

#include "played_source.hpp"

namespace pinion::preempt::testing {

class played_ring {
 public:
  // How late the machine is.
  std::function<instant(instant)> late;

  [[nodiscard]] static int descriptor() noexcept { return 3; }
  [[nodiscard]] static bool is_owner() noexcept { return true; }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept {
    queued_ = timeout{.entry = entry, .answer = &answer};
    return true;
  }

  // The owner's enter: takes what is queued, and hands out what has come.
  void enter() {
    if (queued_) {
      std::array<std::int64_t, 2> time{};
      std::memcpy(time.data(), reinterpret_cast<const void*>(queued_->entry.address), sizeof time);
      const instant at{static_cast<std::uint64_t>(time[0]) * 1'000'000'000 +
                       static_cast<std::uint64_t>(time[1])};
      under_way_ = std::exchange(queued_, std::nullopt);
      under_way_->at = late(at);
    }
    flags = 0;
    if (under_way_ && under_way_->has_come) {
      ring_answer& answer = *under_way_->answer;
      under_way_.reset();
      answer.answered(answer, -62);
    }
  }
  [[nodiscard]] instant next() const { return under_way_ && !under_way_->has_come ? under_way_->at : never; }
  void come() {
    under_way_->has_come = true;
    flags = 4;
  }
  // The port goes first.
  void cancel() {
    for (auto* each : {&queued_, &under_way_})
      if (*each) (*each)->answer->answered(*(*each)->answer, -125);
  }

  std::uint32_t flags = 0;

 private:
  struct timeout {
    ring_entry entry;
    ring_answer* answer;
    instant at = never;
    bool has_come = false;
  };
  std::optional<timeout> queued_, under_way_;
};

class with_uring final : public each_with_a_source<uring_source<played_ring>> {
  using base = each_with_a_source<uring_source<played_ring>>;
  // SINGLE_ISSUER, DEFER_TASKRUN, TASKRUN_FLAG.
  static constexpr std::uint32_t setup = 1U << 12U | 1U << 13U | 1U << 9U;

 public:
  explicit with_uring(const machine& on) : base(on), rings_(on.owners) {
    for (played_ring& each : rings_) {
      each.late = [this](instant at) { return late(at); };
      sources_.emplace_back(each, uring_view{.flags = &each.flags, .setup = setup},
                            uring_source_options{.period = on.slice_min});
    }
  }
  ~with_uring() override {
    sources_.clear();
    for (played_ring& each : rings_) each.cancel();
  }

  void begin(instant until, std::size_t who) override {
    rings_[who].enter();
    base::begin(until, who);
    if (!sources_[who].needs_submit()) return;
    called();
    rings_[who].enter();
  }
  // It parks: what has come is handed out.
  void rest(std::size_t who) override {
    base::rest(who);
    rings_[who].enter();
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t who) const override {
    auto all = base::bytes(who);
    add_bytes(all, rings_[who].flags);
    return all;
  }

 protected:
  [[nodiscard]] instant next_event() const override {
    instant first = never;
    for (const played_ring& each : rings_) first = std::min(first, each.next());
    return first;
  }
  void happen() override {
    for (played_ring& each : rings_) {
      if (now() < each.next()) continue;
      woke();
      each.come();
    }
  }

 private:
  std::deque<played_ring> rings_;
};

}  // namespace pinion::preempt::testing
