// SPDX-License-Identifier: Apache-2.0
//
// hook_wheel: a timer wheel of hooks in the caller's own objects. It never allocates, and arming can't fail.
//
// A bucket is a list of hooks, linked both ways, so cancelling unlinks at once and leaves nothing behind.
// Pushing a deadline on is one store into the hook; it is placed anew when its bucket is served. A hook's
// destructor cancels it.
//
//   struct connection : timer_hook {
//     void close() { is_open = false; }
//     bool is_open = true;
//   };
//   hook_wheel<connection, nested_levels<std::uint64_t{1} << 20, 8, 8, 8, 8, 8, 4>> timers{now};
//   connection client;
//   timers.schedule(client, now + ceil(30s));
//   timers.poll(now, unlimited, [](connection& due) { due.close(); });
//
// poll() turns the hand from occupied bucket to occupied bucket and takes one due hook after the other off
// its list. What a budget or a throwing sink leaves stays on that list, and the next poll goes on there.
// Hooks that are due already as they are armed wait in a list of their own for the next poll.
//
// One owner at a time, for the wheel and every hook armed in it; the wheel must outlive what is armed, or be
// cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/base/assert.hpp>
#include <pinion/base/event_counter.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/detail/work_counter.hpp>
#include <pinion/timer/statistics.hpp>
#include <pinion/timer/timer_hook.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

template <class Hook, class Levels>
class hook_wheel final : private hook_owner {
  static_assert(std::is_base_of_v<timer_hook, Hook>, "what is armed must have timer_hook for a base");

 public:
  /// For intrusive_timer_store.
  using hook_type = Hook;

  /// What the store declares of itself.
  static constexpr store_traits traits{.order = firing_order::by_tick,
                                       .cost = growth::constant,
                                       .next_wakeup = growth::constant,
                                       .allocates = allocation::never,
                                       .range = forever};

  /// A store whose latest now is `start`. May throw std::bad_alloc, for the buckets.
  explicit hook_wheel(instant start, Levels levels = Levels{})
      : hook_owner(
            [](hook_owner& wheel, timer_hook& h) noexcept { static_cast<hook_wheel&>(wheel).forget(h); }),
        now_(start), levels_(levels), buckets_(std::make_unique<hook_list[]>(levels.bucket_count())) {
    levels_.start(start);
    target_ = backlog_ = levels_.hand();
    bucket_count_ = static_cast<std::uint16_t>(levels_.bucket_count());
  }

  hook_wheel(const hook_wheel&) = delete;
  hook_wheel& operator=(const hook_wheel&) = delete;

  /// Disarms every hook. Inside a sink: a violation.
  ~hook_wheel() {
    PINION_ASSERT(!polling_, "a store was destroyed inside its own sink: let poll() return first");
    clear();
  }

  /// Arms `hook`, or moves it if it is armed here: it goes to the sink at the first poll at or after its due
  /// time, the first tick at or after `deadline`; in the past, at the next poll; at `never` it is kept and
  /// does not fire.
  ///
  /// A hook that is armed in another wheel is a violation, here and in cancel() and reschedule(). A checked
  /// build catches it. An unchecked build cancels the hook there first; cancel() and reschedule() change
  /// nothing and answer false.
  void schedule(Hook& hook, instant deadline) noexcept {
    timer_hook& h = hook;
    if (h.owner_ != nullptr) {
      if (reschedule(hook, deadline)) return;
      h.disarm();  // armed in another wheel
    }
    h.owner_ = this;
    h.deadline_ = deadline;
    ++size_;
    events_.count(&store_statistics::scheduled);
    put(h);
  }

  /// Disarms `hook`. False if it was not armed here.
  bool cancel(Hook& hook) noexcept {
    timer_hook& h = hook;
    if (!is_armed_here(h)) return false;
    forget(h);
    return true;
  }

