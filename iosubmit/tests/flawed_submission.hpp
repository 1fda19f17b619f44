// SPDX-License-Identifier: Apache-2.0
//
// flawed_submission: a right submission in the plainest form, one list of entries, and one defect on demand.
//
// Each defect is one that real loops around a ring have had, or that this one could come to have; `none` is there to show that a kill
// is the defect's doing. It enters when eight are queued.
#pragma once

#include <algorithm>
#include <cerrno>
#include <deque>

#include "any_submission.hpp"

namespace pinion::iosubmit::testing {

enum class defect : std::uint8_t {
  none,
  strands_when_the_policy_says_no,    // 004 P3: nothing but should_submit() ever submits
  strands_what_does_not_fit,          // waits with a list beside the ring
  sleeps_through_a_refusal,           // waits in full with what EAGAIN left
  submits_and_waits_apart,            // Glommio: two system calls
  enters_each_turn,                   // spins
  forgets_the_urgent,                 // 004 P3: the rush has no way in
  forgets_the_urgent_when_refused,    // our own first form
  reads_the_clock_for_each,           // 004 P3: Instant::now() in the policy
  goes_by_a_global,                   // what one ring has seen moves another's policy
  allocates_for_each,                 // a boxed request
  ignores_taskrun,                    // DEFER_TASKRUN without GETEVENTS
  fetches_only_when_it_submits,       // the same, hidden by load
  waits_while_completions_are_there,  // a wait for more than is in flight
  reaps_without_end,                  // while (reap())
  drops_what_does_not_fit,            // get_sqe() without a look at its null
  answers_twice_on_a_short_submit,    // offers what was taken once more
  forgets_the_rest_of_a_short_submit,
  takes_eagain_for_an_answer,
  loses_all_at_a_lasting_error,
  loses_the_list_at_a_lasting_error,
  overtakes_what_waits_in_the_list,
  forgets_the_queued_at_the_end,
  forgets_the_flying_at_the_end,
};

class flawed_submission final : public any_submission {
 public:
  flawed_submission(sim::virtual_clock& clock, const sim::virtual_ring_options& how, defect which)
      : defect_(which), clock_(clock), ring_(sim::virtual_ring{clock, how}, record), now_(clock.time()) {
    record.clock = &clock;
    record.depth = [this] { return depth(); };
  }
  ~flawed_submission() override { end(); }

  void queue(operation& what) override { take(what.entry()); }
  void queue_urgent(operation& what) override {
    if (!is(defect::forgets_the_urgent)) is_urgent_ = true;
    take(what.entry());
  }
  bool queue(const ring_entry& entry, ring_answer& answer) override {
    ring_entry named = entry;
    named.user_data = user_data_of(answer, 0);
    take(named);
    return true;
  }
  std::size_t turn(instant now) override {
    now_ = now;
    const bool wanted = ring_.wants_enter() && !is(defect::ignores_taskrun) &&
                        (!is(defect::fetches_only_when_it_submits) || depth() != 0);
    if (is(defect::ignores_taskrun) && depth() < batch && !is_urgent_) return hand_out();
    if (wanted || (depth() != 0 && (is_urgent_ || depth() >= batch)) || is(defect::enters_each_turn))
      flush({});
    return finish();
  }
  std::size_t park(instant now, instant until) override {
    now_ = now;
    ring_wait wait{};
    if (now < until && (!ring_.has_completions() || is(defect::waits_while_completions_are_there)))
      wait = {.count = 1, .timeout = until == never ? forever : until - now};
    if (is(defect::strands_when_the_policy_says_no) && depth() < batch) {
      wait.keeps_pending = true;
      ring_.enter(wait);
    } else if (is(defect::submits_and_waits_apart)) {
      if (depth() != 0) flush({});
      if (wait.count != 0) flush(wait);
    } else if (wait.count != 0 || depth() != 0 || (ring_.wants_enter() && !is(defect::ignores_taskrun))) {
      flush(wait);
    }
    if (wait.count != 0 && !wait.keeps_pending && depth() != 0 && !ring_.has_completions()) {
      const duration most = is(defect::sleeps_through_a_refusal) ? forever : duration{1'000'000};
      ring_.enter({.count = 1, .timeout = std::min(wait.timeout, most), .keeps_pending = true});
    }
    if (wait.count != 0) now_ = sim::virtual_clock::view{clock_}.now();
    return finish();
  }
  void stop() override { end(); }
  [[nodiscard]] std::uint32_t depth() const override {
    return static_cast<std::uint32_t>(list_.size()) + ring_.pending();
  }
  [[nodiscard]] std::uint32_t in_flight() const override {
    return static_cast<std::uint32_t>(flying_.size());
  }
  [[nodiscard]] sim::virtual_ring& ring() override { return ring_.inner(); }

 private:
  static constexpr std::uint32_t batch = 8;
  static inline std::uint64_t seen_by_all = 0;

  [[nodiscard]] bool is(defect which) const noexcept { return defect_ == which; }

