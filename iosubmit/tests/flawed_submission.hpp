// SPDX-License-Identifier: Apache-2.0
//
// flawed_submission: a right submission in the plainest form, one list of entries, and one defect on demand.
//
// Each defect is one that real loops around a ring have had, or that this one could come to have; `none` is
// there to show that a kill is the defect's doing. It enters when eight are queued.
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
  ends_what_answers_ask,        // stop() until nothing is queued any more: for ever
  answers_inside_queue,         // a refusal that is handed out where it is met
  submits_past_the_count,       // somebody else's enter: what it hands over is in flight, and not counted
  fetches_when_it_submits,      // takes back the flag that somebody waits for
  lets_a_port_wait,             // our own first form: a wake that waits for the policy
  waits_from_the_last_turn,     // our own first form: a park that goes by a time it was told
  tries_again_before_the_turn,  // an enter for each operation, where the ring takes nothing
};

class flawed_submission final : public any_submission {
 public:
  flawed_submission(sim::virtual_clock& clock, const sim::virtual_ring_options& how, defect which)
      : defect_(which), clock_(clock), ring_(sim::virtual_ring{clock, how}, record), now_(clock.time()) {
    record.clock = &clock;
    record.depth = [this] { return depth(); };
  }
  ~flawed_submission() override {
    end();
    if (depth() != 0) end();
  }

  void queue(operation& what) override { take(what.entry()); }
  void queue_urgent(operation& what) override {
    if (!is(defect::forgets_the_urgent)) is_urgent_ = true;
    take(what.entry());
  }
  bool queue(const ring_entry& entry, ring_answer& answer) override {
    ring_entry named = entry;
    named.user_data = user_data_of(answer, 0);
    if (!is(defect::lets_a_port_wait)) is_urgent_ = true;
    take(named);
    return true;
  }
  void submit() override {
    if (depth() == 0 || is_shut()) return;
    if (is(defect::submits_past_the_count))
      ring_.enter({.fetches = false});
    else
      flush({.fetches = is(defect::fetches_when_it_submits)});
  }
  std::size_t turn(instant now) override {
    now_ = now;
    if (!refused_.empty()) return answer_and_fetch();
    const bool wanted = ring_.wants_enter() && !is(defect::ignores_taskrun) &&
                        (!is(defect::fetches_only_when_it_submits) || depth() != 0);
    if (is(defect::ignores_taskrun) && depth() < batch && !is_urgent_) return hand_out();
    if (wanted || (depth() != 0 && (is_urgent_ || depth() >= batch)) || is(defect::enters_each_turn))
      flush({});
    return finish();
  }
  std::size_t park(instant until) override {
    if (!is(defect::waits_from_the_last_turn)) now_ = sim::virtual_clock::view{clock_}.now();
    if (!refused_.empty()) return answer_and_fetch();
    ring_wait wait{};
    if (now_ < until && (!ring_.has_completions() || is(defect::waits_while_completions_are_there)))
      wait = {.count = 1, .timeout = until == never ? forever : until - now_};
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
    return static_cast<std::uint32_t>(list_.size() + refused_.size()) + ring_.pending();
  }
  [[nodiscard]] std::uint32_t in_flight() const override {
    return static_cast<std::uint32_t>(flying_.size());
  }
  [[nodiscard]] const sim::virtual_ring& ring() const override { return ring_.inner(); }

 private:
  static constexpr std::uint32_t batch = 8;
  static inline std::uint64_t seen_by_all = 0;

  [[nodiscard]] bool is(defect which) const noexcept { return defect_ == which; }

  void take(const ring_entry& entry) {
    if (is(defect::drops_what_does_not_fit) && !ending_ && ring_.room() == 0) return;
    if (is(defect::reads_the_clock_for_each)) now_ = sim::virtual_clock::view{clock_}.now();
    if (is(defect::allocates_for_each)) boxes_.push_back(std::make_unique<ring_entry>(entry));
    if (list_.empty() && ring_.room() != 0 && !is_shut()) {
      ring_.put(entry);
    } else if (is(defect::overtakes_what_waits_in_the_list)) {
      list_.push_front(entry);
    } else {
      list_.push_back(entry);
    }
    const std::uint64_t most =
        is(defect::goes_by_a_global) ? 1 + (++seen_by_all * 0x9E3779B97F4A7C15U >> 32U) % 13 : batch;
    if (depth() >= most && !is_shut()) flush({});
    if (is(defect::answers_inside_queue)) answer_refused();
  }

