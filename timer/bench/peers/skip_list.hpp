// SPDX-License-Identifier: Apache-2.0
//
// skip_list: a skip list of our own by (deadline, arming), as Java's and Redis's schedulers have. For
// comparison only.
//
// A quarter of the nodes of each level stand on the next one too. A node is allocated once, with links for
// its level alone, and used again for its level, so that the steady state allocates nothing.
#pragma once

#include <array>
#include <bench/program/random_numbers.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace pinion::timer::bench {

class skip_list {
  static constexpr std::size_t levels = 12;

  struct node {
    std::uint64_t deadline_ns;
    std::uint64_t arming;
    std::uint64_t payload;
    std::uint32_t height;
    bool is_armed;
    node* next[1];  // `height` of them

    [[nodiscard]] bool is_before(std::uint64_t deadline, std::uint64_t number) const noexcept {
      return deadline_ns != deadline ? deadline_ns < deadline : arming < number;
    }
  };

 public:
  explicit skip_list(std::uint64_t /*start_ns*/) : head_(make(levels)) {
    for (std::size_t level = 0; level < levels; ++level) link(head_, level) = nullptr;
  }
  skip_list(const skip_list&) = delete;
  skip_list& operator=(const skip_list&) = delete;
  ~skip_list() {
    for (node* const n : made_) std::free(n);
  }

  node* arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    const auto ones = static_cast<std::size_t>(std::countr_one(random_.next() | (std::uint64_t{1} << 63)));
    const std::size_t height = ones / 2 < levels ? ones / 2 + 1 : levels;
    node* n = free_[height - 1];
    if (n != nullptr) {
      free_[height - 1] = link(n, 0);
    } else {
      n = make(height);
    }
    n->payload = payload;
    insert(n, deadline_ns);
    return n;
  }
  std::uint64_t cancel(node* n) {
    if (!n->is_armed) return 0;
    take_out(n);
    return release(n);
  }
  node* push_on(node* n, std::uint64_t deadline_ns, std::uint64_t payload) {
    if (!n->is_armed) return arm(deadline_ns, payload);
    take_out(n);
    insert(n, deadline_ns);
    return n;
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    for (node* n = link(head_, 0); n != nullptr && n->deadline_ns <= now_ns; n = link(head_, 0)) {
      for (std::size_t level = 0; level < n->height; ++level) link(head_, level) = link(n, level);
      fired(release(n));
    }
  }
  std::uint64_t next_wakeup() const {
    const node* const first = link(head_, 0);
    return first == nullptr ? ~std::uint64_t{0} : first->deadline_ns;
  }

 private:
  using path = std::array<node*, levels>;

  static node*& link(node* n, std::size_t level) noexcept { return (&n->next[0])[level]; }

  node* make(std::size_t height) {
    void* const memory = std::malloc(sizeof(node) + (height - 1) * sizeof(node*));
    if (memory == nullptr) throw std::bad_alloc{};
    node* const n = static_cast<node*>(memory);
    n->height = static_cast<std::uint32_t>(height);
    n->is_armed = false;
    made_.push_back(n);
    return n;
  }
  /// On each level the last node before this place.
  [[nodiscard]] path before(std::uint64_t deadline_ns, std::uint64_t arming) const noexcept {
    path result;
    node* at = head_;
    for (std::size_t level = levels; level-- > 0;) {
      for (node* next = link(at, level); next != nullptr && next->is_before(deadline_ns, arming);) {
        at = std::exchange(next, link(next, level));
      }
      result[level] = at;
    }
    return result;
  }
  void insert(node* n, std::uint64_t deadline_ns) noexcept {
    n->deadline_ns = deadline_ns;
    n->arming = next_arming_++;
    n->is_armed = true;
    const path places = before(n->deadline_ns, n->arming);
    for (std::size_t level = 0; level < n->height; ++level) {
      link(n, level) = std::exchange(link(places[level], level), n);
    }
  }
  void take_out(node* n) noexcept {
    const path places = before(n->deadline_ns, n->arming);
    for (std::size_t level = 0; level < n->height; ++level) link(places[level], level) = link(n, level);
  }
  std::uint64_t release(node* n) noexcept {
    n->is_armed = false;
    link(n, 0) = std::exchange(free_[n->height - 1], n);
    return n->payload;
  }

  pinion::bench::random_numbers random_{1};
  std::uint64_t next_arming_ = 0;
  std::vector<node*> made_;
  std::array<node*, levels> free_{};
  node* head_;
};

}  // namespace pinion::timer::bench
