// SPDX-License-Identifier: Apache-2.0
//
// slice_rule: the terms, and what follows from them.
#include <pinion/preempt/slice_rule.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace pinion::preempt {
namespace {

// Why such terms can't be had; nothing if they can.
std::optional<refusal> refusal_of(const queue_terms& terms) {
  const auto refused = [](const char* what, duration length, const char* reason, const char* remedy) {
    return refusal{.code = std::make_error_code(std::errc::invalid_argument),
                   .asked = std::string{"a "} + what + " of " + std::to_string(length.ns) + " ns",
                   .reason = reason,
                   .remedy = remedy};
  };
  if (terms.quantum < quantum_min)
    return refused(
        "quantum", terms.quantum,
        "below 10 us a queue does little but change; a negative std::chrono duration comes out as 0",
        "give 10 us to 10 s; 1 ms is usual");
  if (quantum_max < terms.quantum)
    return refused("quantum", terms.quantum, "above 10 s others wait too long for a slice to end",
                   "give 10 us to 10 s; 1 ms is usual");
  if (terms.latency < quantum_min)
    return refused("latency", terms.latency, "below 10 us the other queues would do little but change",
                   "give 10 us or more, or `forever` for tasks that nobody waits for");
  return std::nullopt;
}

}  // namespace

expected<slice_rule::queue, refusal> slice_rule::add(const queue_terms& terms) {
  if (auto why = refusal_of(terms)) return unexpected<refusal>{*std::move(why)};
  auto free = std::find_if(entries_.begin(), entries_.end(), [](const entry& each) { return !each.is_used; });
  if (free == entries_.end()) free = entries_.insert(entries_.end(), entry{});
  *free = {.terms = terms, .is_used = true};
  find_tightest();
  return static_cast<queue>(free - entries_.begin());
}

void slice_rule::remove(queue which) noexcept {
  entries_[index(which)].is_used = false;
  find_tightest();
}

expected<void, refusal> slice_rule::change(queue which, const queue_terms& terms) {
  if (auto why = refusal_of(terms)) return unexpected<refusal>{*std::move(why)};
  entries_[index(which)].terms = terms;
  find_tightest();
  return {};
}

duration slice_rule::slice_of(queue which) const noexcept {
  return std::min(entries_[index(which)].terms.quantum,
                  index(which) == tightest_queue_ ? tightest_but_one_ : tightest_);
}

instant slice_rule::end_of(queue which, const slice_state& state) const noexcept {
  if (state.others_ready || state.waits_for_others)
    return std::min(state.now + slice_of(which), std::max(state.next_timer, state.now + quantum_min));
  return state.next_timer == never ? never : std::max(state.next_timer, state.now + quantum_min);
}

void slice_rule::find_tightest() noexcept {
  tightest_ = tightest_but_one_ = forever;
  tightest_queue_ = entries_.size();
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    if (!entries_[at].is_used) continue;
    const duration latency = entries_[at].terms.latency;
    if (latency < tightest_) {
      tightest_but_one_ = tightest_;
      tightest_ = latency;
      tightest_queue_ = at;
    } else {
      tightest_but_one_ = std::min(tightest_but_one_, latency);
    }
  }
}

}  // namespace pinion::preempt
