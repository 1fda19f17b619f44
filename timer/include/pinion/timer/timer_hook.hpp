// SPDX-License-Identifier: Apache-2.0
//
// timer_hook: what an object of the caller's has for a base to be a timer of a hook_wheel, and the lists that
// hooks are in.
//
//   struct connection : timer_hook { bool is_open = true; };
#pragma once

#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/config.hpp>

namespace pinion::timer::inline PINION_MODE {

class timer_hook;

/// What a hook knows of the wheel it is armed in: how to get out of it. A function pointer, so that arming
/// and firing make no virtual call, and a destructor makes one call through it.
class hook_owner {
 public:
  hook_owner(const hook_owner&) = delete;
  hook_owner& operator=(const hook_owner&) = delete;

 protected:
  using forgetting = void (*)(hook_owner&, timer_hook&) noexcept;
  explicit hook_owner(forgetting forget) noexcept : forget_(forget) {}
  ~hook_owner() = default;

 private:
  friend class timer_hook;
  forgetting forget_;
};

/// Base of whatever is to be a timer. Not copied and not moved with what it is part of: a list points at it.
class timer_hook {
 public:
  timer_hook() noexcept = default;
  timer_hook(const timer_hook&) = delete;
  timer_hook& operator=(const timer_hook&) = delete;
  /// Cancels.
  ~timer_hook() { disarm(); }

  /// Whether some wheel has it.
  [[nodiscard]] bool is_armed() const noexcept { return owner_ != nullptr; }
  /// What it was last armed for.
  [[nodiscard]] instant deadline() const noexcept { return deadline_; }

 private:
  template <class, class>
  friend class hook_wheel;
  friend class hook_list;
  friend class hook_census;

  /// Takes it out of the wheel it is armed in, if any.
  void disarm() noexcept {
    if (owner_ != nullptr) owner_->forget_(*owner_, *this);
  }

  timer_hook* next_ = nullptr;
  timer_hook* previous_ = nullptr;
  hook_owner* owner_ = nullptr;
  instant deadline_{0};
  std::uint16_t bucket_ = 0;
};

/// A list of hooks, linked both ways, with itself for both ends.
class hook_list {
 public:
  /// An empty list.
  hook_list() noexcept { close(); }
  hook_list(const hook_list&) = delete;
  hook_list& operator=(const hook_list&) = delete;

  /// Whether it holds no hook.
  [[nodiscard]] bool empty() const noexcept { return ends_.next_ == &ends_; }
  /// The first hook of a list that holds one.
  [[nodiscard]] timer_hook& front() noexcept { return *ends_.next_; }

  /// Puts a hook that is in no list last.
  void append(timer_hook& hook) noexcept {
    hook.previous_ = ends_.previous_;
    hook.next_ = &ends_;
    ends_.previous_->next_ = &hook;
    ends_.previous_ = &hook;
  }
  /// Takes a hook out of the list it is in.
  static void unlink(timer_hook& hook) noexcept {
    hook.previous_->next_ = hook.next_;
    hook.next_->previous_ = hook.previous_;
  }
  /// Appends all of `other`, which is empty then.
  void take(hook_list& other) noexcept {
    if (other.empty()) return;
    ends_.previous_->next_ = other.ends_.next_;
    other.ends_.next_->previous_ = ends_.previous_;
    other.ends_.previous_->next_ = &ends_;
    ends_.previous_ = other.ends_.previous_;
    other.close();
  }

 private:
  friend class hook_census;
  void close() noexcept { ends_.next_ = ends_.previous_ = &ends_; }
  timer_hook ends_;
};

}  // namespace pinion::timer::inline PINION_MODE
