// SPDX-License-Identifier: Apache-2.0
//
// What threads wait with: pauses, events, futexes; and the watch over plain objects.
#include <algorithm>
#include <atomic>

#include "explore_engine.hpp"

namespace pinion::sim::explore_detail {

// ---- spinning ----

void engine::pause() {
  explored_thread& thread = self();
  if (thread.index == 0) return;
  if (++steps_ > bounds_.steps_max) {
    broke("does not end within " + std::to_string(bounds_.steps_max) + " operations");
    abandon();
  }
  if (is_traced_) note("pause", "", "");
  thread.fresh = 0;
  if (++thread.pauses > bounds_.pauses_max) {
    thread.wants_news = true;
    thread.news_seen = news_;
    thread.fresh = thread.touched;
  }
  thread.touched = 0;
  schedule(true, true);
  thread.wants_news = false;
}

// ---- events ----

event_handle engine::make_event() {
  const auto number = static_cast<std::uint32_t>(event_count_++);
  if (number == events_.size()) events_.emplace_back();
  event_record& event = events_[number];
  event.is_posted = false;
  event.name = nullptr;
  event.message.clear();
  return {number, execution_};
}

event_record& engine::event_of(event_handle handle) {
  if (handle.execution != execution_ || handle.number >= event_count_) {
    broke("uses an event that was made outside this execution: keep it in the state");
    abandon();
  }
  return events_[handle.number];
}

void engine::name_event(event_handle handle, const char* name) { event_of(handle).name = name; }

void engine::post_event(event_handle handle) {
  before_operation();
  event_record& event = event_of(handle);
  event.is_posted = true;
  event.message.join(self().known);
  ++news_;
  idle_rounds_ = 0;
  for (std::size_t index = 1; index < thread_count_; ++index) {
    explored_thread& thread = threads_[index];
    if (thread.now == explored_thread::state::waits_for_event && thread.waits_for == handle.number) {
      thread.now = explored_thread::state::ready;
    }
  }
  if (is_traced_) note("post", name_of(event), "");
}

void engine::block(explored_thread::state why, std::uint32_t what) {
  explored_thread& thread = self();
  if (thread.index == 0) {
    broke("waits where no other thread runs any more");
    abandon();
  }
  thread.now = why;
  thread.waits_for = what;
  schedule(false, true);
  thread.has_acted = true;
}

void engine::wait_event(event_handle handle) {
  before_operation();
  event_of(handle);
  while (!events_[handle.number].is_posted) {
    if (is_traced_) note("wait", name_of(events_[handle.number]), "is not posted");
    block(explored_thread::state::waits_for_event, handle.number);
  }
  event_record& event = events_[handle.number];
  event.is_posted = false;
  self().known.join(event.message);
  if (is_traced_) note("wait", name_of(event), "taken");
}

bool engine::try_wait_event(event_handle handle) {
  before_operation();
  event_record& event = event_of(handle);
  const bool was_posted = event.is_posted;
  if (was_posted) {
    event.is_posted = false;
    self().known.join(event.message);
  }
  if (is_traced_) note("try_wait", name_of(event), was_posted ? "taken" : "is not posted");
  return was_posted;
}

// ---- futexes ----

// Of a wake and a wait on one word, the kernel has one first. A wait that comes after a wake reads nothing
// older than what the waker knew of the word. More is not promised: a thread that was woken knows nothing
// that its own loads do not tell it.
void engine::futex_wait(word_handle handle, std::uint64_t expected, bool may_end) {
  before_operation();
  word_record& word = word_of(handle);
  self().known.raise(handle.number, word.woken);
  std::array<std::size_t, alternatives_max> able{};
  std::size_t count = 0;
  const std::size_t last = oldest(word, handle.number);
  for (std::size_t index = word.stores.size(); index-- > last && count < able.size();) {
    if (fits(word, handle.number, index, false)) able[count++] = index;
  }
  const std::size_t index = able[choose(count)];
  const std::uint64_t value = read(word, handle.number, index, std::memory_order_relaxed);
  if (value != expected) {
    if (is_traced_) note("futex_wait", name_of(word), "is " + value_text(word, value) + origin(word, index));
    return;
  }
  if (spurious_ < bounds_.spurious_max && choose(2) == 1) {
    ++spurious_;
    if (is_traced_) note("futex_wait", name_of(word), "returns without cause");
    return;
  }
  if (is_traced_) note("futex_wait", name_of(word), "sleeps" + origin(word, index));
  self().may_end = may_end;
  block(explored_thread::state::waits_for_futex, handle.number);
  if (is_traced_) note("futex_wait", name_of(word), "woken");
}

void engine::futex_wake(word_handle handle, std::uint32_t count) {
  before_operation();
  word_record& word = word_of(handle);
  word.woken = std::max(word.woken, self().known.at(handle.number));
  std::uint32_t woken = 0;
  for (std::size_t index = 1; index < thread_count_ && woken < count; ++index) {
    explored_thread& thread = threads_[index];
    if (thread.now != explored_thread::state::waits_for_futex || thread.waits_for != handle.number) continue;
    thread.now = explored_thread::state::ready;
    ++woken;
  }
  ++news_;
  if (is_traced_) note("futex_wake", name_of(word), std::to_string(woken) + " woken");
}

// ---- plain objects ----

void engine::make_plain(plain_record& plain) {
  explored_thread& thread = self();
  const char* const name = plain.name;
  plain = {};
  plain.name = name;
  plain.execution = execution_;
  plain.writer = static_cast<std::uint8_t>(thread.index);
  plain.written = ++thread.known.clock[thread.index];
}

void engine::race(const plain_record& plain, const char* what, const char* other, std::size_t thread) {
  broke("data race: " + thread_name(self().index) + ' ' + what + ' ' +
        (plain.name == nullptr ? "a plain" : plain.name) + ", and nothing says that " + thread_name(thread) +
        "'s " + other + " has happened before");
  abandon();
}

void engine::read_plain(plain_record& plain) {
  if (plain.execution != execution_) {
    broke("uses a plain that was made outside this execution: keep it in the state");
    abandon();
  }
  explored_thread& thread = self();
  plain.reads[thread.index] = ++thread.known.clock[thread.index];
  if (thread.known.clock[plain.writer] < plain.written) race(plain, "reads", "write", plain.writer);
  if (is_traced_) note("read", plain.name == nullptr ? "a plain" : plain.name, "");
}

void engine::write_plain(plain_record& plain, const char* what) {
  if (plain.execution != execution_) {
    broke("uses a plain that was made outside this execution: keep it in the state");
    abandon();
  }
  explored_thread& thread = self();
  ++thread.known.clock[thread.index];
  if (thread.known.clock[plain.writer] < plain.written) race(plain, what, "write", plain.writer);
  for (std::size_t other = 0; other < thread_count_; ++other) {
    if (thread.known.clock[other] < plain.reads[other]) race(plain, what, "read", other);
  }
  plain.writer = static_cast<std::uint8_t>(thread.index);
  plain.written = thread.known.clock[thread.index];
  if (is_traced_) note("write", plain.name == nullptr ? "a plain" : plain.name, "");
}

}  // namespace pinion::sim::explore_detail
