// SPDX-License-Identifier: Apache-2.0
//
// explored_sync: the sync_traits under which sim::explore() runs lock-free code.
//
// Each operation here is a point at which the explorer may let another thread go first, and each load a
// choice among all values that the C++20 memory model allows it. What `plain` wraps is watched for data
// races, and so are words themselves: one that is used before its making, or after its end, has happened
// before the use is a race as well.
//
//   using flag = sim::explored_sync::atomic<bool>;      // in a test; shipped code: typename Sync::template …
//
// Every operation names its order: there are no defaults. Objects must be made, used and destroyed inside an
// exploration, by the threads of one scenario; anywhere else the program ends with a message.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <pinion/base/export.hpp>
#include <pinion/base/sync.hpp>
#include <pinion/base/time.hpp>
#include <type_traits>
#include <utility>

namespace pinion::sim {

namespace explore_detail {

/// A word of one execution.
struct word_handle {
  std::uint32_t number = 0;
  std::uint32_t execution = 0;
};
/// How values of a word are printed.
enum class value_kind : std::uint8_t { unsigned_number, signed_number, pointer };
enum class change : std::uint8_t { exchange, add, subtract, either, both, differ };

/// Who touched a plain object last.
struct plain_record {
  const char* name = nullptr;
  std::uint32_t execution = 0;
  std::uint32_t written = 0;
  std::uint8_t writer = 0;
  std::uint32_t reads[5] = {};  // by each thread
};
/// A flag that is waited for.
struct event_handle {
  std::uint32_t number = 0;
  std::uint32_t execution = 0;
};

PINION_EXPORT word_handle make_word(std::uint64_t value, value_kind kind, std::uint8_t bytes) noexcept;
PINION_EXPORT void end_word(word_handle word) noexcept;
PINION_EXPORT std::uint64_t load(word_handle word, std::memory_order order) noexcept;
PINION_EXPORT void store(word_handle word, std::uint64_t value, std::memory_order order) noexcept;
PINION_EXPORT std::uint64_t read_modify_write(word_handle word, change what, std::uint64_t operand,
                                              std::memory_order order) noexcept;
PINION_EXPORT bool compare_exchange(word_handle word, std::uint64_t& expected, std::uint64_t desired,
                                    bool may_fail, std::memory_order success,
                                    std::memory_order failure) noexcept;
PINION_EXPORT void fence(std::memory_order order) noexcept;
PINION_EXPORT void pause() noexcept;
PINION_EXPORT void yield() noexcept;
PINION_EXPORT void futex_wait(word_handle word, std::uint64_t expected, bool may_end) noexcept;
PINION_EXPORT void futex_wake(word_handle word, std::uint32_t count) noexcept;
PINION_EXPORT void name_word(word_handle word, const char* name) noexcept;

PINION_EXPORT void make_plain(plain_record& plain) noexcept;
PINION_EXPORT void end_plain(plain_record& plain) noexcept;
PINION_EXPORT void read_plain(plain_record& plain) noexcept;
PINION_EXPORT void write_plain(plain_record& plain) noexcept;

PINION_EXPORT event_handle make_event() noexcept;
PINION_EXPORT void post_event(event_handle event) noexcept;
PINION_EXPORT void wait_event(event_handle event) noexcept;
PINION_EXPORT bool try_wait_event(event_handle event) noexcept;
PINION_EXPORT void name_event(event_handle event, const char* name) noexcept;

}  // namespace explore_detail

/// What the explorer gives in the place of std_sync. As there where nothing else is said.
struct explored_sync {
  /// An atomic word with all the values that it ever had.
  template <class T>
  class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

   public:
    /// As std::atomic's.
    using value_type = T;

