// SPDX-License-Identifier: Apache-2.0
//
// flawed_io, flawed_channel, flawed_slices: the shipped parts, and one defect on demand. Each passes on what
// it is asked; with `none` it does nothing else, which shows that a kill is the defect's doing.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "composition.hpp"

namespace pinion::scheduler::testing {

enum class io_defect : std::uint8_t {
  none,
  answers_inside_queue,            // and the answer destroyed what the caller touched next
  resumes_inside_the_answer,       // awaitables that asked for no executor
  forgets_to_cancel,               // the slot knows nothing of the kernel
  ends_cancelled_waits_well,       // a result of nothing, for an error
  drops_what_came_too_late,        // cancelled, though it has a result
  goes_on_under_a_requested_slot,  // without suspending: who tries again on any error never gives way
  enters_past_the_count,           // in flight is 0, so an end waits for nobody
  lets_a_port_wait,                // a wake among what waits for the policy
  never_submits,                   // so a timeout of the ring's own source is never the kernel's
  forgets_patience,                // a full batch, or an idle owner
  submits_and_waits_apart,         // two system calls
  enters_each_turn,                // to see whether something has come
};

/// A wait whose end is told otherwise.
class wait_with_an_end_of_its_own final : public any_wait {
 public:
  wait_with_an_end_of_its_own(std::unique_ptr<any_wait> of, std::function<outcome(outcome)> end)
      : of_(std::move(of)), end_(std::move(end)) {}
  bool is_over() override { return of_->is_over(); }
  void suspend(std::coroutine_handle<task::promise_type> at) override { of_->suspend(at); }
  void suspend(std::coroutine_handle<free_task::promise_type> at) override { of_->suspend(at); }
  outcome end() override { return end_(of_->end()); }

 private:
  std::unique_ptr<any_wait> of_;
  std::function<outcome(outcome)> end_;
};

/// A wait that is over.
class wait_that_was_none final : public any_wait {
 public:
  bool is_over() override { return true; }
  void suspend(std::coroutine_handle<task::promise_type> /*at*/) override {}
  void suspend(std::coroutine_handle<free_task::promise_type> /*at*/) override {}
  outcome end() override { return {.error = wait_cancelled()}; }
};

/// A wait whose coroutine goes on inside the answer, whoever runs it.
class wait_without_executor final : public any_wait, iosubmit::operation {
 public:
  wait_without_executor(any_io& io, const ring_entry& what) : operation{what, &done}, io_(io) {}
  bool is_over() override { return false; }
  void suspend(std::coroutine_handle<task::promise_type> at) override { begin(at); }
  void suspend(std::coroutine_handle<free_task::promise_type> at) override { begin(at); }
  outcome end() override {
    return result_ < 0 ? outcome{.error = {-result_, std::generic_category()}} : outcome{};
  }

 private:
  void begin(std::coroutine_handle<> at) {
    at_ = at;
    io_.queue(*this);
  }
  static void done(ring_answer& self, std::int32_t result) noexcept {
    auto& mine = static_cast<wait_without_executor&>(static_cast<operation&>(self));
    mine.result_ = result;
    mine.at_.resume();
  }

  any_io& io_;
  std::coroutine_handle<> at_;
  std::int32_t result_ = 0;
};

class flawed_io final : public any_io {
 public:
  flawed_io(std::unique_ptr<any_io> of, io_defect which) : io_(std::move(of)), defect_(which) {}
  ~flawed_io() override { hand_on(); }

  std::size_t turn(instant now) noexcept override {
    if (is(io_defect::enters_each_turn) && !beat_.is_waiting()) io_->queue_urgent(beat_);
    if (first_ == instant{}) first_ = now;
    return io_->turn(is(io_defect::forgets_patience) ? first_ : now);
  }
  std::size_t park_until(instant until, const std::function<void()>& woke) noexcept override {
    hand_on();
    if (is(io_defect::submits_and_waits_apart)) io_->submit();
    return io_->park_until(until, woke);
  }
  bool own() noexcept override { return io_->own(); }
  void stop() noexcept override {
    hand_on();
    if (!is(io_defect::enters_past_the_count)) io_->stop();
  }
  void queue(iosubmit::operation& what) noexcept override {
    if (is(io_defect::answers_inside_queue) && what.entry().operation == iosubmit::codes::nop)
      return what.answered(what, 0);
    io_->queue(what);
  }
  void queue_urgent(iosubmit::operation& what) noexcept override {
    if (is(io_defect::forgets_to_cancel) && what.entry().operation == iosubmit::codes::cancel)
      what.ask(iosubmit::entries::nop());
    io_->queue_urgent(what);
  }
  void submit() noexcept override {
    if (!is(io_defect::never_submits)) io_->submit();
  }
  [[nodiscard]] bool has_answers() const noexcept override { return io_->has_answers(); }
  [[nodiscard]] std::uint32_t depth() const noexcept override { return io_->depth(); }
  [[nodiscard]] std::uint32_t in_flight() const noexcept override {
    return is(io_defect::enters_past_the_count) ? 0 : io_->in_flight();
  }
  bool queue(const ring_entry& entry, ring_answer& answer) noexcept override {
    if (!is(io_defect::lets_a_port_wait)) return io_->queue(entry, answer);
    waiting_.emplace_back(entry, &answer);
    return true;
  }
  [[nodiscard]] expected<std::uint8_t, refusal> add_sink(callback<const ring_completion&> told) override {
    return io_->add_sink(told);
  }
  void remove_sink(std::uint8_t mark) noexcept override { io_->remove_sink(mark); }
  bool watch(const ring_entry& entry) noexcept override { return io_->watch(entry); }
  bool unwatch(std::uint64_t user_data) noexcept override { return io_->unwatch(user_data); }
  [[nodiscard]] const world_ring& ring() const noexcept override { return io_->ring(); }

