// SPDX-License-Identifier: Apache-2.0
//
// Programs of the model: made from a seed, in words, and made shorter.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/program/random_numbers.hpp"
#include "model.hpp"

namespace pinion::scheduler::testing {
namespace {

class maker {
 public:
  maker(std::uint64_t seed, const composition_factory& factory) : random_(seed) {
    if (factory.timers != nullptr) add(act::sleep, 3);
    if (factory.has_io()) add(act::ask, 3), add(act::io_sleep, 1);
    if (factory.channel != nullptr) add(act::wait, 3), add(act::push, 3);
    if (factory.channel != nullptr && factory.has_io()) add(act::push_by_port, 1);
    add(act::yield, 2);
    add(act::compute, 2);
    add(act::request, 1);
    add(act::reset, 1);
    has_channel_ = factory.channel != nullptr;
    has_io_ = factory.has_io();
  }

  program make() {
    program made{.timers_a_turn = std::array<std::size_t, 3>{2, 16, 256}[random_.below(3)]};
    made.scripts.resize(1 + random_.below(9));
    coroutines_ = made.scripts.size();
    for (script& each : made.scripts) {
      each.has_executor = random_.below(3) != 0;
      each.steps.resize(1 + random_.below(15));
      for (step& one : each.steps) one = make_step(each.has_executor);
    }
    if (random_.below(3) == 0) made.scripts.push_back(busy());
    if (has_io_ && random_.below(4) == 0) made.stops_io_after = any_length(25);
    if (has_channel_)
      for (std::uint64_t left = random_.below(8); left != 0; --left)
        made.pushes.push_back({.after = any_length(25), .event = random_.below(coroutines_)});
    return made;
  }

 private:
  void add(act what, int weight) {
    for (; weight != 0; --weight) choices_.push_back(what);
  }
  // Of any magnitude up to 2^bits ns, and sometimes nothing.
  duration any_length(unsigned bits) {
    return duration{random_.next() >> (64 - 1 - random_.below(bits)) & ((std::uint64_t{1} << bits) - 1)};
  }
  // One that computes again and again, and so keeps the loop from its waits for as long as it does.
  script busy() {
    script made;
    const duration each = any_length(20);
    for (std::uint64_t left = 20 + random_.below(100); left != 0; --left) {
      made.steps.push_back({.what = act::compute, .length = each});
      made.steps.push_back({.what = act::yield});
    }
    return made;
  }
  step make_step(bool has_executor) {
    step made{.what = choices_[random_.below(choices_.size())]};
    if (made.what == act::yield && !has_executor) made.what = act::compute;
    made.length = any_length(made.what == act::compute ? 20 : 23);
    const bool is_event = made.what == act::push || made.what == act::push_by_port;
    made.which = is_event ? random_.below(coroutines_) : 1 + random_.below(step::slots - 1);
    made.slot = random_.below(step::slots);
    // A wake may never come; all else ends by itself.
    if (made.what != act::wait && random_.below(4) == 0) made.slot = step::none;
    made.is_urgent = random_.below(3) == 0;
    made.can_be_cancelled = random_.below(4) != 0;
    return made;
  }

  bench::random_numbers random_;
  std::vector<act> choices_;
  std::size_t coroutines_ = 0;
  bool has_channel_ = false;
  bool has_io_ = false;
};

constexpr std::array<const char*, 10> act_names{"sleep", "ask",   "io_sleep", "wait",    "push",
                                                "port",  "yield", "compute",  "request", "reset"};

std::string text_of(const step& s) {
  std::string text = act_names[static_cast<std::size_t>(s.what)];
  if (s.what <= act::io_sleep || s.what == act::compute) text += ' ' + std::to_string(s.length.ns) + " ns";
  if (s.what == act::push || s.what == act::push_by_port) text += " event " + std::to_string(s.which);
  if (s.what == act::request || s.what == act::reset) text += " slot " + std::to_string(s.which);
  if (s.what <= act::wait && s.slot != step::none) text += " under " + std::to_string(s.slot);
  if (s.what == act::ask && s.is_urgent) text += ", urgent";
  if (s.what == act::ask && !s.can_be_cancelled) text += ", can't be cancelled";
  return text;
}

}  // namespace

std::string program::text() const {
  std::string all = "timers a turn: " + std::to_string(timers_a_turn) + '\n';
  for (std::size_t who = 0; who != scripts.size(); ++who) {
    all += std::to_string(who) + (scripts[who].has_executor ? ", a task: " : ", free: ");
    for (const step& each : scripts[who].steps) all += text_of(each) + "; ";
    all += '\n';
  }
  if (stops_io_after != forever)
    all += "the I/O is stopped after " + std::to_string(stops_io_after.ns) + " ns\n";
  for (const outside_push& each : pushes)
    all += "after " + std::to_string(each.after.ns) + " ns: push event " + std::to_string(each.event) + '\n';
  return all;
}

program drawn_program(std::uint64_t seed, const composition_factory& factory) {
  return maker{seed, factory}.make();
}

std::vector<program> shorter(const program& of) {
  std::vector<program> all;
  if (of.stops_io_after != forever) {
    all.push_back(of);
    all.back().stops_io_after = forever;
  }
  for (std::size_t k = 0; k != of.pushes.size(); ++k) {
    all.push_back(of);
    all.back().pushes.erase(all.back().pushes.begin() + static_cast<std::ptrdiff_t>(k));
  }
  for (std::size_t who = 0; who != of.scripts.size(); ++who) {
    if (of.scripts[who].steps.empty()) continue;
    all.push_back(of);  // its event stays, and who pushes it
    all.back().scripts[who].steps.clear();
    for (std::size_t k = 0; k != of.scripts[who].steps.size(); ++k) {
      all.push_back(of);
      auto& steps = all.back().scripts[who].steps;
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return all;
}

}  // namespace pinion::scheduler::testing
