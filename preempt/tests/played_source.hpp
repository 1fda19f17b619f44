// SPDX-License-Identifier: Apache-2.0
//
// each_with_a_source: an any_source over shipped sources, one for each owner. What plays the machine behind
// them derives from it.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "any_source.hpp"

namespace pinion::preempt::testing {

template <class T>
void add_bytes(std::vector<std::byte>& to, const T& of) {
  const auto* first = reinterpret_cast<const std::byte*>(&of);
  to.insert(to.end(), first, first + sizeof of);
}

// One source for each owner, in a list that moves none. `Source` is made of what emplace() is given.
template <class Source>
class each_with_a_source : public any_source {
 public:
  using any_source::any_source;

  void begin(instant until, std::size_t who) override { sources_[who].begin(now(), until); }
  void rest(std::size_t who) override { sources_[who].rest(); }
  bool is_due(std::size_t who) override { return sources_[who].word().is_due(); }
  [[nodiscard]] const void* word(std::size_t who) const override { return &sources_[who].word(); }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t who) const override {
    std::vector<std::byte> all;
    add_bytes(all, sources_[who]);
    return all;
  }

 protected:
  [[nodiscard]] instant next_event() const override { return never; }
  void happen() override {}

  std::deque<Source> sources_;
};

}  // namespace pinion::preempt::testing
