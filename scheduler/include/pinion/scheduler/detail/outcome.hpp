// SPDX-License-Identifier: Apache-2.0
//
// outcome: the part of a task's promise that holds what the coroutine ends with, a value or an exception. One
// excludes the other, so they share their room.
#pragma once

#include <pinion/config.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace pinion::scheduler::inline PINION_MODE::task_detail {

/// What a coroutine ends with: nothing yet, a Value, or what it threw.
template <class Value>
class outcome_of {
 public:
  outcome_of() noexcept {}
  outcome_of(const outcome_of&) = delete;
  outcome_of& operator=(const outcome_of&) = delete;
  ~outcome_of() {
    if (is_ == holds::value) std::destroy_at(std::addressof(given));
    if (is_ == holds::thrown) std::destroy_at(std::addressof(error));
  }
  void unhandled_exception() noexcept {
    // Behind a co_return the destructor of a local may throw.
    if (is_ == holds::value) std::destroy_at(std::addressof(given));
    std::construct_at(std::addressof(error), std::current_exception());
    is_ = holds::thrown;
  }
  /// What it threw, or nullptr.
  [[nodiscard]] const std::exception_ptr* thrown() const noexcept {
    return is_ == holds::thrown ? std::addressof(error) : nullptr;
  }

 protected:
  template <class... Arguments>
  void give(Arguments&&... arguments) {
    ::new (static_cast<void*>(std::addressof(given))) Value(std::forward<Arguments>(arguments)...);
    is_ = holds::value;
  }
  /// Of one that is over: the value, or throws.
  Value& taken() {
    if (is_ == holds::thrown) [[unlikely]]
      std::rethrow_exception(error);
    return given;
  }

 private:
  enum class holds : std::uint8_t { nothing, value, thrown };
  union {
    Value given;
    std::exception_ptr error;
  };
  holds is_ = holds::nothing;
};

template <class T>
class outcome : public outcome_of<T> {
  static_assert(!std::is_reference_v<T>, "a task gives a value: let it give a pointer");

 public:
  template <class U = T>
    requires std::constructible_from<T, U&&>
  void return_value(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    this->give(std::forward<U>(value));
  }
  T result() { return std::move(this->taken()); }
};
struct nothing_given {};
template <>
class outcome<void> : public outcome_of<nothing_given> {
 public:
  void return_void() noexcept { give(); }
  void result() { taken(); }
};

}  // namespace pinion::scheduler::inline PINION_MODE::task_detail
