// SPDX-License-Identifier: Apache-2.0
//
// ordered_map: timers in a balanced tree, by deadline and then by arming.
//
// What most executors have today, made to keep every law of concept.hpp: a std::map whose nodes are kept when
// their timers go, so that arming allocates only beyond what was ever needed, and a slot_map through which a
// handle finds its node. Arming, cancelling and pushing on are O(log n) with a cache miss or more a step from
// some 10,000 timers on; firing is exact to the nanosecond and strictly ordered. Pick it where that order is
// wanted, where timers are few, or to compare with.
//
//   ordered_map<task> timers{monotonic_clock::now()};
//   handle h = timers.schedule(now + ceil(30s), task{});
//   timers.poll(now, unlimited, [](handle, instant, task&& t) { t.run(); });
//
// One owner at a time; no member may be called by another thread meanwhile, not even a const one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/error.hpp>
#include <pinion/base/event_counter.hpp>
#include <pinion/base/time.hpp>
#include <pinion/timer/concept.hpp>
#include <pinion/timer/detail/slot_map.hpp>
#include <pinion/timer/detail/work_counter.hpp>
#include <pinion/timer/statistics.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace pinion::timer::inline PINION_MODE {

template <class Value>
class ordered_map {
  static_assert(std::is_nothrow_move_constructible_v<Value>,
                "a timer's value must move without throwing (law T2)");

 public:
  /// What a timer holds.
  using value_type = Value;

  /// What the store declares of itself; the conformance suite tests it.
  static constexpr store_traits traits{.order = firing_order::by_deadline,
                                       .cost = growth::logarithmic,
                                       .next_wakeup = growth::constant,
                                       .allocates = allocation::beyond_reserve,
                                       .range = forever};

  /// A store whose latest now is `start`.
  explicit ordered_map(instant start, slot_options options = {})
      : now_(start), by_deadline_(earlier{&work_}), slots_(options) {}

  ordered_map(const ordered_map&) = delete;
  ordered_map& operator=(const ordered_map&) = delete;

  /// Destroys the values of all timers. Inside a sink: a violation.
  ~ordered_map() {
    PINION_ASSERT(!polling_, "a store was destroyed inside its own sink: let poll() return first");
    clear();
  }

  /// Arms a timer that hands `value` to the sink at the first poll at or after `deadline`; one in the past
  /// fires at the next poll, one at `never` is kept and does not fire. Strong guarantee: on std::bad_alloc or
  /// std::length_error nothing was armed and `value` was not moved from.
  handle schedule(instant deadline, Value&& value);

  /// As schedule(), but refuses: errc::deadline_passed when `deadline` is not after the latest
  /// now, errc::capacity_exceeded when no handle is left. `value` is moved from only on success. May throw
  /// std::bad_alloc.
  [[nodiscard]] expected<handle> try_schedule(instant deadline, Value&& value);

  /// Takes the timer back: its value, or nothing if `h` is refused (T5).
  std::optional<Value> cancel(handle h) noexcept;

  /// As cancel(), and tells why not: errc::invalid_handle when this store never had such a slot, else
  /// errc::not_found.
  [[nodiscard]] expected<Value> try_cancel(handle h) noexcept;

  /// Moves the timer to `deadline`, keeping its handle and value; it counts as armed anew. False if `h` is
  /// refused.
  bool reschedule(handle h, instant deadline) noexcept;

  /// Moves the clock to `now`, or leaves it where `now` is earlier, and hands what is due to `sink`, at most
  /// `budget` timers. What sink throws passes through; that timer has fired, all others stay. Not from inside
  /// a sink.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, std::size_t budget, Sink&& sink);

  /// As poll() with a budget, without one.
  template <sink_for<Value> Sink>
  poll_result poll(instant now, Sink&& sink) {
    return poll(now, unlimited, std::forward<Sink>(sink));
  }

  /// The earliest deadline; `never` when nothing will fire.
  [[nodiscard]] instant next_wakeup() const noexcept {
    work_.touch();
    return by_deadline_.empty() ? never : by_deadline_.begin()->first.deadline;
  }

  /// None: a timer is due at its deadline.
  [[nodiscard]] duration lateness_bound(duration) const noexcept { return duration{0}; }

