// SPDX-License-Identifier: Apache-2.0
//
// rig: a composition under watch. Whoever goes on is held against C1, and each round is counted.
//
//   notes seen;                                // what the coroutines write, before the rig
//   rig r{factory};
//   r.begin(sleeps(r, seen));                  // a task that awaits r.sleep(…)
//   if (!r.rounds_until_done()) return broken(factory, "a sleep does not end");
//   return r.breach();
//
// Slots and events are the rig's. At its end it requests all of them, and what still waits goes on: also
// where a law has found something, and returned in the middle. A composition that can't be ended so, as those
// of some mutants, stays where it is.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "composition.hpp"
#include "laws.hpp"

namespace pinion::scheduler::testing {

/// So much may a loop's round itself take in virtual time, apart from what its tasks do: enters, waking up.
[[nodiscard]] duration slack_of(const composition_factory& factory) noexcept;

class rig;

/// A wait, to be awaited once, by a coroutine of either kind.
class watched_wait {
 public:
  watched_wait(rig& by, std::unique_ptr<any_wait> what) noexcept : by_(by), what_(std::move(what)) {}

  [[nodiscard]] bool await_ready() const { return what_->is_over(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at);
  outcome await_resume();

 private:
  enum class kind : std::uint8_t { was_over, task, free };

  rig& by_;
  std::unique_ptr<any_wait> what_;
  kind kind_ = kind::was_over;
};

class rig {
 public:
  explicit rig(const composition_factory& factory, const turn_options& options = {});
  /// Another owner in the same world.
  rig(const composition_factory& factory, world& in, const turn_options& options = {});
  rig(const rig&) = delete;
  rig& operator=(const rig&) = delete;
  ~rig();

  [[nodiscard]] const composition_factory& factory() const noexcept { return factory_; }
  [[nodiscard]] world& in() noexcept { return *in_; }
  [[nodiscard]] instant now() const noexcept { return in_->now(); }
  [[nodiscard]] composition& parts() noexcept { return *owner_->parts; }
  [[nodiscard]] any_timers& timers() noexcept { return *parts().timers; }
  [[nodiscard]] any_channel& channel() noexcept { return *parts().channel; }
  [[nodiscard]] any_io& io() noexcept { return *parts().io; }
  [[nodiscard]] any_slices& slices() noexcept { return *parts().slices; }
  [[nodiscard]] loop_executor& tasks() noexcept { return *parts().tasks; }
  [[nodiscard]] const kernel_ring& kernel() noexcept { return io().ring().kernel(); }

  // Waits, under that slot; without any, where it is null.
  [[nodiscard]] watched_wait sleep(instant deadline, cancel_slot* slot);
  [[nodiscard]] watched_wait ask(const ring_entry& what, cancel_slot* slot);
  [[nodiscard]] watched_wait ask_urgent(const ring_entry& what, cancel_slot* slot);
  [[nodiscard]] watched_wait io_sleep(duration length, cancel_slot* slot);
  [[nodiscard]] watched_wait wait(any_event& event, cancel_slot* slot);
  [[nodiscard]] watched_wait yield();
  [[nodiscard]] watched_wait yield_if_needed();
  /// A slot; an event of this owner's.
  [[nodiscard]] cancel_slot& slot() { return owner_->slots.emplace_back(); }
  [[nodiscard]] any_event& event() { return owner_->events.emplace_back(channel()); }
  /// The slot of what waits under no other.
  [[nodiscard]] cancel_slot& usual() noexcept { return owner_->slots.front(); }

  // What somebody on the owner's thread does; nobody may go on inside of it.
  void request(cancel_slot& slot);
  void push(any_event& event);
  void push_by_port(any_event& event, any_io& port);

  /// A task is ready; a free one has begun already.
  void begin(task what);
  void begin(free_task what) { owner_->free.push_back(std::move(what)); }
  /// Whether all that was begun is at its end.
  [[nodiscard]] bool is_done() const noexcept;

  /// One round of the turn.
  void round();
  /// The I/O's stop(), between two rounds.
  void stop_io();
  /// The turn's end, as it is there.
  void end(cancel_slot& all, const std::function<bool()>& is_over);
  /// Rounds until that holds; false if it does not after so many.
  template <class Condition>
  bool rounds_until(Condition holds, int most = 2'000) {
    for (; most > 0 && !holds(); --most) round();
    return holds();
  }
  bool rounds_until_done(int most = 2'000) {
    return rounds_until([this] { return is_done(); }, most);
  }
  /// Until it waits, and nothing but time or another thread ends that.
  bool rounds_until_idle(int most = 2'000);

  /// Waits so far that nobody would ever have ended: they come back all the same.
  [[nodiscard]] std::uint64_t stuck() const noexcept;
  /// Whether one of them slept on a wake: what is in the inbox would have stayed there.
  [[nodiscard]] bool has_slept_on_a_wake() const noexcept { return has_slept_on_a_wake_; }
  /// What broke of C1 so far.
  [[nodiscard]] const violation& breach() const noexcept { return breach_; }
  /// For watched_wait.
  void went_on(bool is_task);

 private:
  struct owner {
    std::unique_ptr<world> own_world;
    std::deque<cancel_slot> slots;
    std::unique_ptr<composition> parts;
    std::deque<any_event> events;
    std::deque<task> tasks;
    std::deque<free_task> free;
  };

  [[nodiscard]] bool winds_up();

  composition_factory factory_;
  std::unique_ptr<owner> owner_;
  world* in_;
  bool is_in_round_ = false;
  bool has_slept_on_a_wake_ = false;
  violation breach_;
};

// ---- Implementation ----

template <class Promise>
void watched_wait::await_suspend(std::coroutine_handle<Promise> at) {
  constexpr bool is_task = std::is_same_v<Promise, task::promise_type>;
  kind_ = is_task ? kind::task : kind::free;
  const world::call asks{by_.in()};
  what_->suspend(at);
}

}  // namespace pinion::scheduler::testing