  void take(const ring_entry& entry) {
    if (is(defect::drops_what_does_not_fit) && !ending_ && ring_.room() == 0) return;
    if (is(defect::reads_the_clock_for_each)) now_ = sim::virtual_clock::view{clock_}.now();
    if (is(defect::allocates_for_each)) boxes_.push_back(std::make_unique<ring_entry>(entry));
    if (list_.empty() && ring_.room() != 0 && !refusing_) {
      ring_.put(entry);
    } else if (is(defect::overtakes_what_waits_in_the_list)) {
      list_.push_front(entry);
    } else {
      list_.push_back(entry);
    }
    const std::uint64_t most =
        is(defect::goes_by_a_global) ? 1 + (++seen_by_all * 0x9E3779B97F4A7C15U >> 32U) % 13 : batch;
    if (depth() >= most && !refusing_ && !ending_) flush({});
  }

  void refill() {
    for (; !list_.empty() && ring_.room() != 0; list_.pop_front()) ring_.put(list_.front());
  }

  void flush(ring_wait wait) {
    for (;;) {
      std::vector<ring_entry> offered;
      if (is(defect::answers_twice_on_a_short_submit) || is(defect::forgets_the_rest_of_a_short_submit))
        ring_.withdraw([&](const ring_entry& e) noexcept { offered.push_back(e); });
      for (const ring_entry& e : offered) ring_.put(e);
      const bool takes_all = list_.empty() || is(defect::strands_what_does_not_fit);
      const ring_entered done = ring_.enter(takes_all ? wait : ring_wait{});
      flying_.resize(flying_.size() + done.accepted);
      if (done.accepted != 0 && done.accepted < offered.size()) {
        ring_.withdraw([](const ring_entry&) noexcept {});
        if (is(defect::answers_twice_on_a_short_submit))
          for (const ring_entry& e : offered) ring_.put(e);
      }
      if (done.error != 0 && !is_passing(done.error)) refuse(done.error);
      refill();
      if (done.error != 0 || done.accepted == 0 || depth() == 0 || (takes_all && !list_.empty())) break;
    }
    if (depth() == 0 || is(defect::forgets_the_urgent_when_refused)) is_urgent_ = false;
  }

  [[nodiscard]] bool is_passing(std::int32_t error) const noexcept {
    return errors::is_passing(error) && !(error == -EAGAIN && is(defect::takes_eagain_for_an_answer));
  }

  // Answers what is queued; what answers queue waits for the next call.
  void refuse(std::int32_t error) {
    const bool was_refusing = std::exchange(refusing_, true);
    std::vector<ring_entry> all;
    ring_.withdraw([&](const ring_entry& e) noexcept { all.push_back(e); });
    if (!is(defect::loses_the_list_at_a_lasting_error) || ending_)
      all.insert(all.end(), list_.begin(), list_.end());
    list_.clear();
    if (is(defect::loses_all_at_a_lasting_error) && !ending_) all.clear();
    for (const ring_entry& e : all) tell(e.user_data, error);
    refusing_ = was_refusing;
    if (depth() == 0) is_urgent_ = false;
  }

  static void tell(std::uint64_t user_data, std::int32_t result) {
    if (user_data == 0 || mark_of(user_data) > operation::mark) return;
    ring_answer& answer = answer_of(user_data);
    answer.answered(answer, result);
  }

  std::size_t finish() {
    const bool was_refused = is_urgent_;
    const std::size_t count = hand_out();
    if (is_urgent_ && !was_refused) flush({});
    return count;
  }

  std::size_t hand_out() {
    std::size_t count = 0, some = 0;
    do {
      some = ring_.reap([this](const ring_completion& c) noexcept {
        if (mark_of(c.user_data) <= operation::mark && !flying_.empty()) flying_.pop_back();
        tell(c.user_data, c.result);
      });
      count += some;
      if (some != 0 && is(defect::reaps_without_end) && depth() != 0) flush({});
    } while (some != 0 && is(defect::reaps_without_end));
    return count;
  }

  void end() {
    ending_ = true;
    if (is(defect::forgets_the_queued_at_the_end)) {
      list_.clear();
      ring_.withdraw([](const ring_entry&) noexcept {});
    }
    for (int rounds = 0; rounds < 5'000 && depth() + flying_.size() != 0; ++rounds) {
      refuse(-ECANCELED);
      if (depth() != 0) continue;
      if (flying_.empty() || is(defect::forgets_the_flying_at_the_end)) break;
      ring_.put({.operation = codes::cancel, .operation_flags = 4, .user_data = 8 | 7});
      ring_.enter({.count = 2, .gather = duration{1'000'000}, .timeout = duration{1'000'000}});
      ring_.withdraw([](const ring_entry&) noexcept {});
      hand_out();
    }
    ending_ = false;
  }

  defect defect_;
  sim::virtual_clock& clock_;
  watched_ring ring_;
  std::deque<ring_entry> list_;  // beyond the ring
  std::vector<char> flying_;     // one for each
  std::vector<std::unique_ptr<ring_entry>> boxes_;
  instant now_;
  bool is_urgent_ = false;
  bool refusing_ = false;
  bool ending_ = false;
};

}  // namespace pinion::iosubmit::testing