    /// T's initial value.
    atomic() noexcept : atomic(T{}) {}
    /// Of this value.
    atomic(T value) noexcept  // NOLINT(google-explicit-constructor): as std::atomic's
        : word_(explore_detail::make_word(bits(value), kind(), sizeof(T))) {}
    ~atomic() { explore_detail::end_word(word_); }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    /// As std::atomic's, and so the others.
    [[nodiscard]] T load(std::memory_order order) const noexcept {
      return value(explore_detail::load(word_, order));
    }
    /// As std::atomic's.
    void store(T desired, std::memory_order order) noexcept {
      explore_detail::store(word_, bits(desired), order);
    }
    /// As std::atomic's.
    T exchange(T desired, std::memory_order order) noexcept {
      return changed(explore_detail::change::exchange, desired, order);
    }
    /// May fail without cause, as the machine's may: as often in an execution as limits::spurious_max says.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
      return compared(expected, desired, true, success, failure);
    }
    /// As std::atomic's.
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) noexcept {
      return compared(expected, desired, false, success, failure);
    }
    /// As std::atomic's, for integers.
    T fetch_add(T operand, std::memory_order order) noexcept
      requires std::integral<T>
    {
      return changed(explore_detail::change::add, operand, order);
    }
    /// As std::atomic's, for integers.
    T fetch_sub(T operand, std::memory_order order) noexcept
      requires std::integral<T>
    {
      return changed(explore_detail::change::subtract, operand, order);
    }
    /// As std::atomic's, for integers.
    T fetch_or(T operand, std::memory_order order) noexcept
      requires std::integral<T>
    {
      return changed(explore_detail::change::either, operand, order);
    }
    /// As std::atomic's, for integers.
    T fetch_and(T operand, std::memory_order order) noexcept
      requires std::integral<T>
    {
      return changed(explore_detail::change::both, operand, order);
    }
    /// As std::atomic's, for integers.
    T fetch_xor(T operand, std::memory_order order) noexcept
      requires std::integral<T>
    {
      return changed(explore_detail::change::differ, operand, order);
    }

   private:
    friend explored_sync;

    static constexpr explore_detail::value_kind kind() {
      if constexpr (std::is_pointer_v<T>) return explore_detail::value_kind::pointer;
      return std::is_signed_v<T> ? explore_detail::value_kind::signed_number
                                 : explore_detail::value_kind::unsigned_number;
    }
    static std::uint64_t bits(T value) noexcept {
      std::uint64_t result = 0;
      std::memcpy(&result, &value, sizeof(T));
      return result;
    }
    static T value(std::uint64_t bits) noexcept {
      T result;
      std::memcpy(&result, &bits, sizeof(T));
      return result;
    }
    T changed(explore_detail::change what, T operand, std::memory_order order) noexcept {
      return value(explore_detail::read_modify_write(word_, what, bits(operand), order));
    }
    bool compared(T& expected, T desired, bool may_fail, std::memory_order success,
                  std::memory_order failure) noexcept {
      std::uint64_t found = bits(expected);
      const bool done =
          explore_detail::compare_exchange(word_, found, bits(desired), may_fail, success, failure);
      if (!done) expected = value(found);
      return done;
    }

    explore_detail::word_handle word_;
  };

  /// What is shared and not atomic: two accesses of it, one of them a write, of which neither happened before
  /// the other, are a violation.
  template <class T>
  class plain {
   public:
    /// T's initial value. Making it is a write.
    plain() { explore_detail::make_plain(record_); }
    /// Of this value.
    explicit plain(T value) : value_(std::move(value)) { explore_detail::make_plain(record_); }
    /// Its end is a write.
    ~plain() { explore_detail::end_plain(record_); }
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    /// A read.
    [[nodiscard]] const T& read() const noexcept {
      explore_detail::read_plain(record_);
      return value_;
    }
    /// A write.
    void write(T value) {
      explore_detail::write_plain(record_);
      value_ = std::move(value);
    }
    /// A write, at this moment.
    [[nodiscard]] T& modify() noexcept {
      explore_detail::write_plain(record_);
      return value_;
    }

   private:
    friend explored_sync;

    T value_{};
    mutable explore_detail::plain_record record_;
  };

  /// A thread that waits for one that nobody will post any more is a violation: this is how a lost wake is
  /// found.
  class event {
   public:
    /// Not posted.
    event() noexcept : event_(explore_detail::make_event()) {}
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    /// Sets it, and wakes the waiter.
    void post() noexcept { explore_detail::post_event(event_); }
    /// Waits until it is set, and unsets it.
    void wait() noexcept { explore_detail::wait_event(event_); }
    /// Unsets it and says whether it was set.
    [[nodiscard]] bool try_wait() noexcept { return explore_detail::try_wait_event(event_); }

   private:
    friend explored_sync;

    explore_detail::event_handle event_;
  };

  /// As std::atomic_thread_fence.
  static void fence(std::memory_order order) noexcept { explore_detail::fence(order); }
  /// This thread waits for another: after a few calls it goes on only when something has changed.
  static void pause() noexcept { explore_detail::pause(); }
  /// The same.
  static void yield() noexcept { explore_detail::yield(); }
  /// May return for no reason as often as limits::spurious_max says, and with an end other than `never` when
  /// nobody else can do anything.
  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         instant until = never) noexcept {
    explore_detail::futex_wait(word.word_, expected, until != never);
  }
  /// As std_sync's.
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
    explore_detail::futex_wake(word.word_, count);
  }
  /// How schedules call it; `name` must be a literal.
  template <class T>
  static void name(const atomic<T>& word, const char* name) noexcept {
    explore_detail::name_word(word.word_, name);
  }
  /// How reports of races call it.
  template <class T>
  static void name(const plain<T>& shared, const char* name) noexcept {
    shared.record_.name = name;
  }
  /// How schedules call it.
  static void name(const event& event, const char* name) noexcept {
    explore_detail::name_event(event.event_, name);
  }
};

static_assert(sync_traits<explored_sync>);

}  // namespace pinion::sim
