// SPDX-License-Identifier: Apache-2.0
//
// absl_btree_and_hash: the same as multimap_and_hash in Abseil's containers, which hold many entries to a
// node and hash without one: absl::btree_map by (deadline, number), and an absl::flat_hash_map from number to
// deadline.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pinion::timer::bench {

class absl_btree_and_hash {
 public:
  explicit absl_btree_and_hash(std::uint64_t /*start_ns*/) {}

  std::uint64_t arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    const std::uint64_t number = next_++;
    deadlines_.emplace(number, deadline_ns);
    by_deadline_.emplace(key{deadline_ns, number}, payload);
    return number;
  }
  std::uint64_t cancel(std::uint64_t number) {
    const auto deadline = deadlines_.find(number);
    if (deadline == deadlines_.end()) return 0;
    const auto place = by_deadline_.find(key{deadline->second, number});
    const std::uint64_t payload = place->second;
    by_deadline_.erase(place);
    deadlines_.erase(deadline);
    return payload;
  }
  std::uint64_t push_on(std::uint64_t number, std::uint64_t deadline_ns, std::uint64_t payload) {
    const auto deadline = deadlines_.find(number);
    if (deadline == deadlines_.end()) return arm(deadline_ns, payload);
    by_deadline_.erase(key{deadline->second, number});
    by_deadline_.emplace(key{deadline_ns, number}, payload);
    deadline->second = deadline_ns;
    return number;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    while (!by_deadline_.empty() && by_deadline_.begin()->first.first <= now_ns) {
      const auto [place, payload] = *by_deadline_.begin();
      by_deadline_.erase(by_deadline_.begin());
      deadlines_.erase(place.second);
      fired(payload);
    }
  }
  std::uint64_t next_wakeup() const {
    return by_deadline_.empty() ? ~std::uint64_t{0} : by_deadline_.begin()->first.first;
  }
  void reserve(std::size_t n) { deadlines_.reserve(n); }

 private:
  using key = std::pair<std::uint64_t, std::uint64_t>;

  std::uint64_t next_ = 1;
  absl::btree_map<key, std::uint64_t> by_deadline_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> deadlines_;
};

}  // namespace pinion::timer::bench