  /// Moves an armed hook to `deadline`; one store when that is later and not yet due. False if it is not
  /// armed here.
  bool reschedule(Hook& hook, instant deadline) noexcept {
    timer_hook& h = hook;
    if (!is_armed_here(h)) return false;
    work_.touch();
    events_.count(&store_statistics::rescheduled);
    if (h.bucket_ < bucket_count_ && now_ < deadline && deadline != never &&
        levels_.serves(h.bucket_, levels_.tick_at_or_after(deadline))) {
      h.deadline_ = deadline;
      events_.count(&store_statistics::rescheduled_in_place);
      return true;
    }
    leave(h);
    h.deadline_ = deadline;
    put(h);
    return true;
  }

  /// Moves the clock to `now`, or leaves it where `now` is earlier, and hands what is due to `sink`, spending
  /// at most `budget` on hooks fired and moved. A hook is disarmed when its sink is called, and may be armed
  /// again or destroyed there. What sink throws passes through; that hook has fired, all others stay. Not
  /// from inside a sink.
  template <class Sink>
    requires std::invocable<Sink&, Hook&>
  poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    PINION_ASSERT(!polling_, "poll() was called from inside a sink: return from the sink first");
    if (now < quiet_until_ && budget != 0) [[likely]] {
      if (now_ < now) {
        now_ = now;
        target_ = levels_.tick_at_or_before(now);
        levels_.turn_to(target_);
      }
      return {};
    }
    if (budget == 0) return {.more = next_wakeup() <= (now < now_ ? now_ : now) && next_wakeup() != never};
    struct turn {  // also when a sink throws
      hook_wheel& wheel;
      turn(hook_wheel& w, instant t) noexcept : wheel(w) { wheel.begin(t); }
      turn(const turn&) = delete;
      turn& operator=(const turn&) = delete;
      ~turn() { wheel.polling_ = false; }
    } const whole{*this, now};

    poll_result result;
    while (timer_hook* due = next_due(budget - result.fired - result.moved, result.moved)) {
      ++result.fired;
      sink(static_cast<Hook&>(*due));
    }
    result.more = has_more();
    return result;
  }

  /// As poll() with a budget, without one.
  template <class Sink>
    requires std::invocable<Sink&, Hook&>
  poll_result poll(instant now, Sink&& sink) {
    return poll(now, unlimited, std::forward<Sink>(sink));
  }

  /// When the next occupied bucket is to be served; `never` when nothing will fire.
  [[nodiscard]] instant next_wakeup() const noexcept {
    work_.touch(levels_.searched());
    const std::uint64_t tick = levels_.next(occupied_).tick;
    instant at = tick <= levels_.last_tick() ? levels_.begin_of(tick)
                 : ending_.empty()           ? never
                                             : instant{never.ns - 1};
    // At most the due time of whatever could fire at once, too.
    if (!pending_.empty() && pending_since_ < at) at = pending_since_;
    if (!gathered_.empty() && gathered_since_ < at) at = gathered_since_;
    if (has_arrivals() && arrived_since_ < at) at = arrived_since_;
    return at;
  }

  /// How late a hook armed `ahead` of now may be.
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return levels_.lateness_bound(ahead);
  }

  /// The latest time that poll() was told.
  [[nodiscard]] instant now() const noexcept { return now_; }

  /// How many hooks are armed, those at `never` among them.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Disarms every hook.
  void clear() noexcept {
    for (std::size_t b = 0; b < bucket_count_; ++b) forget_all(buckets_[b]);
    for (hook_list* list : {&pending_, &gathered_, &arrivals_, &arrived_, &ending_, &parked_})
      forget_all(*list);
  }

  /// Some armed hook, or nullptr when none is. A loop over first() and cancel() empties the wheel.
  [[nodiscard]] Hook* first() noexcept {
    for (hook_list* list : {&pending_, &gathered_, &arrivals_, &arrived_, &ending_, &parked_}) {
      if (!list->empty()) return static_cast<Hook*>(&list->front());
    }
    const std::size_t b = occupied_.first();
    return b < bucket_count_ ? static_cast<Hook*>(&buckets_[b].front()) : nullptr;
  }

  /// The arithmetic, for looking at.
  [[nodiscard]] const Levels& levels() const noexcept { return levels_; }

  /// What does not hold of lists, occupancy and counts; empty when all does. Looks at all; also from inside a
  /// sink.
  [[nodiscard]] std::string violated_invariant() const;

