// SPDX-License-Identifier: Apache-2.0
//
// engine: a turn over real parts on the real kernel, whichever they are, behind virtual calls. What the parts
// are is a composition; there is one instance of turn for each pair of a notifier and a way to wait.
//
//   std::unique_ptr<engine> loop = make_engine(which);
//   spawn_some(loop->tasks());
//   while (!is_done) loop->turn();
//
// Of its thread, but for what sender() gives.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/waker.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "any_timers.hpp"

namespace pinion::scheduler::testing {

/// Which parts, by their names in cmake/parts.json. Beside these, ways to wait are `epoll_set`, `none` (in
/// the notifier) and `either_without_uring`; where there is no submission the policy is `none`.
struct composition {
  std::string_view store, inbox, notifier, ring, policy, source;
  /// No part of what is told apart: how small the ring is, 0: as usual; and whether completions are deferred.
  std::uint32_t entries = 0;
  bool defers = true;
};
[[nodiscard]] std::string to_string(const composition& of);
/// All that can be.
[[nodiscard]] const std::vector<composition>& all_compositions();
/// Why this machine can't have it; empty if it can.
[[nodiscard]] const std::string& why_not_here(const composition& which);

/// Runs tasks in slices, and lets them yield.
class loop_executor : public run_queue {
 public:
  /// As task_runner: a slice of those that were ready.
  void run() {
    run_queue::run([this] { return word_->is_due(); });
  }
  /// As yielding_executor.
  [[nodiscard]] const preempt::word& preempt_word() const noexcept { return *word_; }
  [[nodiscard]] preempt::slice_log& slices() noexcept { return *log_; }

  std::size_t live = 0;  ///< tasks that have not come to their end

 private:
  friend class engine;
  const preempt::word* word_ = nullptr;
  preempt::slice_log* log_ = nullptr;
};
static_assert(preempt::yielding_executor<loop_executor>);

/// A coroutine whose first parameter is its executor: it is made ready there, and is gone when it has come to
/// its end.
struct task {
  class promise_type : runnable {
   public:
    template <class... Others>
    explicit promise_type(loop_executor& by, Others&...) noexcept : by_(by) {
      ++by.live;
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() { --by_.live; }
    task get_return_object() noexcept {
      where = std::coroutine_handle<promise_type>::from_promise(*this);
      by_.ready(*this);
      return {};
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    [[nodiscard]] loop_executor& executor() const noexcept { return by_; }

   private:
    loop_executor& by_;
  };
};

/// The submission, as an operation_queue and a ring_port.
class any_io {
 public:
  virtual ~any_io() = default;
  virtual void queue(iosubmit::operation& what) noexcept = 0;
  virtual void queue_urgent(iosubmit::operation& what) noexcept = 0;
  [[nodiscard]] virtual std::uint32_t in_flight() const noexcept = 0;
  /// Where there is no io_uring: -1, false and false.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
  [[nodiscard]] virtual bool is_owner() const noexcept = 0;
  virtual bool queue(const ring_entry& entry, ring_answer& answer) noexcept = 0;
};
static_assert(iosubmit::operation_queue<any_io> && ring_port<any_io>);

/// Wakes the owner. Any thread.
class any_sender {
 public:
  virtual ~any_sender() = default;
  virtual waker::push_result push(waker::wake_node& node) const noexcept = 0;
  virtual waker::push_result push(waker::wake_node& node, any_io& own) const noexcept = 0;
  virtual waker::push_result force(waker::wake_node& node) const noexcept = 0;
};

/// As much of a channel as a wake_event needs.
class event_channel {
 public:
  [[nodiscard]] const any_sender& sender() const noexcept { return *sender_; }
  void push(waker::wake_node& node) const noexcept { push_(node); }

 private:
  friend class engine;
  std::shared_ptr<const any_sender> sender_;
  std::function<void(waker::wake_node&)> push_;  // the owner's own
};
using event = waker::wake_event<event_channel>;

class engine {
 public:
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  [[nodiscard]] any_timers& timers() noexcept { return *timers_; }
  [[nodiscard]] loop_executor& tasks() noexcept { return tasks_; }
  [[nodiscard]] event_channel& channel() noexcept { return channel_; }
  [[nodiscard]] std::shared_ptr<const any_sender> sender() const noexcept { return channel_.sender_; }
  /// Null where there is none.
  [[nodiscard]] virtual any_io* io() noexcept = 0;

  /// One round. With `stays_ready` as if some task were always ready.
  virtual void turn(bool stays_ready = false) = 0;
  /// As turn::end().
  virtual void end(cancel_slot& all, const std::function<bool()>& is_over) = 0;

  const composition of;

 protected:
  explicit engine(const composition& which);
  void runs_in(const preempt::word& word, preempt::slice_log& log) noexcept {
    tasks_.word_ = &word;
    tasks_.log_ = &log;
  }
  template <class Channel>
  void is_woken_by(Channel& channel, std::shared_ptr<const any_sender> sender) {
    channel_.sender_ = std::move(sender);
    channel_.push_ = [&channel](waker::wake_node& node) noexcept { channel.push(node); };
  }

 private:
  std::unique_ptr<any_timers> timers_;
  loop_executor tasks_;
  event_channel channel_;
};

/// Throws a refusal (std::system_error) where the machine can't have it.
[[nodiscard]] std::unique_ptr<engine> make_engine(const composition& which);

}  // namespace pinion::scheduler::testing
