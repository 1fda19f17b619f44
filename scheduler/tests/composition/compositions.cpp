// SPDX-License-Identifier: Apache-2.0
//
// scheduler::turn over any parts, and the list of all compositions.
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "composition.hpp"

namespace pinion::scheduler::testing {
namespace {

// A clock whose readings take time, in which others do what they do: or nothing would ever end a spin.
struct passing_clock {
  world* in;
  [[nodiscard]] instant now() const {
    in->pass(duration{400});
    return in->now();
  }
};

template <class Clock, class Timers, class Channel, class Io, class Slices>
class turn_of final : public any_turn {
 public:
  turn_of(Timers& timers, Channel& channel, Io& io, Slices& slices, const turn_options& options, Clock clock)
      : turn_(timers, channel, io, slices, options, clock) {}

  void operator()(loop_executor& tasks) override { turn_(tasks); }
  void end(cancel_slot& all, loop_executor& tasks, const std::function<bool()>& is_over) override {
    turn_.end(all, tasks, is_over);
  }

 private:
  turn<Timers, Channel, Io, Slices, Clock> turn_;
};

template <class Timers, class Channel, class Io, class Slices>
std::unique_ptr<any_turn> turn_over(Timers& timers, Channel& channel, Io& io, Slices& slices, world& in,
                                    const turn_options& options) {
  using clock = sim::virtual_clock::view;
  return std::make_unique<turn_of<clock, Timers, Channel, Io, Slices>>(timers, channel, io, slices, options,
                                                                       clock{in.clock()});
}

// With the part, or without it.
template <class Part, class Then>
std::unique_ptr<any_turn> with(const std::unique_ptr<Part>& part, Then then) {
  return part != nullptr ? then(*part) : then(absent);
}

std::unique_ptr<any_turn> make_shipped(composition& of, const turn_options& options) {
  return with(of.timers, [&](auto& timers) {
    return with(of.slices, [&](auto& slices) {
      if (of.io == nullptr) return turn_over(timers, *of.channel, absent, slices, of.in, options);
      return with(of.channel,
                  [&](auto& channel) { return turn_over(timers, channel, *of.io, slices, of.in, options); });
    });
  });
}

constexpr duration longest_spin{20'000};

std::unique_ptr<any_turn> make_spinning(composition& of, const turn_options& options) {
  turn_options spins = options;
  spins.spin = {.most = longest_spin, .cores = 2};
  using all_parts = turn_of<passing_clock, any_timers, any_channel, any_io, any_slices>;
  return std::make_unique<all_parts>(*of.timers, *of.channel, *of.io, *of.slices, spins,
                                     passing_clock{&of.in});
}

void alter(const std::function<void(composition&)>& by, composition& what) {
  if (by) by(what);
}

}  // namespace

const turn_value& shipped_turn() {
  static const turn_value shipped{.name = "turn", .make = &make_shipped};
  return shipped;
}

const turn_value& spinning_turn() {
  static const turn_value value{.name = "turn that spins", .make = &make_spinning, .spin = longest_spin};
  return value;
}

std::unique_ptr<composition> composition_factory::make(world& in, const turn_options& options) const {
  auto made = std::make_unique<composition>(in);
  if (policy != nullptr) made->io = policy->make(in, *ring, seed);
  alter(alter_io, *made);
  if (timers != nullptr) made->timers = timers->make(in);
  alter(alter_timers, *made);
  if (channel != nullptr) {
    in.has_messages = channel->has_messages;
    made->channel = channel->make(in, made->io.get());
  }
  alter(alter_channel, *made);
  if (source != nullptr) made->slices = source->make(in, made->io.get());
  alter(alter_slices, *made);
  made->tasks = std::make_unique<loop_executor>(made->slices.get());
  made->turn = turn->make(*made, options);
  return made;
}

std::string composition_factory::described() const {
  if (!name.empty()) return name;
  std::string text;
  const auto add = [&](const char* what) { text.append(text.empty() ? "" : ", ").append(what); };
  add(timers != nullptr ? timers->name : "no timers");
  add(channel != nullptr ? channel->inbox : "no channel");
  if (channel != nullptr) add(channel->notifier);
  add(policy != nullptr ? policy->name : "no I/O");
  if (ring != nullptr) add(ring->name);
  add(source != nullptr ? source->name : "no slices");
  if (turn->spin != duration{}) add("spins");
  return text;
}

namespace {

using list = std::vector<composition_factory>;

// Every ring, policy and source around these, with slices or without.
void add_around(list& to, const composition_factory& these, bool without_slices) {
  for (const temper& ring : all_tempers()) {
    for (const policy_value& policy : all_policies()) {
      composition_factory one = these;
      one.ring = &ring;
      one.policy = &policy;
      if (without_slices) {
        to.push_back(one);
        continue;
      }
      for (const source_value& source : all_sources()) {
        one.source = &source;
        to.push_back(one);
      }
    }
  }
}

list with_all_parts(const timers_value& timers) {
  list all;
  for (const inbox_and_notifier& channel : all_channels())
    add_around(all, {.timers = &timers, .channel = &channel, .turn = &shipped_turn()}, false);
  return all;
}

list without_some() {
  list all;
  const composition_factory none{.turn = &shipped_turn()};
  for (const timers_value& timers : all_timers()) {
    composition_factory one = none;
    one.timers = &timers;
    add_around(all, one, false);  // no channel
    for (const inbox_and_notifier& channel : all_waiting_channels()) {
      composition_factory without_io = one;
      without_io.channel = &channel;
      all.push_back(without_io);  // nor slices
      for (const source_value& source : all_sources()) {
        without_io.source = &source;
        if (!source.is_the_rings) all.push_back(without_io);
      }
    }
  }
  for (const inbox_and_notifier& channel : all_channels()) {
    composition_factory one = none;
    one.channel = &channel;
    add_around(all, one, false);  // no timers
    one.timers = &all_timers().front();
    add_around(all, one, true);  // no slices
  }
  for (const inbox_and_notifier& channel : all_waiting_channels()) {
    composition_factory one = none;
    one.channel = &channel;
    all.push_back(one);  // a channel alone
  }
  add_around(all, none, false);  // I/O alone
  return all;
}

}  // namespace

std::vector<composition_factory> compositions_with(const timers_value* timers) {
  return timers != nullptr ? with_all_parts(*timers) : without_some();
}

std::vector<composition_factory> spinning(std::vector<composition_factory> all) {
  for (composition_factory& each : all) each.turn = &spinning_turn();
  return all;
}

std::vector<composition_factory> every_pair_of(const std::vector<composition_factory>& all) {
  using value = std::pair<std::size_t, const void*>;  // of which axis
  const auto values_of = [](const composition_factory& one) {
    return std::array<value, 5>{value{0, one.timers}, value{1, one.channel}, value{2, one.ring},
                                value{3, one.policy}, value{4, one.source}};
  };
  std::set<std::pair<value, value>> met;
  std::vector<composition_factory> some;
  // Those first that bring the most new pairs, as far as one look at each can tell.
  for (const std::size_t least : {10U, 7U, 4U, 2U, 1U}) {
    for (const composition_factory& one : all) {
      std::set<std::pair<value, value>> pairs;
      const auto values = values_of(one);
      for (const value& a : values)
        for (const value& b : values)
          if (a.first < b.first && !met.contains({a, b})) pairs.insert({a, b});
      if (pairs.size() < least) continue;
      met.merge(pairs);
      some.push_back(one);
    }
  }
  return some;
}

}  // namespace pinion::scheduler::testing