  /// The latest time that poll() was told.
  [[nodiscard]] instant now() const noexcept { return now_; }

  /// How many timers are armed, those at `never` among them.
  [[nodiscard]] std::size_t size() const noexcept { return by_deadline_.size(); }

  /// Destroys every timer armed before the call; their handles are refused. A value whose destructor arms a
  /// timer leaves that one armed.
  void clear();

  /// Until `n` timers are armed at once, schedule() neither allocates nor throws (T9). May throw
  /// std::bad_alloc.
  void reserve(std::size_t n);

  /// Slots that ran out of generations (T5).
  [[nodiscard]] std::size_t retired() const noexcept { return slots_.retired(); }

#if PINION_CHECKED
  /// Entries compared or visited since the store was made.
  [[nodiscard]] std::uint64_t work() const noexcept { return work_.touched(); }
#endif
#if PINION_COUNTED
  /// What it has done since it was made.
  [[nodiscard]] const store_statistics& statistics() const noexcept { return events_.total(); }
#endif

 private:
  struct key {
    instant deadline;
    std::uint64_t armed;  // counts schedule() and reschedule(), so that equal deadlines fire in that order
    friend auto operator<=>(const key&, const key&) = default;
  };
  struct earlier {
    const work_counter* work;
    bool operator()(const key& a, const key& b) const noexcept {
      work->touch();
      return a < b;
    }
  };
  struct entry {
    std::uint32_t slot = 0;
    std::optional<Value> value;  // empty only while the node is spare
  };
  using tree = std::map<key, entry, earlier>;
  using node = typename tree::node_type;
  using position = typename tree::iterator;

  /// A sweep over what was due at one time and armed by then. It survives a poll that its budget or a
  /// throwing sink ended, so that the next poll resumes it, and what is armed meanwhile waits its turn (T2,
  /// T6, T7).
  struct sweep {
    instant due_by;
    std::uint64_t armed_before;
    key after;  // everything up to here is done
  };

  void begin_sweep(std::uint64_t armed_before) noexcept { sweep_ = {now_, armed_before, {}}; }

  /// The next timer of the sweep, or end(). Timers that were armed since are passed over, each once a sweep.
  [[nodiscard]] position next_in_sweep() noexcept {
    position at = by_deadline_.upper_bound(sweep_.after);
    while (at != by_deadline_.end() && at->first.armed >= sweep_.armed_before) {
      sweep_.after = at->first;
      work_.touch();
      ++at;
    }
    const bool due =
        at != by_deadline_.end() && at->first.deadline <= sweep_.due_by && at->first.deadline != never;
    return due ? at : by_deadline_.end();
  }

  [[nodiscard]] bool any_due(instant now) const noexcept {
    return next_wakeup() <= now && next_wakeup() != never;
  }

  /// Makes a spare node, and the room that giving it back will need.
  [[gnu::noinline]] void add_spare();

  handle arm(instant deadline, Value&& value);

  /// Unlinks a timer and gives its value up. Its node and slot are free when this returns.
  Value take(position at) noexcept;

  [[no_unique_address]] work_counter work_;
  [[no_unique_address]] event_counter<store_statistics> events_;
  instant now_;
  bool polling_ = false;
  bool sweeping_ = false;
  sweep sweep_{};
  std::uint64_t armings_ = 1;
  tree by_deadline_;
  std::vector<node> spare_;
  std::size_t nodes_ = 0;  // armed and spare
  slot_map<position> slots_;
};

// ---- Implementation ----

template <class Value>
void ordered_map<Value>::add_spare() {
  // The capacity for every node to be spare is taken first, so that cancel() and poll() can't fail.
  if (spare_.capacity() == nodes_) spare_.reserve(nodes_ < 8 ? 8 : nodes_ * 2);
  tree maker{earlier{&work_}};
  maker.try_emplace(key{});
  spare_.push_back(maker.extract(maker.begin()));
  ++nodes_;
}

template <class Value>
handle ordered_map<Value>::arm(instant deadline, Value&& value) {
  if (spare_.empty()) add_spare();
  const std::uint32_t slot = slots_.insert(position{});
  events_.count(&store_statistics::scheduled);
  node n = std::move(spare_.back());
  spare_.pop_back();
  n.key() = key{deadline, armings_++};
  n.mapped().slot = slot;
  n.mapped().value.emplace(std::move(value));
  slots_.value(slot) = by_deadline_.insert(std::move(n)).position;
  return slots_.name(slot);
}

