// SPDX-License-Identifier: Apache-2.0
//
// flawed_channel: a right channel in the plainest form, a list and two flags behind a mutex, and one defect
// on demand.
//
// Each defect is one that real wakers have had; `none` is there to show that a kill is the defect's doing.
#pragma once

#include <mutex>

#include "any_channel.hpp"

namespace pinion::waker::testing {

enum class defect : std::uint8_t {
  none,
  signals_only_the_first_time,     // 004 P5: should_notify is never set again
  arms_without_looking_again,      // a Dekker flag without its re-check
  forgets_that_it_was_armed,       // the sleeper is never told
  signals_each_push_to_a_sleeper,  // monoio: until it gets up
  signals_an_owner_that_is_awake,  // stdexec: each schedule() writes the eventfd
  stays_armed_through_a_drain,     // the flag is cleared by nobody
  drops_the_oldest_beyond_256,     // 004 P5: on overflow
  allocates_for_each_push,         // Glommio, Folly
  drains_newest_first,             // a tagged list that nobody turns round
  overtakes_what_overflowed,       // a ring and a list that are emptied one after the other
  loses_what_was_there_at_close,
  delivers_after_close,
  keeps_a_refused_node_queued,
  sleeps_though_closed,
  drains_what_its_sink_pushes,  // an owner that two tasks keep from its timers
  loses_the_rest_behind_a_throw,
  queues_a_node_twice,      // Glommio: a wake is a wake
  unqueues_after_the_sink,  // a wake during the run is lost
};

class flawed_channel final : public any_channel {
 public:
  explicit flawed_channel(defect which) : defect_(which) { nodes_.reserve(110'000); }
  ~flawed_channel() override {
    while (here() != 0) take_first().unclaim();
  }

  push_result push(letter& node) override {
    if (!node.claim() && !is(defect::queues_a_node_twice)) return push_result::queued;
    if (is(defect::allocates_for_each_push)) wakers_.push_back(std::make_unique<int>(0));
    const std::lock_guard lock{mutex_};
    if (closed_ && !is(defect::delivers_after_close)) {
      if (!is(defect::keeps_a_refused_node_queued)) node.unclaim();
      return push_result::closed;
    }
    if (is(defect::drops_the_oldest_beyond_256) && here() == 256) {
      take_first().unclaim();
    }
    if (is(defect::drains_newest_first) || (is(defect::overtakes_what_overflowed) && here() % 300 == 299)) {
      nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(first_), &node);
    } else {
      nodes_.push_back(&node);
    }
    const bool tell = armed_ && !(is(defect::signals_only_the_first_time) && signals_ != 0) &&
                      !is(defect::forgets_that_it_was_armed);
    if (!is(defect::signals_each_push_to_a_sleeper)) armed_ = false;
    if (!tell && !is(defect::signals_an_owner_that_is_awake)) return push_result::queued;
    signal();
    return push_result::signal;
  }
  push_result force(letter& node) override {
    const std::size_t before = signals_;
    const push_result result = push(node);
    if (result != push_result::closed && signals_ == before) signal();
    return result;
  }
  [[nodiscard]] std::size_t signals() const override { return signals_; }

  std::size_t drain(sink_ref sink) override {
    if (!is(defect::stays_armed_through_a_drain)) armed_ = false;
    if (closed_ && !is(defect::delivers_after_close)) return 0;
    return run(sink);
  }
  bool try_arm() override {
    if (closed_) return is(defect::sleeps_though_closed);
    if (here() != 0 && !is(defect::arms_without_looking_again)) return false;
    return armed_ = true;
  }
  bool disarm() override { return std::exchange(armed_, false); }
  [[nodiscard]] bool has_wakes() const override { return here() != 0; }
  std::size_t close(sink_ref sink) override {
    closed_ = true;
    auto drop = [](letter&) {};
    return is(defect::loses_what_was_there_at_close) ? (run(drop), 0) : run(sink);
  }
  [[nodiscard]] bool is_closed() const override { return closed_; }
  bool wait(instant) override { return consume(); }
  bool consume() override { return std::exchange(signalled_, false); }
  void drop_owner() override {
    auto drop = [](letter&) {};
    close(drop);
  }

 private:
  [[nodiscard]] bool is(defect which) const noexcept { return defect_ == which; }
  void signal() {
    ++signals_;
    signalled_ = true;
  }
  [[nodiscard]] std::size_t here() const noexcept { return nodes_.size() - first_; }
  letter& take_first() noexcept {
    letter& node = *nodes_[first_++];
    if (first_ == nodes_.size()) first_ = 0, nodes_.clear();
    return node;
  }
  std::size_t run(sink_ref sink) {
    std::size_t count = 0;
    std::size_t most = is(defect::drains_what_its_sink_pushes) ? 5'000 : here();
    for (; count < most && here() != 0; ++count) {
      letter& node = take_first();
      if (!is(defect::unqueues_after_the_sink)) node.unclaim();
      try {
        sink(node);
      } catch (...) {
        while (is(defect::loses_the_rest_behind_a_throw) && here() != 0) {
          take_first().unclaim();
        }
        throw;
      }
      if (is(defect::unqueues_after_the_sink)) node.unclaim();
    }
    return count;
  }

  defect defect_;
  std::mutex mutex_;
  std::vector<letter*> nodes_;  // from first_ on; long enough not to grow
  std::size_t first_ = 0;
  std::vector<std::unique_ptr<int>> wakers_;
  std::size_t signals_ = 0;
  bool signalled_ = false;
  bool armed_ = false;
  bool closed_ = false;
};

}  // namespace pinion::waker::testing
