// SPDX-License-Identifier: Apache-2.0
//
// slice_rule: the terms, and what follows from them.
#include <pinion/preempt/slice_rule.hpp>

#include <algorithm>

namespace pinion::preempt {
namespace {

// What is wrong with them; empty if nothing is.
std::string refusal_of(const queue_terms& terms) {
  const auto ns = [](duration length) { return std::to_string(length.ns) + " ns"; };
  if (terms.quantum < quantum_min)
    return "a quantum of " + ns(terms.quantum) +
           " was refused: below 10 us a queue does little but change; a negative std::chrono duration "
           "comes out as 0";
  if (quantum_max < terms.quantum)
    return "a quantum of " + ns(terms.quantum) +
           " was refused: above 10 s no slice would ever be over for who waits; leave it at 1 ms if in doubt";
  if (terms.latency < quantum_min)
    return "a latency of " + ns(terms.latency) +
           " was refused: below 10 us the other queues would do little but change";
  return {};
}

}  // namespace

expected<slice_rule::queue, std::string> slice_rule::add(const queue_terms& terms) {
  if (std::string why = refusal_of(terms); !why.empty()) return unexpected<std::string>{std::move(why)};
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

expected<void, std::string> slice_rule::change(queue which, const queue_terms& terms) {
  if (std::string why = refusal_of(terms); !why.empty()) return unexpected<std::string>{std::move(why)};
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
