// SPDX-License-Identifier: Apache-2.0
//
// chunk_census: counts the chunks of a pool of chains, and finds one that is lost, or in two places.
//
// walk() is called for each chain, and unaccounted() after all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pinion/timer/detail/chunk_chains.hpp>
#include <pinion/timer/detail/invariant.hpp>
#include <string>
#include <vector>

namespace pinion::timer::inline PINION_MODE {

class chunk_census {
 public:
  /// Of a pool, of whose chunks none was seen yet.
  explicit chunk_census(const chunk_chains& pool) : pool_(pool), owners_(pool.made_, no_one) {}

  /// Calls `visit(number, chunk)` for each number of a chain, first to last; says what is wrong with it, or
  /// nothing.
  template <class Visit>
  [[nodiscard]] std::string walk(std::size_t owner, const chunk_chains::chain& c, Visit&& visit) {
    using invariant_detail::broken;
    if (c.empty())
      return c.is_full() ? std::string{} : broken("chain ", owner, " has no chunk, and room in its last");
    const std::size_t fill = chunk_chains::fill_of_last(c);
    if (fill == 0) return broken("chain ", owner, " has no number in its last chunk");
    for (std::uint32_t at = c.head;; at = pool_.chunks_[at].words[chunk_chains::chunk_size]) {
      if (std::string taken = take(at, static_cast<std::uint32_t>(owner)); !taken.empty()) return taken;
      const chunk_chains::chunk& chunk = pool_.chunks_[at];
      const bool is_last = chunk_chains::is_last(c, chunk);
      for (std::size_t k = 0; k < (is_last ? fill : chunk_chains::chunk_size); ++k) {
        if (chunk.words[k] != chunk_chains::nothing) visit(chunk.words[k], chunk);
      }
      if (is_last) return {};
    }
  }

  /// To be called when all chains were walked: which chunk is in none and not free, or both; or nothing.
  [[nodiscard]] std::string unaccounted() {
    std::size_t free = 0;
    for (std::uint32_t at = pool_.free_; at != chunk_chains::nothing;
         at = pool_.chunks_[at].words[chunk_chains::chunk_size]) {
      if (std::string taken = take(at, free_list); !taken.empty()) return taken;
      ++free;
    }
    if (free != pool_.free())
      return invariant_detail::broken(free, " chunks are free, and the pool counts ", pool_.free());
    for (std::size_t k = 0; k < owners_.size(); ++k) {
      if (owners_[k] == no_one) return invariant_detail::broken("chunk ", k, " is in no chain and not free");
    }
    return {};
  }

 private:
  static constexpr std::uint32_t no_one = ~std::uint32_t{0};
  static constexpr std::uint32_t free_list = no_one - 1;

  [[nodiscard]] std::string take(std::uint32_t chunk, std::uint32_t owner) {
    if (chunk >= owners_.size()) {
      return invariant_detail::broken("chain ", owner, " goes on in chunk ", chunk, " of ", owners_.size());
    }
    if (owners_[chunk] != no_one) {
      return invariant_detail::broken("chunk ", chunk, " is in chain ", owners_[chunk], " and in ", owner,
                                      " (", free_list, " is the free list)");
    }
    owners_[chunk] = owner;
    return {};
  }

  const chunk_chains& pool_;
  std::vector<std::uint32_t> owners_;
};

}  // namespace pinion::timer::inline PINION_MODE
