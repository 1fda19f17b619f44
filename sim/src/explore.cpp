// SPDX-License-Identifier: Apache-2.0
#include <pinion/base/assert.hpp>
#include <pinion/sim/explore.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "explore_engine.hpp"

namespace pinion::sim {
namespace explore_detail {
namespace {

constexpr std::uint32_t unbounded = std::numeric_limits<std::uint32_t>::max();

engine& here() noexcept {
  engine* const current = engine::current();
  if (current == nullptr) {
    std::fputs("pinion: an object of explored_sync was used outside sim::explore(); make it in the "
               "scenario's state\n",
               stderr);
    std::abort();
  }
  return *current;
}

// Broken contracts of the code that is explored are violations like any other.
class handler_of_contracts {
 public:
  handler_of_contracts()
      : before_(set_violation_handler([](const contract_violation& broken) {
          if (engine* const current = engine::current()) {
            current->broke("broken contract: " + std::string{broken.condition} + ": " +
                           std::string{broken.meaning});
            current->abandon();
          }
        })) {}
  ~handler_of_contracts() { set_violation_handler(before_); }
  handler_of_contracts(const handler_of_contracts&) = delete;
  handler_of_contracts& operator=(const handler_of_contracts&) = delete;

 private:
  violation_handler before_;
};

void refuse_what_is_too_much(const erased_scenario& scenario) {
  if (engine::current() != nullptr) {
    std::fputs("pinion: explore() was called inside an exploration\n", stderr);
    std::abort();
  }
  if (scenario.threads.size() >= threads_max) {
    std::fputs("pinion: a scenario has four threads at most\n", stderr);
    std::abort();
  }
}

// The limits that decide which questions are asked stand before the answers:
// preemptions.spurious.pauses:answers
std::string replay_text(const limits& limits, std::uint32_t preemptions, const choices& answers) {
  return (preemptions == unbounded ? "-" : std::to_string(preemptions)) + '.' +
         std::to_string(limits.spurious_max) + '.' + std::to_string(limits.pauses_max) + ':' +
         answers.digits();
}

bool read_number(std::string_view& text, char end, std::uint32_t& number) {
  const std::size_t size = text.find(end);
  if (size == std::string_view::npos) return false;
  if (text.substr(0, size) == "-") {
    number = unbounded;
  } else {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + size, number);
    if (error != std::errc{} || rest != text.data() + size) return false;
  }
  text.remove_prefix(size + 1);
  return true;
}

void finish(engine& running, exploration& found) {
  found.violation = running.violation();
  found.schedule = running.schedule_text();
}

}  // namespace

exploration explore(const erased_scenario& scenario, const limits& limits) {
  refuse_what_is_too_much(scenario);
  const handler_of_contracts handler;
  engine running{scenario, limits};
  exploration found;
  const auto run = [&] {
    ++found.executions;
    const bool holds = running.run();
    found.steps += running.steps();
    found.longest = std::max(found.longest, running.steps());
    return holds;
  };

  std::uint32_t preemptions = limits.preemptions_max;
  bool holds = true;
  running.answers().in_order();
  while (found.executions < limits.executions_max) {
    holds = run();
    if (!holds) break;
    if (!running.answers().advance()) {
      found.is_complete = true;
      return found;
    }
  }
  if (holds) {
    preemptions = unbounded;
    running.preemptions_max(preemptions);
    running.answers().random(limits.seed);
    while (holds && found.random_executions < limits.random_executions) {
      ++found.random_executions;
      holds = run();
    }
  }
  if (holds) return found;
  found.replay = replay_text(limits, preemptions, running.answers());
  running.trace(true);
  running.answers().again();
  running.run();
  finish(running, found);
  return found;
}

exploration replay(const erased_scenario& scenario, const limits& given, std::string_view text) {
  refuse_what_is_too_much(scenario);
  exploration found;
  found.replay = text;
  limits bounds = given;
  std::string_view digits = text;
  if (!read_number(digits, '.', bounds.preemptions_max) || !read_number(digits, '.', bounds.spurious_max) ||
      !read_number(digits, ':', bounds.pauses_max)) {
    found.violation = "this is no replay: it begins with three numbers, as in 3.1.1:0012";
    return found;
  }
  const handler_of_contracts handler;
  engine running{scenario, bounds};
  if (!running.answers().fixed(digits)) {
    found.violation = "this is no replay: after the colon stand digits and small letters";
    return found;
  }
  running.trace(true);
  running.run();
  found.executions = 1;
  found.steps = running.steps();
  found.longest = running.steps();
  finish(running, found);
  return found;
}

// What explored_sync calls.
word_handle make_word(std::uint64_t value, value_kind kind, std::uint8_t bytes) noexcept {
  return here().make_word(value, kind, bytes);
}
void end_word(word_handle word) noexcept {
  if (engine* const current = engine::current()) current->end_word(word);
}
std::uint64_t load(word_handle word, std::memory_order order) noexcept { return here().load(word, order); }
void store(word_handle word, std::uint64_t value, std::memory_order order) noexcept {
  here().store(word, value, order);
}
std::uint64_t read_modify_write(word_handle word, change what, std::uint64_t operand,
                                std::memory_order order) noexcept {
  return here().read_modify_write(word, what, operand, order);
}
bool compare_exchange(word_handle word, std::uint64_t& expected, std::uint64_t desired, bool may_fail,
                      std::memory_order success, std::memory_order failure) noexcept {
  return here().compare_exchange(word, expected, desired, may_fail, success, failure);
}
void fence(std::memory_order order) noexcept { here().fence(order); }
void pause() noexcept { here().pause(); }
void yield() noexcept { here().pause(); }
void futex_wait(word_handle word, std::uint64_t expected, bool may_end) noexcept {
  here().futex_wait(word, expected, may_end);
}
void futex_wake(word_handle word, std::uint32_t count) noexcept { here().futex_wake(word, count); }
void name_word(word_handle word, const char* name) noexcept { here().name_word(word, name); }

void make_plain(plain_record& plain) noexcept { here().make_plain(plain); }
void end_plain(plain_record& plain) noexcept {
  if (engine* const current = engine::current()) current->write_plain(plain, "ends");
}
void read_plain(plain_record& plain) noexcept { here().read_plain(plain); }
void write_plain(plain_record& plain) noexcept { here().write_plain(plain, "writes"); }

event_handle make_event() noexcept { return here().make_event(); }
void post_event(event_handle event) noexcept { here().post_event(event); }
void wait_event(event_handle event) noexcept { here().wait_event(event); }
bool try_wait_event(event_handle event) noexcept { return here().try_wait_event(event); }
void name_event(event_handle event, const char* name) noexcept { here().name_event(event, name); }

}  // namespace explore_detail

void require(bool holds, std::string_view what) noexcept {
  if (holds) return;
  explore_detail::here().broke(what);
  explore_detail::here().abandon();
}

std::string exploration::report() const {
  std::string text = violation.empty() ? "nothing broke" : violation;
  text += "\n" + std::to_string(executions) + " executions, " + std::to_string(random_executions) +
          " of them random, " + std::to_string(steps) + " operations, " + std::to_string(longest) +
          " in the longest; " +
          (is_complete ? "every choice within the limits was tried" : "not every choice was tried");
  if (!violation.empty()) text += "\n" + schedule + "replay: " + replay;
  return text + '\n';
}

}  // namespace pinion::sim