template <class Value>
handle ordered_map<Value>::schedule(instant deadline, Value&& value) {
  return arm(deadline, std::move(value));
}

template <class Value>
expected<handle> ordered_map<Value>::try_schedule(instant deadline, Value&& value) {
  if (deadline <= now_) return unexpected<errc>{errc::deadline_passed};
  try {
    return arm(deadline, std::move(value));
  } catch (const std::length_error&) {
    return unexpected<errc>{errc::capacity_exceeded};
  }
}

template <class Value>
Value ordered_map<Value>::take(position at) noexcept {
  work_.touch();
  node n = by_deadline_.extract(at);
  static_cast<void>(slots_.erase(n.mapped().slot));
  Value value = *std::move(n.mapped().value);
  n.mapped().value.reset();
  spare_.push_back(std::move(n));
  return value;
}

template <class Value>
std::optional<Value> ordered_map<Value>::cancel(handle h) noexcept {
  const std::uint32_t slot = slots_.find(h);
  if (slot == slots_.none) return std::nullopt;
  events_.count(&store_statistics::cancelled);
  return take(slots_.value(slot));
}

template <class Value>
expected<Value> ordered_map<Value>::try_cancel(handle h) noexcept {
  if (std::optional<Value> value = cancel(h)) return *std::move(value);
  return unexpected<errc>{slots_.knows_slot_of(h) ? errc::not_found : errc::invalid_handle};
}

template <class Value>
bool ordered_map<Value>::reschedule(handle h, instant deadline) noexcept {
  const std::uint32_t slot = slots_.find(h);
  if (slot == slots_.none) return false;
  work_.touch();
  events_.count(&store_statistics::rescheduled);
  node n = by_deadline_.extract(slots_.value(slot));
  n.key() = key{deadline, armings_++};
  slots_.value(slot) = by_deadline_.insert(std::move(n)).position;
  return true;
}

template <class Value>
template <sink_for<Value> Sink>
poll_result ordered_map<Value>::poll(instant now, std::size_t budget, Sink&& sink) {
  PINION_ASSERT(!polling_, "poll() was called from inside a sink: return from the sink first");
  if (budget == 0) return {.more = any_due(now < now_ ? now_ : now)};

  struct polling_mark {
    bool& flag;
    explicit polling_mark(bool& f) noexcept : flag(f) { flag = true; }
    polling_mark(const polling_mark&) = delete;
    polling_mark& operator=(const polling_mark&) = delete;
    ~polling_mark() { flag = false; }
  } const mark{polling_};

  if (now_ < now) now_ = now;
  const std::uint64_t armed_before = armings_;
  bool resumed = std::exchange(sweeping_, true);
  if (!resumed) begin_sweep(armed_before);

  poll_result result;
  for (;;) {
    position at = next_in_sweep();
    if (at == by_deadline_.end() && resumed) {  // the backlog is done: now for what has come due since
      resumed = false;
      begin_sweep(armed_before);
      at = next_in_sweep();
    }
    if (at == by_deadline_.end()) {
      sweeping_ = false;
      return result;
    }
    if (result.fired == budget) {
      result.more = true;
      return result;
    }
    sweep_.after = at->first;
    const handle name = slots_.name(at->second.slot);
    const instant deadline = at->first.deadline;
    Value value = take(at);
    ++result.fired;
    events_.count(&store_statistics::fired);
    sink(name, deadline, std::move(value));
  }
}

template <class Value>
void ordered_map<Value>::clear() {
  // One at a time, each out of the tree before it is destroyed: a value's destructor may come back to this
  // store.
  const std::uint64_t armed_before = armings_;
  position at = by_deadline_.begin();
  while (at != by_deadline_.end()) {
    const key done = at->first;
    if (done.armed < armed_before) {
      events_.count(&store_statistics::cancelled);
      static_cast<void>(take(at));
    }
    at = by_deadline_.upper_bound(done);
  }
}

template <class Value>
void ordered_map<Value>::reserve(std::size_t n) {
  slots_.reserve(n);
  while (nodes_ < n) add_spare();
}

}  // namespace pinion::timer::inline PINION_MODE
