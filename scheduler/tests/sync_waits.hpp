// SPDX-License-Identifier: Apache-2.0
//
// The waits of all primitives of sync/ in one shape, for the laws that hold for each:
//
//   begin(), begin(slot)   a wait, which is not granted at once
//   keep(result)           what a task does with what it was granted
//   grant()                lets the first that waits go on, or all of them where `ends_all`; where none waits, the next that
//                          begins, if `grants_ahead`
//
// And an executor that has a slot for its tasks, and can forget those that are ready.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/executor.hpp>
#include <pinion/scheduler/sync/channel.hpp>
#include <pinion/scheduler/sync/event.hpp>
#include <pinion/scheduler/sync/gate.hpp>
#include <pinion/scheduler/sync/mutex.hpp>
#include <pinion/scheduler/sync/semaphore.hpp>
#include <system_error>
#include <utility>

namespace pinion::scheduler::testing {

struct event_waits {
  static constexpr const char* name = "event";
  static constexpr bool ends_all = true;
  static constexpr bool grants_ahead = true;
  event of;

  auto begin() { return of.wait(); }
  auto begin(cancel_slot& slot) { return of.wait(slot); }
  static void keep(const expected<void, std::error_code>&) {}
  void grant() { of.set(); }
};

struct mutex_waits {
  static constexpr const char* name = "mutex";
  static constexpr bool ends_all = false;
  static constexpr bool grants_ahead = true;
  mutex of;
  std::optional<mutex::guard> held = of.try_lock();

  auto begin() { return of.lock(); }
  auto begin(cancel_slot& slot) { return of.lock(slot); }
  void keep(expected<mutex::guard, std::error_code>&& result) { held.emplace(std::move(*result)); }
  void grant() { held.reset(); }
};

struct semaphore_waits {
  static constexpr const char* name = "semaphore";
  static constexpr bool ends_all = false;
  static constexpr bool grants_ahead = true;
  semaphore of{1};  // each asks for two

  auto begin() { return of.acquire(2); }
  auto begin(cancel_slot& slot) { return of.acquire(2, slot); }
  static void keep(const expected<void, std::error_code>&) {}
  void grant() { of.release(2); }
};

struct unit_waits {
  static constexpr const char* name = "units";
  static constexpr bool ends_all = false;
  static constexpr bool grants_ahead = true;
  semaphore of{0};
  std::optional<semaphore::units> held;

  auto begin() { return of.hold(); }
  auto begin(cancel_slot& slot) { return of.hold(1, slot); }
  void keep(expected<semaphore::units, std::error_code>&& result) { held.emplace(std::move(*result)); }
  void grant() {
    if (held)
      held.reset();
    else
      of.release();
  }
};

struct gate_waits {
  static constexpr const char* name = "gate";
  static constexpr bool ends_all = true;
  static constexpr bool grants_ahead = true;
  gate of;
  std::optional<gate::holder> inside{std::move(*of.enter())};

  auto begin() { return of.close(); }
  auto begin(cancel_slot& slot) { return of.close(slot); }
  static void keep(const expected<void, std::error_code>&) {}
  void grant() { inside.reset(); }
};

template <std::size_t Room>
struct receiver_waits {
  static constexpr const char* name = Room == 0 ? "receive_without_room" : "receive";
  static constexpr bool ends_all = false;
  static constexpr bool grants_ahead = Room != 0;
  channel<int, Room> of;
  int sent = 0;

  auto begin() { return of.receive(); }
  auto begin(cancel_slot& slot) { return of.receive(slot); }
  static void keep(const expected<int, std::error_code>&) {}
  void grant() { static_cast<void>(of.try_send(int{sent++})); }
};

// Where a sender does not wait, a room of two is full.
struct sender_waits {
  static constexpr const char* name = "send";
  static constexpr bool ends_all = false;
  static constexpr bool grants_ahead = true;
  channel<int, 2> of;
  int one = 1;
  bool is_full = of.try_send(1) && of.try_send(1);

  auto begin() { return of.send(std::move(one)); }
  auto begin(cancel_slot& slot) { return of.send(std::move(one), slot); }
  static void keep(const expected<void, std::error_code>&) {}
  void grant() { static_cast<void>(of.try_receive()); }
};

/// Runs tasks under one slot.
class slotted_executor {
 public:
  /// As executor says.
  [[nodiscard]] runnable& running() noexcept { return *running_; }
  void ready(runnable& task) noexcept { list_.push(task); }
  /// What a task waits under that names no slot.
  [[nodiscard]] cancel_slot& slot() noexcept { return slot_; }

  void run() {
    while (runnable* const task = list_.pop()) {
      running_ = task;
      task->where.resume();
    }
  }
  /// None is ready any more.
  void forget() noexcept {
    while (list_.pop() != nullptr) {
    }
  }

 private:
  ready_list list_;
  runnable* running_ = nullptr;
  cancel_slot slot_;
};

/// Ready at once, in the executor that is its first argument; destroyed with this object. Lets no exception
/// out.
class [[nodiscard]] slotted_task {
 public:
  class promise_type : public runnable {
   public:
    explicit promise_type(slotted_executor& by, auto&&...) noexcept : by_(by) {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      by.ready(*this);
    }
    /// Of a lambda.
    promise_type(const auto& /*closure*/, slotted_executor& by, auto&&...) noexcept : promise_type(by) {}
    slotted_task get_return_object() noexcept {
      return slotted_task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    [[nodiscard]] slotted_executor& executor() const noexcept { return by_; }

   private:
    slotted_executor& by_;
  };

  slotted_task(slotted_task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  ~slotted_task() {
    if (frame_) frame_.destroy();
  }
  [[nodiscard]] bool is_done() const noexcept { return frame_.done(); }

 private:
  explicit slotted_task(std::coroutine_handle<> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<> frame_;
};

}  // namespace pinion::scheduler::testing