  [[nodiscard]] std::unique_ptr<any_wait> ask(const ring_entry& what, cancel_slot* slot,
                                              bool is_urgent) override {
    const bool is_requested = slot != nullptr && slot->is_requested();
    if (is(io_defect::resumes_inside_the_answer) && what.operation == iosubmit::codes::fsync)
      return std::make_unique<wait_without_executor>(*this, what);
    if (is(io_defect::goes_on_under_a_requested_slot) && is_requested)
      return std::make_unique<wait_that_was_none>();
    auto right = any_io::ask(what, slot, is_urgent);
    if (is(io_defect::ends_cancelled_waits_well))
      return ended(std::move(right), [](outcome how) { return how.is_cancelled() ? outcome{} : how; });
    if (is(io_defect::drops_what_came_too_late) && slot != nullptr)
      return ended(std::move(right), [slot](outcome how) {
        return slot->is_requested() ? outcome{.error = wait_cancelled()} : how;
      });
    return right;
  }

 private:
  struct beat final : iosubmit::operation {
    beat() noexcept : operation{iosubmit::entries::nop(), [](ring_answer&, std::int32_t) noexcept {}} {}
  };

  [[nodiscard]] bool is(io_defect which) const noexcept { return defect_ == which; }
  static std::unique_ptr<any_wait> ended(std::unique_ptr<any_wait> of, std::function<outcome(outcome)> by) {
    return std::make_unique<wait_with_an_end_of_its_own>(std::move(of), std::move(by));
  }
  void hand_on() noexcept {
    for (const auto& [entry, answer] : std::exchange(waiting_, {})) io_->queue(entry, *answer);
  }

  beat beat_;
  std::unique_ptr<any_io> io_;  // goes before what it answers
  io_defect defect_;
  instant first_{};
  std::vector<std::pair<ring_entry, ring_answer*>> waiting_;
};

enum class channel_defect : std::uint8_t {
  none,
  runs_inside_push,  // the owner's own wakes take a short way
};

class flawed_channel final : public any_channel {
 public:
  flawed_channel(std::unique_ptr<any_channel> of, channel_defect which)
      : of_(std::move(of)), defect_(which) {}

  void push(waker::wake_node& node) noexcept override { of_->push(node); }
  [[nodiscard]] bool try_arm() noexcept override { return of_->try_arm(); }
  bool disarm() noexcept override { return of_->disarm(); }
  [[nodiscard]] bool has_wakes() const noexcept override { return of_->has_wakes(); }
  [[nodiscard]] bool is_closed() const noexcept override { return of_->is_closed(); }
  [[nodiscard]] any_notifier& notifier() noexcept override { return of_->notifier(); }

 protected:
  waker::push_result send(waker::wake_node& node) noexcept override {
    if (defect_ != channel_defect::runs_inside_push) return of_->sender().push(node);
    waker::call_wakes(node);
    return waker::push_result::queued;
  }
  waker::push_result send(waker::wake_node& node, any_io& port) noexcept override {
    if (defect_ != channel_defect::runs_inside_push) return of_->sender().push(node, port);
    return send(node);
  }
  std::size_t drain_calls() override { return of_->drain(waker::call_wakes); }
  std::size_t close_calls() override { return of_->close(waker::call_wakes); }

 private:
  std::unique_ptr<any_channel> of_;
  channel_defect defect_;
};

enum class slices_defect : std::uint8_t {
  none,
  have_no_end_for_a_task_alone,  // ready_.empty() ? never : …
};

class flawed_slices final : public any_slices {
 public:
  flawed_slices(std::unique_ptr<any_slices> of, slices_defect which) : of_(std::move(of)), defect_(which) {}

  [[nodiscard]] expected<queue, refusal> add(const preempt::queue_terms& terms) override {
    return of_->add(terms);
  }
  void remove(queue which) noexcept override { of_->remove(which); }
  void begin(queue which, const preempt::slice_state& state) noexcept override {
    if (defect_ == slices_defect::have_no_end_for_a_task_alone && !state.others_ready)
      return of_->begin(which, {.now = state.now});
    of_->begin(which, state);
  }
  void end(instant now) noexcept override { of_->end(now); }
  void rest() noexcept override { of_->rest(); }
  [[nodiscard]] const preempt::word& word() const noexcept override { return of_->word(); }
  [[nodiscard]] preempt::slice_log& log() noexcept override { return of_->log(); }
  [[nodiscard]] bool is_armed() const noexcept override { return of_->is_armed(); }

 private:
  std::unique_ptr<any_slices> of_;
  slices_defect defect_;
};

}  // namespace pinion::scheduler::testing