  // Where answers are being refused, or are to be: what comes now waits behind them.
  [[nodiscard]] bool is_shut() const noexcept {
    return refusing_ || ending_ || (!refused_.empty() && !is(defect::tries_again_before_the_turn));
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
      const ring_entered done = ring_.enter(takes_all ? wait : ring_wait{.fetches = wait.fetches});
      flying_.resize(flying_.size() + done.accepted);
      if (done.accepted != 0 && done.accepted < offered.size()) {
        ring_.withdraw([](const ring_entry&) noexcept {});
        if (is(defect::answers_twice_on_a_short_submit))
          for (const ring_entry& e : offered) ring_.put(e);
      }
      if (done.error != 0 && !is_passing(done.error)) return refuse(done.error);
      refill();
      if (done.error != 0 || done.accepted == 0 || depth() == 0 || (takes_all && !list_.empty())) break;
    }
    if (depth() == 0 || is(defect::forgets_the_urgent_when_refused)) is_urgent_ = false;
  }

  [[nodiscard]] bool is_passing(std::int32_t error) const noexcept {
    return errors::is_passing(error) && !(error == -EAGAIN && is(defect::takes_eagain_for_an_answer));
  }

  // What is queued is to be answered with that.
  void refuse(std::int32_t error) {
    error_ = error;
    ring_.withdraw([&](const ring_entry& e) noexcept { refused_.push_back(e); });
    if (!is(defect::loses_the_list_at_a_lasting_error) || ending_)
      refused_.insert(refused_.end(), list_.begin(), list_.end());
    list_.clear();
    if (is(defect::loses_all_at_a_lasting_error) && !ending_) refused_.clear();
  }
  // What the answers queue waits for the next call.
  void answer_refused() {
    const bool was_refusing = std::exchange(refusing_, true);
    for (const ring_entry& e : std::exchange(refused_, {})) tell(e.user_data, error_);
    refusing_ = was_refusing;
    if (!refusing_ && !ending_) refill();
    if (depth() == 0) is_urgent_ = false;
  }

  static void tell(std::uint64_t user_data, std::int32_t result) {
    if (user_data == 0 || mark_of(user_data) > operation::mark) return;
    ring_answer& answer = answer_of(user_data);
    answer.answered(answer, result);
  }

  std::size_t answer_and_fetch() {
    if (ring_.wants_enter()) ring_.enter({.keeps_pending = true});
    return finish();
  }

  std::size_t finish() {
    const bool was_refused = is_urgent_;
    answer_refused();
    const std::size_t count = hand_out();
    if (is_urgent_ && !was_refused && refused_.empty()) flush({});
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
    if (refused_.empty()) refuse(-ECANCELED);  // else what came after it is an answer's, or is told with it
    answer_refused();
    for (int rounds = 0; rounds < 5'000 && !flying_.empty(); ++rounds) {
      if (is(defect::forgets_the_flying_at_the_end)) break;
      ring_.put({.operation = codes::cancel, .operation_flags = 4, .user_data = 8 | 7});
      ring_.enter({.count = 2, .gather = duration{1'000'000}, .timeout = duration{1'000'000}});
      ring_.withdraw([](const ring_entry&) noexcept {});
      hand_out();
    }
    for (int rounds = 0; rounds < 5'000 && is(defect::ends_what_answers_ask) && depth() != 0; ++rounds) {
      refuse(-ECANCELED);
      answer_refused();
    }
    refuse(-ECANCELED);
    ending_ = false;
  }

  defect defect_;
  sim::virtual_clock& clock_;
  watched_ring ring_;
  std::deque<ring_entry> list_;  // beyond the ring
  std::vector<char> flying_;     // one for each
  std::vector<ring_entry> refused_;
  std::int32_t error_ = 0;
  std::vector<std::unique_ptr<ring_entry>> boxes_;
  instant now_;
  bool is_urgent_ = false;
  bool refusing_ = false;
  bool ending_ = false;
};

}  // namespace pinion::iosubmit::testing
