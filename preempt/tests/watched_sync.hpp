// SPDX-License-Identifier: Apache-2.0
//
// watched_sync: std_sync for one thread, in which a test may step in between what was looked at and the
// compare-and-exchange on it.
//
//   watched_sync::before_exchange = [&] { word.begin(); };      // once, in the middle of the next end()
//
// So code for two threads is run by one, at the moment that matters.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <pinion/base/sync.hpp>
#include <utility>

namespace pinion::preempt::testing {

struct watched_sync {
  static inline std::function<void()> before_exchange;

  template <class T>
  class atomic : public std::atomic<T> {
   public:
    using std::atomic<T>::atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) noexcept {
      if (const auto step_in = std::exchange(before_exchange, nullptr)) step_in();
      return std::atomic<T>::compare_exchange_strong(expected, desired, success, failure);
    }
  };

  template <class T>
  using plain = std_sync::plain<T>;
  using event = std_sync::event;

  static void fence(std::memory_order order) noexcept { std_sync::fence(order); }
  static void pause() noexcept { std_sync::pause(); }
  static void yield() noexcept { std_sync::yield(); }
  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         instant until = never) noexcept {
    std_sync::futex_wait(word, expected, until);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
    std_sync::futex_wake(word, count);
  }
  template <class Word>
  static constexpr void name(const Word& word, const char* name) noexcept {
    std_sync::name(word, name);
  }
};

static_assert(sync_traits<watched_sync>);

}  // namespace pinion::preempt::testing
