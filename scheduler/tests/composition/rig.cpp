// SPDX-License-Identifier: Apache-2.0
#include "rig.hpp"

#include <algorithm>
#include <pinion/preempt.hpp>
#include <vector>

namespace pinion::scheduler::testing {
namespace {

// A start at which no store rounds to its ticks.
constexpr instant start{1'000'003'777};

}  // namespace

duration slack_of(const composition_factory& factory) noexcept {
  const duration look = factory.turn->spin + duration{5'000};
  if (factory.ring == nullptr) return look;
  const sim::virtual_ring_options& ring = factory.ring->ring;
  // What the kernel refuses for now is tried again after a millisecond.
  return duration{factory.ring->is_faulty ? 5'000'000U : 0U} + look + ring.enter_cost * 8 +
         ring.wake_cost * 3;
}

outcome watched_wait::await_resume() {
  if (kind_ != kind::was_over) by_.went_on(kind_ == kind::task);
  return what_->end();
}

rig::rig(const composition_factory& factory, const turn_options& options)
    : factory_(factory), owner_(std::make_unique<owner>()) {
  owner_->own_world = std::make_unique<world>(start);
  in_ = owner_->own_world.get();
  owner_->slots.emplace_back();
  owner_->parts = factory.make(*in_, options);
}
rig::rig(const composition_factory& factory, world& in, const turn_options& options)
    : factory_(factory), owner_(std::make_unique<owner>()), in_(&in) {
  owner_->slots.emplace_back();
  owner_->parts = factory.make(in, options);
}

rig::~rig() {
  if (winds_up()) return;
  // Somebody waits for ever. What may not be destroyed now is kept, where a sanitizer sees that it is not
  // forgotten.
  static auto& abandoned = *new std::vector<std::unique_ptr<owner>>;
  abandoned.push_back(std::move(owner_));
}

bool rig::winds_up() {
  in_->forget_others();
  for (cancel_slot& each : owner_->slots) each.request();
  if (!is_done() || tasks().has_ready()) rounds_until_done(400);
  if (!is_done()) return false;
  // What has no slot, and no coroutine.
  if (parts().io != nullptr) parts().io->stop();
  if (parts().channel != nullptr) parts().channel->close(waker::call_wakes);
  return true;
}

watched_wait rig::sleep(instant deadline, cancel_slot* slot) {
  return {*this, timers().sleep_until(deadline, slot)};
}
watched_wait rig::ask(const ring_entry& what, cancel_slot* slot) {
  return {*this, io().ask(what, slot, false)};
}
watched_wait rig::ask_urgent(const ring_entry& what, cancel_slot* slot) {
  return {*this, io().ask(what, slot, true)};
}
watched_wait rig::io_sleep(duration length, cancel_slot* slot) {
  return {*this, io().sleep_for(length, slot)};
}
watched_wait rig::wait(any_event& event, cancel_slot* slot) {
  if (slot == nullptr) return {*this, wait_on([&] { return event.wait(); })};
  return {*this, wait_on([&] { return event.wait(*slot); })};
}
watched_wait rig::yield() {
  return {*this, wait_on([this] { return preempt::yield_now(tasks()); })};
}
watched_wait rig::yield_if_needed() {
  return {*this, wait_on([this] { return preempt::yield_if_needed(tasks()); })};
}

void rig::request(cancel_slot& slot) {
  const world::call cancels{*in_};
  slot.request();
}
void rig::push(any_event& event) {
  const world::call wakes{*in_};
  channel().sender().push(event);
}
void rig::push_by_port(any_event& event, any_io& port) {
  const world::call wakes{*in_};
  channel().sender().push(event, port);
}

void rig::begin(task what) {
  owner_->tasks.push_back(std::move(what));
  tasks().spawn(owner_->tasks.back());
}

bool rig::is_done() const noexcept {
  return std::ranges::all_of(owner_->tasks, &task::is_done) &&
         std::ranges::all_of(owner_->free, &free_task::is_done);
}

void rig::round() {
  const std::uint64_t stuck_before = stuck();
  is_in_round_ = true;
  (*parts().turn)(tasks());
  is_in_round_ = false;
  const any_channel* const wakes = parts().channel.get();
  if (stuck() != stuck_before && wakes != nullptr && wakes->has_wakes()) has_slept_on_a_wake_ = true;
}

std::uint64_t rig::stuck() const noexcept {
  const any_io* const io = owner_->parts->io.get();
  return in_->stuck + (io != nullptr ? io->ring().kernel().inner.counts().stuck : 0);
}

void rig::stop_io() {
  is_in_round_ = true;  // answers come from the loop's own call
  io().stop();
  is_in_round_ = false;
}

void rig::end(cancel_slot& all, const std::function<bool()>& is_over) {
  is_in_round_ = true;
  parts().turn->end(all, tasks(), is_over);
  is_in_round_ = false;
}

bool rig::rounds_until_idle(int most) {
  bool has_waited = false;
  in_->at(now() + duration{50'000}, [&] { has_waited = true; });  // behind any spin
  const bool is_idle = rounds_until([&] { return has_waited; }, most);
  in_->forget_others();
  return is_idle;
}

void rig::went_on(bool is_task) {
  const auto note = [this](const char* what) {
    if (!breach_) breach_ = broken(factory_, what);
  };
  if (in_->is_inside_a_call()) note("somebody went on inside a call that asks, cancels or wakes");
  if (!is_task) {
    if (!is_in_round_ || tasks().is_in_run())
      note("a coroutine without an executor went on elsewhere than in the loop's turn");
    return;
  }
  if (!tasks().is_in_run()) return note("a task went on elsewhere than in its executor's run");
  if (!tasks().goes_on()) note("a task went on inside another one's resumption");
  if (parts().slices != nullptr && !slices().log().is_slicing()) note("a task went on in no slice");
}

}  // namespace pinion::scheduler::testing
