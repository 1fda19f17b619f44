// SPDX-License-Identifier: Apache-2.0
//
// sync_traits: all that lock-free code may ask of the machine, as a template parameter; std_sync is the
// machine.
//
// Code that several threads share names no std::atomic. It takes a `Sync`, and from `Sync` its atomics,
// fences, waits, and a wrapper for what is shared and not atomic. Shipped, `Sync` is std_sync: std::atomic
// and the system calls, at no cost. Under test it is sim::explored_sync, and the same lines run under every
// interleaving with a bounded number of preemptions, with every stale value that the orders allow.
//
//   template <sync_traits Sync = std_sync>
//   class mailbox {
//    public:
//     mailbox() { Sync::name(full_, "full"); }            // for the printed schedules; nothing in std_sync
//     void put(int letter) { letter_.write(letter); full_.store(1, std::memory_order_release); }
//     int take() { while (full_.load(std::memory_order_acquire) == 0) Sync::pause(); return letter_.read(); }
//    private:
//     typename Sync::template atomic<std::uint32_t> full_{0};
//     typename Sync::template plain<int> letter_{0};      // a data race on it is found
//   };
//
// Rules for such code. Each operation names its order. What is shared and not atomic is a `plain`. A loop
// that waits for another thread calls pause() or yield() each time round, and nothing else that waits is used
// than what stands here.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <type_traits>
#include <utility>

namespace pinion {

/// What lock-free code takes its words, fences and waits from. `atomic<T>` is for trivially copyable T of up
/// to 8 bytes, the fetch_ operations for integers; all have the meaning that std::atomic gives them.
template <class S>
concept sync_traits =
    requires(typename S::template atomic<std::uint32_t>& word,
             const typename S::template atomic<std::uint32_t>& seen, typename S::template plain<int>& shared,
             const typename S::template plain<int>& shown, typename S::event& event, std::uint32_t value,
             std::memory_order order, instant until) {
      { seen.load(order) } -> std::same_as<std::uint32_t>;
      word.store(value, order);
      { word.exchange(value, order) } -> std::same_as<std::uint32_t>;
      { word.compare_exchange_weak(value, value, order, order) } -> std::same_as<bool>;
      { word.compare_exchange_strong(value, value, order, order) } -> std::same_as<bool>;
      { word.fetch_add(value, order) } -> std::same_as<std::uint32_t>;
      { word.fetch_sub(value, order) } -> std::same_as<std::uint32_t>;
      { word.fetch_or(value, order) } -> std::same_as<std::uint32_t>;
      { word.fetch_and(value, order) } -> std::same_as<std::uint32_t>;
      { word.fetch_xor(value, order) } -> std::same_as<std::uint32_t>;
      { shown.read() } -> std::same_as<const int&>;
      { shared.modify() } -> std::same_as<int&>;
      shared.write(0);
      event.post();
      event.wait();
      { event.try_wait() } -> std::same_as<bool>;
      S::fence(order);
      S::pause();
      S::yield();
      S::futex_wait(seen, value, until);
      S::futex_wake(seen, value);
      S::name(seen, "");
    };

/// The machine itself.
struct PINION_EXPORT std_sync {
  /// std::atomic, the same type.
  template <class T>
  using atomic = std::atomic<T>;

  /// What is shared and not atomic: other operations keep two threads from touching it at once. No more than
  /// its T.
  template <class T>
  class plain {
   public:
    /// T's initial value.
    constexpr plain() = default;
    /// Of this value.
    constexpr explicit plain(T value) noexcept(std::is_nothrow_move_constructible_v<T>)
        : value_(std::move(value)) {}

    /// A read. The reference is good until the next write by any thread.
    [[nodiscard]] constexpr const T& read() const noexcept { return value_; }
    /// A write.
    constexpr void write(T value) noexcept(std::is_nothrow_move_assignable_v<T>) {
      value_ = std::move(value);
    }
    /// A write of what is done with the reference; to be used up before this thread's next operation on
    /// anything shared.
    [[nodiscard]] constexpr T& modify() noexcept { return value_; }

   private:
    T value_{};
  };

  /// A flag that one thread waits for and any may set: post() before wait() is not lost, many before it are
  /// one. What a thread did before post() has happened before what the waiter does after the wait that takes
  /// the flag.
  class event {
   public:
    /// Not posted.
    event() = default;
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    /// Sets it, and wakes the waiter if there is one. Any thread.
    void post() noexcept;
    /// Waits until it is set, and unsets it. One thread at a time.
    void wait() noexcept;
    /// Unsets it and says whether it was set. The thread that waits.
    [[nodiscard]] bool try_wait() noexcept;

   private:
    // Memory ordering: post's exchange releases, the compare_exchange that takes `set` acquires; every state
    // is changed by a read-modify-write, so of a post and a wait that meet the later sees the earlier.
    enum : std::uint32_t { unset, set, waited_for };
    std::atomic<std::uint32_t> state_{unset};
  };

  /// std::atomic_thread_fence. ThreadSanitizer does not understand fences and reports races that are none.
  static void fence(std::memory_order order) noexcept { std::atomic_thread_fence(order); }

  /// Tells the core that this is a loop which waits; a few to some hundred cycles.
  static void pause() noexcept;

  /// Lets the operating system run another thread here.
  static void yield() noexcept;

  /// Sleeps while `word` is `expected`, at most until `until` on the monotonic clock, and until a
  /// futex_wake() on the word. May return for no reason: look again. If the word is different as seen by the
  /// kernel, futex_wait() returns at once; a futex_wake() that follows a store to the word is therefore never
  /// missed. Where there are no futexes it only yields.
  static void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                         instant until = never) noexcept;

  /// Wakes up to `count` threads that sleep in futex_wait() on `word`.
  static void futex_wake(const std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept;

  /// Nothing. The explorer prints the name of a word; `name` must be a literal.
  template <class Word>
  static constexpr void name(const Word& /*word*/, const char* /*name*/) noexcept {}
};

// ---- Implementation ----

inline void std_sync::pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline bool std_sync::event::try_wait() noexcept {
  std::uint32_t expected = set;
  return state_.compare_exchange_strong(expected, unset, std::memory_order_acquire,
                                        std::memory_order_relaxed);
}

inline void std_sync::event::post() noexcept {
  if (state_.exchange(set, std::memory_order_release) == waited_for) futex_wake(state_, 1);
}

static_assert(sync_traits<std_sync>);

}  // namespace pinion
