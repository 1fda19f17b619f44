// SPDX-License-Identifier: Apache-2.0
#include "explore_engine.hpp"

#include <exception>
#include <pinion/base/assert.hpp>
#include <utility>

namespace pinion::sim::explore_detail {
namespace {

constexpr std::uint32_t idle_rounds_max = 64;
thread_local engine* current_engine = nullptr;

// A state that a violation left in the middle of things is neither to be destroyed nor to look leaked.
void keep_for_ever(std::shared_ptr<void> state) {
  thread_local auto* const kept = new std::vector<std::shared_ptr<void>>;
  kept->push_back(std::move(state));
}

}  // namespace

// ---- choices ----

bool choices::fixed(std::string_view digits) {
  source_ = source::fixed;
  answers_.clear();
  for (const char digit : digits) {
    if (digit >= '0' && digit <= '9') {
      answers_.push_back({static_cast<std::uint8_t>(digit - '0'), 0});
    } else if (digit >= 'a' && digit <= 'z') {
      answers_.push_back({static_cast<std::uint8_t>(digit - 'a' + 10), 0});
    } else {
      return false;
    }
  }
  return true;
}

void choices::again() { source_ = source::fixed; }

void choices::begin() {
  next_ = 0;
  if (source_ == source::random) answers_.clear();
}

std::size_t choices::take(std::size_t count, bool prefers_first) {
  if (next_ < answers_.size()) {
    answer& known = answers_[next_++];
    if (known.count == 0 && known.taken < count) known.count = static_cast<std::uint8_t>(count);
    return known.count == count ? known.taken : count;
  }
  std::size_t taken = 0;
  if (source_ == source::random) {
    const std::uint64_t drawn = random_();
    if (!prefers_first || (drawn >> 32 & 3) == 0) taken = (drawn & 0xffffffff) % count;
  }
  answers_.push_back({static_cast<std::uint8_t>(taken), static_cast<std::uint8_t>(count)});
  ++next_;
  return taken;
}

bool choices::advance() {
  answers_.resize(next_);  // none were left over, or the scenario is not the same each time
  while (!answers_.empty() && answers_.back().taken + 1 == answers_.back().count) answers_.pop_back();
  if (answers_.empty()) return false;
  ++answers_.back().taken;
  return true;
}

std::string choices::digits() const {
  std::string result;
  for (std::size_t index = 0; index < next_; ++index)
    result += "0123456789abcdefghijklmnopqrstuvwxyz"[answers_[index].taken];
  result.erase(result.find_last_not_of('0') + 1);
  return result;
}

// ---- executions ----

engine::engine(const erased_scenario& scenario, const limits& bounds)
    : scenario_(scenario), bounds_(bounds), preemptions_max_(bounds.preemptions_max), words_(words_max) {
  current_engine = this;
  thread_count_ = scenario.threads.size() + 1;
  for (std::size_t index = 0; index < threads_max; ++index) threads_[index].index = index;
}

// Fibers leave their stacks by themselves, which frees what AddressSanitizer keeps for them.
engine::~engine() {
  is_closing_ = true;
  for (explored_thread& thread : threads_) {
    if (!thread.is_begun) continue;
    running_ = &thread;
    root_.switch_to(thread.stack);
  }
  current_engine = nullptr;
}

engine* engine::current() noexcept { return current_engine; }

bool engine::run() {
  choices_.begin();
  ++execution_;
  steps_ = 0;
  preemptions_ = 0;
  spurious_ = 0;
  news_ = 0;
  idle_rounds_ = 0;
  word_count_ = 0;
  event_count_ = 0;
  record_count_ = 0;
  order_.clear();
  violation_.clear();
  lines_.clear();

  explored_thread& main = threads_[0];
  main.now = explored_thread::state::ready;
  main.known.clear();
  main.known.clock[0] = 1;
  main.has_pending = false;
  main.has_released = false;
  main.fresh = 0;
  if (!main.is_begun) main.stack.restart(&engine::run_main, this);
  main.is_begun = true;
  running_ = &main;
  root_.switch_to(main.stack);
  if (violation_.empty()) return true;
  // Their stacks stand in the middle of something.
  for (explored_thread& thread : threads_) thread.is_begun = false;
  keep_for_ever(std::exchange(state_, nullptr));
  return false;
}

// A fiber does one execution after another; what the engine began in run() ends there.
void engine::run_main(void* self) {
  engine& here = *static_cast<engine*>(self);
  here.threads_[0].stack.arrived();
  for (;;) {
    if (here.is_closing_) here.abandon();
    try {
      here.main_body();
    } catch (const std::exception& thrown) {
      here.broke(std::string{"the state's making or the check threw: "} + thrown.what());
    } catch (...) {
      here.broke("the state's making or the check threw");
    }
    if (!here.violation_.empty()) here.abandon();
    here.threads_[0].stack.switch_to(here.root_);
  }
}

void engine::main_body() {
  state_ = scenario_.make();
  explored_thread& main = threads_[0];
  for (std::size_t index = 1; index < thread_count_; ++index) {
    explored_thread& thread = threads_[index];
    thread.known = main.known;
    thread.known.clock[index] = 1;
    thread.has_pending = false;
    thread.has_released = false;
    thread.now = explored_thread::state::ready;
    thread.has_acted = false;
    thread.wants_news = false;
    thread.touched = 0;
    thread.fresh = 0;
    thread.pauses = 0;
    if (!thread.is_begun) thread.stack.restart(&engine::run_thread, &thread);
    thread.is_begun = true;
  }
  main.now = explored_thread::state::ended;
  if (thread_count_ > 1) schedule(false, true);
  for (std::size_t index = 1; index < thread_count_; ++index) main.known.join(threads_[index].known);
  main.now = explored_thread::state::ready;
  if (scenario_.check) scenario_.check(state_.get());
  state_.reset();
}

void engine::run_thread(void* thread) {
  explored_thread& self = *static_cast<explored_thread*>(thread);
  self.stack.arrived();
  engine& here = *current_engine;
  const erased_scenario::body& body = here.scenario_.threads[self.index - 1];
  for (;;) {
    if (here.is_closing_) here.abandon();
    try {
      body.run(here.state_.get());
    } catch (const std::exception& thrown) {
      here.broke(body.name + " threw: " + thrown.what());
    } catch (...) {
      here.broke(body.name + " threw");
    }
    if (!here.violation_.empty()) here.abandon();
    self.now = explored_thread::state::ended;
    here.schedule(false, true);
  }
}

void engine::broke(std::string_view what) { violation_ = what; }

void engine::abandon() { running_->stack.leave_for(root_); }

// ---- scheduling ----

std::size_t engine::choose(std::size_t count, bool prefers_first) {
  if (count == 1) return 0;
  const std::size_t taken = choices_.take(count, prefers_first);
  if (taken >= count) {
    broke("the replay, or what ran before, is not of this scenario: it must do the same each time that it is "
          "run with the "
          "same choices");
    abandon();
  }
  return taken;
}

bool engine::can_run(const explored_thread& thread) const {
  return thread.now == explored_thread::state::ready && (!thread.wants_news || thread.news_seen != news_);
}

void engine::switch_to(explored_thread& thread) {
  explored_thread& from = self();
  thread.has_acted = false;
  if (&thread == &from) return;
  running_ = &thread;
  from.stack.switch_to(thread.stack);
}

// Before each operation but the first after being chosen: to ask again who goes on would be asking the same
// twice.
void engine::before_operation() {
  explored_thread& thread = self();
  if (thread.index != 0) {
    if (++steps_ > bounds_.steps_max) {
      broke("does not end within " + std::to_string(bounds_.steps_max) +
            " operations; a loop that waits for another thread has to call pause()");
      abandon();
    }
    if (thread.has_acted) schedule(true, false);
    thread.has_acted = true;
  }
  ++thread.known.clock[thread.index];
}

void engine::schedule(bool may_stay, bool is_free) {
  std::array<explored_thread*, threads_max> able{};
  std::size_t count = 0;
  explored_thread& from = self();
  const bool stays = may_stay && can_run(from);
  if (stays) able[count++] = &from;
  if (!stays || is_free || preemptions_ < preemptions_max_) {
    do {
      for (std::size_t index = 1; index < thread_count_; ++index) {
        explored_thread& other = threads_[index];
        if ((&other != &from || !stays) && can_run(other)) able[count++] = &other;
      }
    } while (count == 0 && unstick());
  }
  if (count == 0) return switch_to(threads_[0]);
  explored_thread& chosen = *able[choose(count, stays)];
  if (stays && !is_free && &chosen != &from) ++preemptions_;
  switch_to(chosen);
}

// Nobody can run. True if somebody is let go on; false if all have ended.
bool engine::unstick() {
  bool all_ended = true;
  bool any_spins = false;
  bool any_ends = false;
  for (std::size_t index = 1; index < thread_count_; ++index) {
    explored_thread& thread = threads_[index];
    all_ended = all_ended && thread.now == explored_thread::state::ended;
    any_spins = any_spins || (thread.now == explored_thread::state::ready && thread.wants_news);
    if (thread.now == explored_thread::state::waits_for_futex && thread.may_end) {
      thread.now = explored_thread::state::ready;
      any_ends = true;
    }
  }
  if (all_ended) return false;
  if (any_ends || any_spins) {
    if (++idle_rounds_ > idle_rounds_max) {
      broke("spins for ever: no thread can change anything any more");
      abandon();
    }
    for (std::size_t index = 1; index < thread_count_; ++index) threads_[index].wants_news = false;
    return true;
  }
  broke("lost wake: nobody is left to wake who waits:");
  for (std::size_t index = 1; index < thread_count_; ++index) {
    const explored_thread& thread = threads_[index];
    if (thread.now == explored_thread::state::ended) continue;
    violation_ += ' ' + thread_name(index) + " for " +
                  (thread.now == explored_thread::state::waits_for_event ? name_of(events_[thread.waits_for])
                                                                         : name_of(words_[thread.waits_for]));
  }
  abandon();
}

}  // namespace pinion::sim::explore_detail
