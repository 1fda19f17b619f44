// SPDX-License-Identifier: Apache-2.0
//
// Part of hook_wheel.hpp, which includes it: the wheel's check of itself.
#pragma once

#include <pinion/timer/detail/invariant.hpp>

namespace pinion::timer::inline PINION_MODE {

/// What checks need to see of a list of hooks.
class hook_census {
 public:
  /// Calls `visit(hook)` for each hook of a list of at most `most`, first to last, until it returns
  /// something. Returns that, or how the list is not linked as it should be, or nothing.
  template <class Visit>
  [[nodiscard]] static std::string walk(const hook_list& list, std::size_t most, Visit&& visit) {
    const timer_hook* before = &list.ends_;
    for (std::size_t k = 0;; ++k) {
      const timer_hook* h = before->next_;
      if (h == nullptr) return invariant_detail::broken(" breaks off after ", k, " hooks");
      if (h->previous_ != before)
        return invariant_detail::broken(" is not linked both ways after ", k, " hooks");
      if (h == &list.ends_) return {};
      if (k == most) return invariant_detail::broken(" goes on after ", k, " hooks, which is all there are");
      if (std::string text = visit(*h); !text.empty()) return invariant_detail::broken(", hook ", k, text);
      before = h;
    }
  }
};

template <class Hook, class Levels>
std::string hook_wheel<Hook, Levels>::violated_invariant() const {
  using invariant_detail::broken;
  std::size_t total = 0;
  const auto count = [&](const timer_hook& h) {
    ++total;
    return h.owner_ == static_cast<const hook_owner*>(this) ? "" : " is not armed in this wheel";
  };
  const auto rounds_up_past_the_end = [&](const timer_hook& h) {
    return levels_.tick_at_or_after(h.deadline_) > levels_.last_tick();
  };

  typename Levels::occupancy_type scratch;
  for (std::size_t b = 0; b < bucket_count_; ++b) {
    if (buckets_[b].empty()) continue;
    const std::uint64_t tick = invariant_detail::tick_of(levels_, scratch, b);
    std::string text = hook_census::walk(buckets_[b], size_, [&](const timer_hook& h) {
      if (h.bucket_ != b) return broken(" says it is in bucket ", h.bucket_);
      if (h.deadline_ == never || !invariant_detail::is_in_time(levels_, tick, b, h.deadline_, false)) {
        return broken(" is due at tick ", levels_.tick_at_or_after(h.deadline_),
                      ", and its bucket is served at ", tick);
      }
      return std::string{count(h)};
    });
    if (text.empty() && tick < levels_.hand())
      text = broken(" is of tick ", tick, ", and the hand at ", levels_.hand());
    if (!text.empty()) return broken("bucket ", b, text);
  }

  const auto arrived = [&](const timer_hook& h) -> std::string {
    if (h.bucket_ != arriving) return broken(" says it is in bucket ", h.bucket_);
    if (now_ < h.deadline_ || h.deadline_ < arrived_since_)
      return " is not due, or due before any is said to be";
    return count(h);
  };
  std::string text = hook_census::walk(arrivals_, size_, arrived);
  if (!text.empty()) return broken("the list of arrivals", text);
  text = hook_census::walk(arrived_, size_, arrived);
  if (!text.empty()) return broken("the list of what had arrived", text);
  text = hook_census::walk(pending_, size_, [&](const timer_hook& h) -> std::string {
    if (h.bucket_ == arriving) return arrived(h);
    if (h.bucket_ >= bucket_count_ && h.bucket_ != ending) return broken(" says it is in bucket ", h.bucket_);
    if (pending_fires_ && now_ < h.deadline_) return " is to fire, and not due";
    return count(h);
  });
  if (!text.empty()) return broken("the bucket that is served", text);
  text = hook_census::walk(gathered_, size_, [&](const timer_hook& h) -> std::string {
    return h.bucket_ >= bucket_count_ ? broken(" says it is in bucket ", h.bucket_) : count(h);
  });
  if (!text.empty()) return broken("the list of what is overdue", text);
  text = hook_census::walk(ending_, size_, [&](const timer_hook& h) -> std::string {
    if (h.bucket_ != ending || h.deadline_ == never || !rounds_up_past_the_end(h))
      return " does not belong there";
    return count(h);
  });
  if (!text.empty()) return broken("the list for the end of time", text);
  text = hook_census::walk(parked_, size_, [&](const timer_hook& h) -> std::string {
    return h.bucket_ != parked || h.deadline_ != never ? " does not belong there" : count(h);
  });
  if (!text.empty()) return broken("the list of what never fires", text);

  if (total != size_) return broken(total, " hooks are in lists, and the wheel counts ", size_);
  if (levels_.hand() > target_ || backlog_ > target_)
    return broken("the hand is at ", levels_.hand(), ", beyond ", target_);
  const std::uint64_t tick = levels_.next(occupied_).tick;
  const bool has_work = !pending_.empty() || !gathered_.empty() || !arrivals_.empty() || !arrived_.empty();
  if ((has_work && quiet_until_ != instant{0}) ||
      (tick <= levels_.last_tick() && levels_.begin_of(tick) < quiet_until_) ||
      (!ending_.empty() && quiet_until_ == never)) {
    return broken("hooks wait to be served, and polls are quiet until ", quiet_until_.ns);
  }
  return invariant_detail::differs("the occupancy", occupied_, bucket_count_,
                                   [&](std::size_t b) { return !buckets_[b].empty(); });
}

}  // namespace pinion::timer::inline PINION_MODE
