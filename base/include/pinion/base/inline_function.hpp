// SPDX-License-Identifier: Apache-2.0
//
// inline_function: a callable that is kept inside the object itself. A queue of callbacks is made of it.
//
// It owns its function, moves it without throwing, can't be copied, and never allocates. A function that does
// not fit does not compile, and the error names the line. boxed() puts a function on the heap, and says so
// where it happens.
//
//   using callback = inline_function<void()>;                        // 32 bytes, 24 of them the function's
//   std::vector<callback> due;
//   due.emplace_back([&sum, k] { sum += k; });                          // two words
//   due.emplace_back(boxed([&sum, values] { sum += values.back(); }));  // one word, and the heap
//   for (callback& call : due) call();
//
// A trivially copyable function is moved by copying its bytes, without a call.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <pinion/base/assert.hpp>
#include <type_traits>
#include <utility>

namespace pinion::inline PINION_MODE {

/// Whether an inline_function of `Capacity` bytes has room for it: no larger, aligned no more strictly than a
/// pointer, and moved without throwing.
template <class Function, std::size_t Capacity>
concept fits_inline = sizeof(Function) <= Capacity && alignof(Function) <= alignof(void*) &&
                      std::is_nothrow_move_constructible_v<Function> && std::is_object_v<Function>;

/// A callable of one signature and at most `Capacity` bytes. Write the signature as
/// inline_function<Result(Arguments...)>.
template <class Signature, std::size_t Capacity = 3 * sizeof(void*)>
class inline_function;

template <class Result, class... Arguments, std::size_t Capacity>
class inline_function<Result(Arguments...), Capacity> {
 public:
  /// Empty: nothing to call.
  inline_function() noexcept = default;

  /// Holds `function`, moved or copied. The compiler refuses a function that does not fit; see boxed().
  template <class Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, inline_function> &&
             fits_inline<std::decay_t<Function>, Capacity> &&
             std::is_invocable_r_v<Result, std::decay_t<Function>&, Arguments...> &&
             std::constructible_from<std::decay_t<Function>, Function>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda can be given where a callback is taken
  inline_function(Function&& function) noexcept(
      std::is_nothrow_constructible_v<std::decay_t<Function>, Function>)
      : actions_(&actions_of<std::decay_t<Function>>) {
    ::new (static_cast<void*>(bytes_.data())) std::decay_t<Function>(std::forward<Function>(function));
  }

  /// Takes the function of `other`, which is empty then.
  inline_function(inline_function&& other) noexcept { take(other); }
  /// Takes the function of `other`, which is empty then, after destroying its own.
  inline_function& operator=(inline_function&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  inline_function(const inline_function&) = delete;
  inline_function& operator=(const inline_function&) = delete;
  /// Destroys its function.
  ~inline_function() { reset(); }

  /// Whether there is something to call.
  [[nodiscard]] explicit operator bool() const noexcept { return actions_ != nullptr; }

  /// Calls it. Calling an empty one is a violation.
  Result operator()(Arguments... arguments) {
    PINION_ASSERT(actions_ != nullptr,
                  "an empty inline_function was called: it was moved from, or never set");
    return actions_->call(bytes_.data(), std::forward<Arguments>(arguments)...);
  }

 private:
  /// What to do with the bytes; nullptr where that is "copy them" or "nothing".
  struct actions {
    Result (*call)(std::byte*, Arguments&&...);
    void (*relocate)(std::byte* from, std::byte* to) noexcept;
    void (*destroy)(std::byte*) noexcept;
  };

  template <class Function>
  static Function& in(std::byte* bytes) noexcept {
    return *std::launder(reinterpret_cast<Function*>(bytes));
  }
  template <class Function>
  static constexpr bool is_bytes =
      std::is_trivially_copyable_v<Function> && std::is_trivially_destructible_v<Function>;

  template <class Function>
  static constexpr actions actions_of{
      [](std::byte* bytes, Arguments&&... arguments) -> Result {
        if constexpr (std::is_void_v<Result>) {
          std::invoke(in<Function>(bytes), std::forward<Arguments>(arguments)...);
        } else {
          return std::invoke(in<Function>(bytes), std::forward<Arguments>(arguments)...);
        }
      },
      is_bytes<Function> ? nullptr : +[](std::byte* from, std::byte* to) noexcept {
        ::new (static_cast<void*>(to)) Function(std::move(in<Function>(from)));
        in<Function>(from).~Function();
      },
      is_bytes<Function> ? nullptr : +[](std::byte* bytes) noexcept { in<Function>(bytes).~Function(); }};

  void take(inline_function& other) noexcept {
    actions_ = std::exchange(other.actions_, nullptr);
    if (actions_ != nullptr && actions_->relocate != nullptr) {
      actions_->relocate(other.bytes_.data(), bytes_.data());
    } else {
      bytes_ = other.bytes_;
    }
  }
  void reset() noexcept {
    const actions* held = std::exchange(actions_, nullptr);
    if (held != nullptr && held->destroy != nullptr) held->destroy(bytes_.data());
  }

  const actions* actions_ = nullptr;
  alignas(void*) std::array<std::byte, Capacity> bytes_{};
};

/// A callable of one word whose function is on the heap; boxed() makes it.
template <class Function>
class boxed_function {
 public:
  /// Moves `function` to the heap. May throw std::bad_alloc.
  explicit boxed_function(Function&& function) : function_(std::make_unique<Function>(std::move(function))) {}

  /// Calls it.
  template <class... Arguments>
    requires std::invocable<Function&, Arguments...>
  decltype(auto) operator()(Arguments&&... arguments) {
    return std::invoke(*function_, std::forward<Arguments>(arguments)...);
  }

 private:
  std::unique_ptr<Function> function_;
};

/// Puts a callable on the heap, so that it fits any inline_function. May throw std::bad_alloc.
template <class Function>
[[nodiscard]] boxed_function<std::decay_t<Function>> boxed(Function&& function) {
  return boxed_function<std::decay_t<Function>>{std::decay_t<Function>(std::forward<Function>(function))};
}

}  // namespace pinion::inline PINION_MODE
