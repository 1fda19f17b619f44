// SPDX-License-Identifier: Apache-2.0
//
// multimap_and_hash: timers as they are most often written by hand, a std::multimap by deadline and a hash
// index from a timer's number to its place in it.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace pinion::timer::bench {

class multimap_and_hash {
 public:
  explicit multimap_and_hash(std::uint64_t /*start_ns*/) {}

  std::uint64_t arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    const std::uint64_t number = next_++;
    places_.emplace(number, by_deadline_.emplace(deadline_ns, entry{number, payload}));
    return number;
  }
  std::uint64_t cancel(std::uint64_t number) {
    const auto place = places_.find(number);
    if (place == places_.end()) return 0;
    const std::uint64_t payload = place->second->second.payload;
    by_deadline_.erase(place->second);
    places_.erase(place);
    return payload;
  }
  /// The node is kept: the best that the two containers offer.
  std::uint64_t push_on(std::uint64_t number, std::uint64_t deadline_ns, std::uint64_t payload) {
    const auto place = places_.find(number);
    if (place == places_.end()) return arm(deadline_ns, payload);
    auto node = by_deadline_.extract(place->second);
    node.key() = deadline_ns;
    place->second = by_deadline_.insert(std::move(node));
    return number;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    while (!by_deadline_.empty() && by_deadline_.begin()->first <= now_ns) {
      const entry due = by_deadline_.begin()->second;
      by_deadline_.erase(by_deadline_.begin());
      places_.erase(due.number);
      fired(due.payload);
    }
  }
  std::uint64_t next_wakeup() const {
    return by_deadline_.empty() ? ~std::uint64_t{0} : by_deadline_.begin()->first;
  }

 private:
  struct entry {
    std::uint64_t number;
    std::uint64_t payload;
  };
  using tree = std::multimap<std::uint64_t, entry>;

  std::uint64_t next_ = 1;
  tree by_deadline_;
  std::unordered_map<std::uint64_t, tree::iterator> places_;
};

}  // namespace pinion::timer::bench
