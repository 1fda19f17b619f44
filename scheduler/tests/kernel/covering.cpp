// SPDX-License-Identifier: Apache-2.0
//
// Greedy: whichever has most pairs that no chosen one has, the first of them. Within a fifth of the least
// that is possible.
#include "covering.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace pinion::scheduler::testing {
namespace {

constexpr std::size_t values_max = 64;  // of all axes together
constexpr std::size_t pairs_of_one = 15;

// Each value has a number, and each pair a place.
class numbering {
 public:
  std::array<std::uint16_t, pairs_of_one> pairs_in(const composition& of) {
    std::array<std::size_t, axes.size()> numbers{};
    for (std::size_t axis = 0; axis != axes.size(); ++axis) {
      const auto named = std::pair{axis, of.*axes[axis]};
      numbers[axis] = numbers_.try_emplace(named, numbers_.size()).first->second;
    }
    std::array<std::uint16_t, pairs_of_one> pairs{};
    std::size_t k = 0;
    for (std::size_t one = 0; one != axes.size(); ++one)
      for (std::size_t other = one + 1; other != axes.size(); ++other)
        pairs[k++] = static_cast<std::uint16_t>(numbers[one] * values_max + numbers[other]);
    return pairs;
  }

 private:
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> numbers_;
};

}  // namespace

std::vector<composition> covering(const std::vector<composition>& all) {
  numbering numbers;
  std::vector<std::array<std::uint16_t, pairs_of_one>> pairs;
  pairs.reserve(all.size());
  for (const composition& each : all) pairs.push_back(numbers.pairs_in(each));

  std::vector<composition> chosen;
  std::vector<bool> is_met(values_max * values_max);
  for (;;) {
    std::size_t best = 0;
    std::ptrdiff_t most = 0;
    for (std::size_t k = 0; k != all.size(); ++k) {
      const auto fresh =
          std::count_if(pairs[k].begin(), pairs[k].end(), [&](std::uint16_t pair) { return !is_met[pair]; });
      if (fresh > most) most = fresh, best = k;
    }
    if (most == 0) return chosen;
    for (const std::uint16_t pair : pairs[best]) is_met[pair] = true;
    chosen.push_back(all[best]);
  }
}

}  // namespace pinion::scheduler::testing
