// SPDX-License-Identifier: Apache-2.0
//
// bitmap_wheel: five levels of 64 slots over milliseconds, one word of occupancy each, of entries in the
// caller's storage.
//
// An entry is on the stack, in a member, or on the heap; one given by unique_ptr is the wheel's, which frees
// it when it has fired, was cancelled or was cleared. An entry carries a waker: a function, its context, and
// a word for the user. The level is chosen by exclusive-or and a count of leading zeros, the next expiry by
// one look at the words. Beyond 12.4 days there is one overflow slot, emptied into the levels each time they
// have gone round. Every entry is late by at most a millisecond.
//
//   bitmap_wheel timers{monotonic_clock::now()};
//   task job;
//   bitmap_wheel::entry wake{[](bitmap_wheel::entry& e) { static_cast<task*>(e.context)->run(); }, &job};
//   timers.schedule(wake, now + ceil(30s));   // never allocates, never fails
//   timers.poll(now);                         // calls the wakers of what is due
//
// An entry's destructor cancels it.
//
// Memory: a wheel holds 15 KiB, 384 slots of 40 bytes, from its constructor on; sizeof is 512 bytes at most.
// An entry is 64 bytes, a cache line, in the caller's storage.
//
// One owner at a time, for the wheel and every entry armed in it: no member of either may be called by
// another thread meanwhile, not even a const one, and an entry may not die on another thread while it is
// armed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/timer/wheel/hook_wheel.hpp>
#include <pinion/timer/wheel/nested_levels.hpp>
#include <string>
#include <utility>

namespace pinion::timer::inline PINION_MODE {

class bitmap_wheel {
 public:
  /// The levels: 64 slots of 1 ms, 64 ms, 4.1 s, 4.4 min and 4.7 h.
  using levels_type = nested_levels<1'000'000, 6, 6, 6, 6, 6>;

  /// One timer: what to call, with what, and its place in the wheel.
  class entry : public timer_hook {
   public:
    /// Called when the entry is due, with the entry, which is disarmed by then and may be armed again or
    /// destroyed.
    using waker_function = void (*)(entry&);

    /// Disarmed; `function` is called with the entry when it is due.
    entry() noexcept = default;
    explicit entry(waker_function function, void* its_context = nullptr, std::uint64_t word = 0) noexcept
        : waker(function), context(its_context), user(word) {}

   private:
    friend class bitmap_wheel;
    bool is_the_wheels_ = false;  // first, where the hook has a few bytes left
    bool is_firing_ = false;

   public:
    waker_function waker = nullptr;  ///< nullptr: nothing is called
    void* context = nullptr;
    std::uint64_t user = 0;
  };
  /// For intrusive_timer_store.
  using hook_type = entry;

  /// What the store declares of itself.
  static constexpr store_traits traits = [] {
    store_traits t = hook_wheel<entry, levels_type>::traits;
    t.range = duration{std::uint64_t{1'000'000} << 30};
    return t;
  }();

  /// A store whose latest now is `start`. May throw std::bad_alloc, for the slots.
  explicit bitmap_wheel(instant start) : wheel_(start) {}

  bitmap_wheel(const bitmap_wheel&) = delete;
  bitmap_wheel& operator=(const bitmap_wheel&) = delete;

  /// Disarms every entry and frees those it was given.
  ~bitmap_wheel() { clear(); }

  /// Arms `e`, or moves it if it is armed here. It stays the caller's. An entry that is armed in another
  /// wheel is a violation, here and in cancel() and reschedule(): see hook_wheel::schedule().
  void schedule(entry& e, instant deadline) noexcept { wheel_.schedule(e, deadline); }

  /// Arms an entry of the wheel's own, which frees it when it has fired, was cancelled or was cleared. The
  /// reference is good until then.
  entry& schedule(std::unique_ptr<entry> e, instant deadline) noexcept {
    entry& given = *e.release();
    given.is_the_wheels_ = true;
    wheel_.schedule(given, deadline);
    return given;
  }

  /// Disarms `e`, and frees it if it was given. False if it was not armed here.
  bool cancel(entry& e) noexcept {
    const bool was_armed = wheel_.cancel(e);
    if (was_armed) free_if_given(e);
    return was_armed;
  }

  /// Moves an armed entry; one store when its new deadline is later and not yet due. False if it is not armed
  /// here.
  bool reschedule(entry& e, instant deadline) noexcept { return wheel_.reschedule(e, deadline); }

  /// Moves the clock to `now` and hands what is due to `sink`, as hook_wheel does. An entry of the wheel's
  /// own is freed when the sink returns or throws, unless it was armed again.
  template <class Sink>
    requires std::invocable<Sink&, entry&>
  poll_result poll(instant now, std::size_t budget, Sink&& sink) {
    return wheel_.poll(now, budget, [&](entry& e) {
      if (!e.is_the_wheels_) {
        sink(e);
        return;
      }
      struct freeing {  // not before the sink is done with it, whatever it did
        entry& e;
        explicit freeing(entry& fired) noexcept : e(fired) { e.is_firing_ = true; }
        freeing(const freeing&) = delete;
        freeing& operator=(const freeing&) = delete;
        ~freeing() {
          e.is_firing_ = false;
          if (!e.is_armed()) free_if_given(e);
        }
      } const after{e};
      sink(e);
    });
  }

  /// As poll() with a sink, and calls each due entry's waker.
  poll_result poll(instant now, std::size_t budget = unlimited) {
    return poll(now, budget, [](entry& e) {
      if (e.waker != nullptr) e.waker(e);
    });
  }

  /// When the next slot with an entry is to be served; `never` when nothing will fire.
  [[nodiscard]] instant next_wakeup() const noexcept { return wheel_.next_wakeup(); }

  /// A millisecond.
  [[nodiscard]] duration lateness_bound(duration ahead) const noexcept {
    return wheel_.lateness_bound(ahead);
  }

  /// The latest time that poll() was told.
  [[nodiscard]] instant now() const noexcept { return wheel_.now(); }

  /// How many entries are armed, those at `never` among them.
  [[nodiscard]] std::size_t size() const noexcept { return wheel_.size(); }

  /// Bytes held for slots. Entries are the callers', or were given.
  [[nodiscard]] static constexpr std::size_t memory() noexcept {
    return levels_type::bucket_count() * sizeof(hook_list);
  }

  /// Disarms every entry and frees those it was given.
  void clear() noexcept {
    while (entry* e = wheel_.first()) {
      wheel_.cancel(*e);
      free_if_given(*e);
    }
  }

  /// What does not hold of slots, occupancy and counts; empty when all does. Looks at all; also from inside a
  /// sink.
  [[nodiscard]] std::string violated_invariant() const { return wheel_.violated_invariant(); }

#if PINION_CHECKED
  /// Entries and slots visited since the store was made.
  [[nodiscard]] std::uint64_t work() const noexcept { return wheel_.work(); }
#endif
#if PINION_COUNTED
  /// What it has done since it was made.
  [[nodiscard]] const store_statistics& statistics() const noexcept { return wheel_.statistics(); }
#endif

 private:
  static void free_if_given(entry& e) noexcept {
    if (e.is_the_wheels_ && !e.is_firing_) free_given(e);
  }
  // Out of line: inlined beside an entry that is a member of something, GCC 12 warns of a delete that is
  // never reached.
  [[gnu::noinline]] static void free_given(entry& e) noexcept { delete &e; }

  hook_wheel<entry, levels_type> wheel_;
};

}  // namespace pinion::timer::inline PINION_MODE
