// SPDX-License-Identifier: Apache-2.0
//
// from_asio: an operation of Asio's, awaited by a task. One thread runs the io_context, another one the
// task's executor. No part of pinion: a header to copy.
//
//   const auto slept = co_await from_asio<void>(
//       context, [&](auto done) { timer.async_wait(std::move(done)); });
//
//   const auto answer = co_await from_asio<std::string>(
//       context, [&](auto done) { asio::co_spawn(context, asks(server), std::move(done)); });
//
// The context's thread calls the function, which starts the operation with the handler that it is given. It
// may refer to what the awaiting task keeps, which stands still until the wait is over. It throws nothing.
// The task gets expected<T, std::error_code>: the handler's value, or its error_code. An awaitable's
// exception is thrown in the task; of a boost::system::system_error the code is the error.
//
// Cancelling. To cancel the task, also by with_timeout and by the end of its executor, emits Asio's signal
// on the context's thread. The handler is waited for all the same, so nothing of the task's is used any more
// when it goes on.
//
// Ending. End the executor before the context, whose thread runs meanwhile. A context that is destroyed
// before, on the executor's thread, destroys the handler uncalled: the wait ends with operation_canceled.
//
// Memory ordering. What stands in the task's frame has one thread at a time: post() hands it to the context's
// thread, the push of the wake (law W1) back. is_over only saves a message, so relaxed is enough: a cancel
// that comes too late finds it set on the context's thread, which set it.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <pinion/base/cancel_slot.hpp>
#include <pinion/base/resumption.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/waker/wake_event.hpp>
#include <system_error>
#include <utility>
#include <variant>

/// What a task keeps in its frame while an io_context works for it.
template <class T, class Start>
class [[nodiscard]] asked_of_asio : pinion::cancel_slot::wait, pinion::waker::wake_call {
  using result = pinion::expected<T, std::error_code>;

  struct operation {
    boost::asio::cancellation_signal signal;  // the context's thread's
    std::atomic<bool> is_over = false;
  };

  // The completion handler. Destroyed uncalled it tells that, too.
  class answer {
   public:
    using executor_type = boost::asio::io_context::executor_type;
    using cancellation_slot_type = boost::asio::cancellation_slot;

    explicit answer(asked_of_asio& to) noexcept
        : to_(&to), executor_(to.context_.get_executor()), operation_(to.operation_) {}
    answer(answer&& other) noexcept
        : to_(std::exchange(other.to_, nullptr)), executor_(std::move(other.executor_)),
          operation_(std::move(other.operation_)) {}
    answer& operator=(answer&&) = delete;
    answer(const answer&) = delete;
    answer& operator=(const answer&) = delete;
    ~answer() {
      if (to_ != nullptr) tell();
    }
    [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }
    [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept {
      return operation_->signal.slot();
    }

    template <class... Value>
    void operator()(boost::system::error_code error, Value&&... value) {
      if (error)
        give_error(error);
      else
        give(std::forward<Value>(value)...);
      tell();
    }
    template <class... Value>
    void operator()(const std::exception_ptr& thrown, Value&&... value) {
      try {
        if (thrown != nullptr) std::rethrow_exception(thrown);
        give(std::forward<Value>(value)...);
      } catch (const boost::system::system_error& error) {
        give_error(error.code());
      } catch (...) {
        to_->outcome_ = std::current_exception();
      }
      tell();
    }

   private:
    template <class... Value>
    void give(Value&&... value) {
      if constexpr (sizeof...(Value) == 0)
        to_->outcome_ = result{};
      else
        to_->outcome_ = result{std::forward<Value>(value)...};
    }
    // Asio's cancelled operations end with a code of another category than pinion's.
    void give_error(std::error_code error) {
      if (error == std::errc::operation_canceled) error = pinion::wait_cancelled();
      to_->outcome_ = result{pinion::unexpected{error}};
    }
    // From the push on the frame may be gone. Where it is refused, the executor has left the task behind.
    void tell() noexcept {
      operation_->is_over.store(true, std::memory_order_relaxed);
      asked_of_asio& to = *std::exchange(to_, nullptr);
      const pinion::scheduler::remote_executor home = *to.home_;
      static_cast<void>(home.push(to));
    }

    asked_of_asio* to_;
    executor_type executor_;
    std::shared_ptr<operation> operation_;
  };

 public:
  /// Of that context, begun by `start`.
  asked_of_asio(boost::asio::io_context& context, Start start)
      : wait([](wait& self) noexcept { static_cast<asked_of_asio&>(self).cancel(); }),
        wake_call([](wake_call& self) { static_cast<asked_of_asio&>(self).go_on(); }), context_(context),
        start_(std::move(start)), operation_(std::make_shared<operation>()) {}
  /// It has gone on.
  ~asked_of_asio() { pinion::expect_wait_is_over(!who_); }

  /// What an awaiter has.
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> who) {
    pinion::scheduler::executor_base& here = pinion::executor_of(who.promise());
    home_.emplace(here.remote());
    who_ = pinion::resumption{who};
    answer done{*this};
    if (here.slot().is_requested()) return;  // the answer is destroyed, and so the wait is over
    wait_under(here.slot());
    try {
      boost::asio::post(context_, [start = std::move(start_), done = std::move(done)]() mutable {
        start(std::move(done));
      });
    } catch (...) {  // no memory: the answer is destroyed with the function
      outcome_ = std::current_exception();
    }
  }
  result await_resume() {
    if (const auto* const thrown = std::get_if<std::exception_ptr>(&outcome_))
      std::rethrow_exception(*thrown);
    return std::move(std::get<result>(outcome_));
  }

 private:
  // Without memory for the message the operation ends by itself.
  void cancel() noexcept {
    if (operation_->is_over.load(std::memory_order_relaxed)) return;
    try {
      boost::asio::post(context_, [asked = operation_] {
        if (!asked->is_over.load(std::memory_order_relaxed))
          asked->signal.emit(boost::asio::cancellation_type::terminal);
      });
    } catch (...) {
      return;
    }
  }
  void go_on() {
    leave();
    std::exchange(who_, {}).go_on();
  }

  boost::asio::io_context& context_;
  Start start_;
  std::shared_ptr<operation> operation_;
  std::optional<pinion::scheduler::remote_executor> home_;
  pinion::resumption who_;
  std::variant<result, std::exception_ptr> outcome_{result{pinion::unexpected{pinion::wait_cancelled()}}};
};

/// Awaited in a task: what the operation gives that start() starts with the handler that it is given.
template <class T, class Start>
[[nodiscard]] asked_of_asio<T, Start> from_asio(boost::asio::io_context& context, Start start) {
  return {context, std::move(start)};
}