#if PINION_CHECKED
  /// Hooks and buckets visited since the store was made.
  [[nodiscard]] std::uint64_t work() const noexcept { return work_.touched(); }
#endif
#if PINION_COUNTED
  /// What it has done since it was made.
  [[nodiscard]] const store_statistics& statistics() const noexcept { return events_.total(); }
#endif

 private:
  static constexpr std::uint16_t arriving = 0xfffc;  // was due when it was armed
  static constexpr std::uint16_t ending = 0xfffd;    // due after the last tick
  static constexpr std::uint16_t parked = 0xfffe;    // at never

  [[nodiscard]] bool is_armed_here(const timer_hook& h) const noexcept {
    PINION_ASSERT(h.owner_ == nullptr || h.owner_ == this,
                  "a hook is armed in another wheel: cancel it there first");
    return h.owner_ == this;
  }

  void put(timer_hook& h) noexcept {
    work_.touch();
    if (h.deadline_ <= now_ && h.deadline_ != never) {
      if (!has_arrivals() || h.deadline_ < arrived_since_) arrived_since_ = h.deadline_;
      h.bucket_ = arriving;
      quiet_until_ = instant{0};
      arrivals_.append(h);
    } else {
      place(h);
    }
  }
  void place(timer_hook& h) noexcept {
    const std::uint64_t due = levels_.tick_at_or_after(h.deadline_);
    if (due > levels_.last_tick()) {
      h.bucket_ = h.deadline_ == never ? parked : ending;
      quiet_until_ = instant{0};
      (h.deadline_ == never ? parked_ : ending_).append(h);
      return;
    }
    h.bucket_ = levels_.place(due, false);
    if (buckets_[h.bucket_].empty()) {
      occupied_.set(h.bucket_);
      quiet_until_ = instant{0};
    }
    buckets_[h.bucket_].append(h);
  }
  /// Out of whatever list it is in.
  void leave(timer_hook& h) noexcept {
    hook_list::unlink(h);
    if (h.bucket_ < bucket_count_ && buckets_[h.bucket_].empty()) occupied_.clear(h.bucket_);
  }
  void forget(timer_hook& h) noexcept {
    work_.touch();
    leave(h);
    h.owner_ = nullptr;
    --size_;
    events_.count(&store_statistics::cancelled);
  }
  void forget_all(hook_list& list) noexcept {
    while (!list.empty()) forget(list.front());
  }

  [[nodiscard]] bool has_arrivals() const noexcept {
    return !arrivals_.empty() || !arrived_.empty() || (pending_fires_ && !pending_.empty());
  }
  void begin(instant now) noexcept {
    polling_ = true;
    quiet_until_ = instant{0};
    if (now_ < now) now_ = now;
    backlog_ = target_;
    target_ = levels_.tick_at_or_before(now_);
    // Armed before this poll, so for this poll; what its sinks arm waits in arrivals_.
    arrived_.take(arrivals_);
    arrivals_to_serve_ = true;
    if (levels_.gathers()) gather();
  }
  /// No tick is left: whatever is armed, but at never, is due.
  [[nodiscard]] bool is_at_the_end_of_time() const noexcept { return now_.ns >= never.ns - 1; }
  [[nodiscard]] bool has_more() const noexcept {
    return !pending_.empty() || !gathered_.empty() || !arrived_.empty() ||
           levels_.next(occupied_).tick <= target_ || (is_at_the_end_of_time() && !ending_.empty());
  }
  /// What is overdue goes into one list, so that the hand is where now is, and what sinks arm is placed from
  /// there.
  void gather() noexcept {
    gathered_first_ = !gathered_.empty() || !pending_.empty();
    for (auto next = levels_.next(occupied_); next.tick <= target_; next = levels_.next(occupied_)) {
      work_.touch();
      if (gathered_.empty()) gathered_since_ = levels_.begin_of(next.tick);
      gathered_.take(buckets_[next.bucket]);
      occupied_.clear(next.bucket);
      levels_.turn_to(next.tick);
    }
    levels_.turn_to(target_);
  }

  /// The next hook to fire, disarmed, or nullptr; spends at most `budget`, adding what it moved to `moved`.
  timer_hook* next_due(std::size_t budget, std::size_t& moved) noexcept {
    while (budget != 0) {
      if (pending_.empty() && !advance()) return nullptr;
      if (pending_.empty()) continue;
      timer_hook& h = pending_.front();
      __builtin_prefetch(h.next_);
      work_.touch();
      --budget;
      hook_list::unlink(h);
      if (pending_fires_ || levels_.is_due(h.deadline_, h.bucket_)) {
        h.owner_ = nullptr;
        --size_;
        events_.count(&store_statistics::fired);
        return &h;
      }
      place(h);
      ++moved;
      events_.count(&store_statistics::moved);
    }
    return nullptr;
  }
  /// On to the next list that is to be served; false when all are.
  bool advance() noexcept {
    work_.touch();
    if (!gathered_.empty() && (gathered_first_ || !arrivals_to_serve_)) {
      pending_.take(gathered_);
      pending_fires_ = false;
      pending_since_ = gathered_since_;
      return true;
    }
    const auto next = levels_.next(occupied_);
    const bool in_backlog = next.tick <= backlog_;
    if (!in_backlog && arrivals_to_serve_) {
      arrivals_to_serve_ = false;
      pending_.take(arrived_);
      pending_fires_ = true;
      pending_since_ = arrived_since_;
      return true;
    }
    pending_fires_ = false;
    if (next.tick <= target_) {
      levels_.turn_to(next.tick);
      pending_since_ = levels_.begin_of(next.tick);
      pending_.take(buckets_[next.bucket]);
      occupied_.clear(next.bucket);
      return true;
    }
    levels_.turn_to(target_);
    if (!is_at_the_end_of_time() || ending_.empty()) {
      if (arrivals_.empty()) {
        quiet_until_ = next.tick <= levels_.last_tick() ? levels_.begin_of(next.tick)
                       : ending_.empty()                ? never
                                                        : instant{never.ns - 1};
      }
      return false;
    }
    pending_.take(ending_);
    pending_fires_ = true;
    pending_since_ = instant{never.ns - 1};
    return true;
  }

  [[no_unique_address]] work_counter work_;
  [[no_unique_address]] event_counter<store_statistics> events_;
  bool polling_ = false;
  bool pending_fires_ = false;  // what is pending is due, whatever the levels say
  bool arrivals_to_serve_ = false;
  bool gathered_first_ =
      false;  // what is gathered was, in part, left by an earlier poll: it comes before arrivals
  std::uint16_t bucket_count_ = 0;
  instant now_;
  Levels levels_;
  std::uint64_t target_ = 0;   // the tick of the latest now: how far the hand is to go
  std::uint64_t backlog_ = 0;  // the same of the poll before
  std::size_t size_ = 0;
  instant quiet_until_{0};  // before it no bucket's time comes; a bucket that gets its first hook makes it 0
  instant pending_since_{0};   // the tick that what is pending was to be served at
  instant gathered_since_{0};  // the same of the first that was gathered
  instant arrived_since_{0};   // at or before the deadline of whatever has arrived
  std::unique_ptr<hook_list[]> buckets_;
  typename Levels::occupancy_type occupied_;
  hook_list pending_;   // the bucket that is being served
  hook_list gathered_;  // hooks of overdue buckets
  hook_list arrivals_;  // due as they were armed
  hook_list arrived_;   // of them, before this poll began
  hook_list ending_;
  hook_list parked_;
};

}  // namespace pinion::timer::inline PINION_MODE

#include <pinion/timer/detail/hook_wheel_check.hpp>  // IWYU pragma: export
