// SPDX-License-Identifier: Apache-2.0
//
// A thousand actors on two owners, half on each. A thousand messages are under way; whoever is handed one
// sends it on to an actor that the message itself draws at random, until it has been handed on often enough.
//
//   conversation m = measure_actors<contestant>(1'000, 1'000);
//
// An actor of the same owner gets it through a queue that no other thread sees, one of the other owner
// through the contestant. Since each message draws from a stream of its own, how many each actor handles is
// the same whatever the threads do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "ping_pong.hpp"
#include "wakes.hpp"

namespace pinion::waker::bench {

/// Where a message is in its life. Whoever has the item has it.
struct alignas(64) journey {
  explicit journey(std::uint64_t seed) noexcept : random(seed) {}
  random_numbers random;
  std::size_t to = 0;
  std::size_t hops_left = 0;
};

inline std::vector<journey> journeys(std::size_t count, std::size_t actors, std::size_t hops) {
  std::vector<journey> all;
  all.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    journey& each = all.emplace_back(1'000 + k);
    each.to = each.random.below(actors);
    each.hops_left = hops;
  }
  return all;
}

/// Which actor handled how many, in one number.
inline std::uint64_t weighed(const std::vector<std::uint64_t>& handled) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t actor = 0; actor < handled.size(); ++actor) sum += handled[actor] * (2 * actor + 1);
  return sum;
}

/// One of the two. The first half of the actors are the first owner's.
template <class Contestant>
class actors_owner {
  using item = typename Contestant::item;

 public:
  actors_owner(bool is_first, std::size_t items, std::vector<journey>& all,
               std::vector<std::uint64_t>& handled, std::atomic<std::size_t>& finished)
      : inbox(items + 1), is_first_(is_first), journeys_(all), handled_(handled), finished_(finished),
        ready_(items) {}

  /// Before both run.
  void put(item& message) { ready_[end_++ % ready_.size()] = &message; }

  /// Until the last message has ended. Its CPU time.
  double run(actors_owner& other) {
    const on_core place{is_first_ ? std::size_t{0} : std::size_t{1}};
    const stopwatch watch;
    typename Contestant::sender sender{other.inbox};
    const auto handle = [&](item& message) { this->handle(message, sender); };
    while (!stopped_) {
      constexpr std::size_t slice = 64;
      for (std::size_t count = 0; count < slice && begin_ != end_; ++count) {
        handle(*ready_[begin_++ % ready_.size()]);
      }
      if (inbox.drain(handle) == 0 && begin_ == end_ && !stopped_) inbox.park(handle);
    }
    return watch.seconds();
  }

  Contestant inbox;

 private:
  void handle(item& message, typename Contestant::sender& sender) {
    if (message.payload == journeys_.size()) {
      stopped_ = true;
      return;
    }
    journey& way = journeys_[message.payload];
    ++handled_[way.to];
    if (--way.hops_left == 0) {
      // Memory ordering: relaxed; what counts is who is last, and the other one hears of it by a message.
      if (finished_.fetch_add(1, std::memory_order_relaxed) + 1 != journeys_.size()) return;
      stopped_ = true;
      end_of_all_.payload = journeys_.size();
      end_of_all_.number = journeys_.size();
      sender.push(end_of_all_);
      return;
    }
    way.to = way.random.below(handled_.size());
    if ((way.to < handled_.size() / 2) == is_first_) {
      put(message);
    } else {
      sender.push(message);
    }
  }

  bool is_first_;
  std::vector<journey>& journeys_;
  std::vector<std::uint64_t>& handled_;  // each actor's is its owner's
  std::atomic<std::size_t>& finished_;
  std::vector<item*> ready_;  // a ring: there are never more
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool stopped_ = false;
  item end_of_all_;
};

/// As many messages as actors. An operation is one message handled.
template <class Contestant>
conversation measure_actors(std::size_t actors, std::size_t hops) {
  std::vector<journey> all = journeys(actors, actors, hops);
  std::vector<std::uint64_t> handled(actors);
  std::atomic<std::size_t> finished{0};
  actors_owner<Contestant> first{true, actors, all, handled, finished};
  actors_owner<Contestant> second{false, actors, all, handled, finished};
  auto items = make_items(first.inbox, actors);
  for (std::size_t k = 0; k < actors; ++k) {
    items[k].payload = k;
    (all[k].to < actors / 2 ? first : second).put(items[k]);
  }

  conversation result{.operations = actors * hops};
  double cpu_second = 0;
  const auto begun = std::chrono::steady_clock::now();
  std::thread thread{[&] { cpu_second = second.run(first); }};
  const double cpu_first = first.run(second);
  thread.join();
  result.wall_seconds = seconds_since(begun);

  result.cpu_seconds = cpu_first + cpu_second;
  result.checksum = weighed(handled);
  std::vector<std::uint64_t> right(actors);
  for (journey& each : journeys(actors, actors, hops)) {
    ++right[each.to];
    while (--each.hops_left != 0) ++right[each.to = each.random.below(actors)];
  }
  result.expected = weighed(right);
  return result;
}

}  // namespace pinion::waker::bench
