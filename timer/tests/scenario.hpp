// SPDX-License-Identifier: Apache-2.0
//
// scenario: a store and a complete, naive account of what was asked of it, for laws to judge by.
//
//   scenario s{factory, instant{0}};
//   const std::size_t id = s.arm(instant{5'000'000});
//   s.poll(instant{4'999'999});
//   if (s.has_fired(id)) return s.broken("timer {} fired early", id);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "any_store.hpp"
#include "laws.hpp"

namespace pinion::timer::testing {

/// splitmix64: the same numbers for a seed on every machine.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }
  /// Evenly from 0 to bound - 1.
  std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<wide>(next()) * bound) >> 64);
  }
  /// A length whose magnitude is as likely to be microseconds as hours: even in its number of bits up to
  /// `bits`.
  duration any_length(unsigned bits) noexcept { return duration{next() >> (63 - below(bits))}; }

 private:
  std::uint64_t state_;
};

class scenario {
 public:
  struct timer {
    instant deadline;
    instant armed_at;
    handle name;
    int fired = 0;
    int cancelled = 0;
  };
  struct firing {
    std::size_t id;
    instant deadline;
    instant now;
    std::size_t poll;  // the how many-th poll
  };

  explicit scenario(const store_factory& factory, instant start = instant{0}, unsigned generation_bits = 32)
      : seed(factory.seed), random(factory.seed),
        store(factory.make({.start = start, .generation_bits = generation_bits, .seed = factory.seed})),
        now(start) {}

  std::size_t arm(instant deadline) {
    const std::size_t id = timers.size();
    timers.push_back({deadline, now, {}});
    timers[id].name = store->schedule(deadline, token{book, id});
    return id;
  }

  /// Cancels, and says whether the store gave this very timer back.
  bool cancel(std::size_t id) {
    const std::optional<token> back = store->cancel(timers[id].name);
    if (!back) return false;
    if (!back->holds() || back->id() != id) wrong_value = true;
    ++timers[id].cancelled;
    return true;
  }

  bool reschedule(std::size_t id, instant deadline) {
    if (!store->reschedule(timers[id].name, deadline)) return false;
    timers[id].deadline = deadline;
    timers[id].armed_at = now;
    return true;
  }

  /// Polls, recording what fires; then calls `then(id)` for each firing, inside the sink.
  template <class Then>
  poll_result poll(instant at, std::size_t budget, Then&& then) {
    if (budget != 0 && now < at) now = at;
    ++polls;
    auto sink = [&](handle h, instant deadline, token&& value) {
      const token taken{std::move(value)};
      if (!taken.holds() || taken.id() >= timers.size() || !(timers[taken.id()].name == h)) {
        wrong_value = true;
        return;
      }
      ++timers[taken.id()].fired;
      fired.push_back({taken.id(), deadline, at, polls});
      then(taken.id());
    };
    last = store->poll(at, budget, sink);
    return last;
  }
  poll_result poll(instant at, std::size_t budget = unlimited) {
    return poll(at, budget, [](std::size_t) {});
  }

  [[nodiscard]] bool has_fired(std::size_t id) const { return timers[id].fired != 0; }
  [[nodiscard]] bool is_armed(std::size_t id) const { return timers[id].fired + timers[id].cancelled == 0; }
  [[nodiscard]] std::size_t armed() const {
    std::size_t count = 0;
    for (std::size_t id = 0; id < timers.size(); ++id) {
      if (is_armed(id)) ++count;
    }
    return count;
  }
  /// How late the timer may be: the bound for its distance when it was armed.
  [[nodiscard]] duration bound(std::size_t id) const {
    return store->lateness_bound(timers[id].deadline - timers[id].armed_at);
  }

  /// A violation: the words, then the seed.
  template <class... Words>
  [[nodiscard]] violation broken(const Words&... words) const {
    return in_words(words..., " (seed ", seed, ", now ", now.ns, ')');
  }

  std::uint64_t seed;
  random_numbers random;
  ledger book;
  std::vector<timer> timers;
  std::vector<firing> fired;
  std::unique_ptr<any_store> store;  // after the ledger its tokens report to
  instant now;
  std::size_t polls = 0;
  poll_result last;
  bool wrong_value = false;  // a value came back empty, or under another timer's handle
};

}  // namespace pinion::timer::testing
