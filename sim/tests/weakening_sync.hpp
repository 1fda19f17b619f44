// SPDX-License-Identifier: Apache-2.0
//
// weakening_sync: explored_sync with the memory order of one place in the code made weaker: a mutant for each
// order that is written down.
//
// Places are found by running the code once: each operation and each fence says where it stands. weakenings()
// then lists, for each order at each place, the next weaker ones, and `state.in_force` puts one of them in
// force.
#pragma once

#include <algorithm>
#include <pinion/sim/explored_sync.hpp>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace pinion::sim::testing {

/// One order at one place of the code.
struct order_site {
  std::string file, function, operation;
  unsigned line = 0, column = 0;
  std::memory_order order{};

  [[nodiscard]] bool is_at(const std::source_location& at, std::string_view what) const {
    return line == at.line() && column == at.column() && operation == what && file == at.file_name();
  }
};

/// A site, and a weaker order for it.
struct weakening {
  std::size_t site = 0;
  std::memory_order weaker{};
};

/// What is known of the code under test, and which weakening is in force.
struct weakenings_state {
  std::vector<order_site> sites;
  const weakening* in_force = nullptr;

  std::memory_order order_at(const std::source_location& at, const char* operation, std::memory_order order) {
    auto site =
        std::find_if(sites.begin(), sites.end(), [&](const order_site& s) { return s.is_at(at, operation); });
    if (site == sites.end()) {
      sites.push_back({at.file_name(), at.function_name(), operation, at.line(), at.column(), order});
      return order;
    }
    const auto number = static_cast<std::size_t>(site - sites.begin());
    return in_force != nullptr && in_force->site == number ? in_force->weaker : order;
  }
};

/// One for each Tag, so that the sites of two pieces of code are kept apart.
template <class Tag>
struct weakening_sync {
  static inline weakenings_state state;

  template <class T>
  class atomic {
    using place = std::source_location;

   public:
    using value_type = T;

    atomic() noexcept = default;
    atomic(T value) noexcept : right_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic's
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order, place at = place::current()) const noexcept {
      return right_.load(state.order_at(at, "load", order));
    }
    void store(T value, std::memory_order order, place at = place::current()) noexcept {
      right_.store(value, state.order_at(at, "store", order));
    }
    T exchange(T value, std::memory_order order, place at = place::current()) noexcept {
      return right_.exchange(value, state.order_at(at, "exchange", order));
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               place at = place::current()) noexcept {
      return right_.compare_exchange_weak(expected, desired, state.order_at(at, "compare_exchange", success),
                                          state.order_at(at, "compare_exchange that fails", failure));
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                                 place at = place::current()) noexcept {
      return right_.compare_exchange_strong(expected, desired,
                                            state.order_at(at, "compare_exchange", success),
                                            state.order_at(at, "compare_exchange that fails", failure));
    }
    T fetch_add(T operand, std::memory_order order, place at = place::current()) noexcept {
      return right_.fetch_add(operand, state.order_at(at, "fetch_add", order));
    }
    T fetch_sub(T operand, std::memory_order order, place at = place::current()) noexcept {
      return right_.fetch_sub(operand, state.order_at(at, "fetch_sub", order));
    }
    T fetch_or(T operand, std::memory_order order, place at = place::current()) noexcept {
      return right_.fetch_or(operand, state.order_at(at, "fetch_or", order));
    }
    T fetch_and(T operand, std::memory_order order, place at = place::current()) noexcept {
      return right_.fetch_and(operand, state.order_at(at, "fetch_and", order));
    }
    T fetch_xor(T operand, std::memory_order order, place at = place::current()) noexcept {
      return right_.fetch_xor(operand, state.order_at(at, "fetch_xor", order));
    }

   private:
    friend weakening_sync;
    explored_sync::atomic<T> right_;
  };

  template <class T>
  using plain = explored_sync::plain<T>;
  using event = explored_sync::event;

  static void fence(std::memory_order order,
                    std::source_location at = std::source_location::current()) noexcept {
    explored_sync::fence(state.order_at(at, "fence", order));
  }
  static void pause() noexcept { explored_sync::pause(); }
  static void yield() noexcept { explored_sync::yield(); }
  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         instant until = never) noexcept {
    explored_sync::futex_wait(word.right_, expected, until);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
    explored_sync::futex_wake(word.right_, count);
  }
  template <class T>
  static void name(const atomic<T>& word, const char* name) noexcept {
    explored_sync::name(word.right_, name);
  }
  template <class Other>
  static void name(const Other& other, const char* name) noexcept {
    explored_sync::name(other, name);
  }
};

/// The next weaker orders of each site.
inline std::vector<weakening> weakenings(const std::vector<order_site>& sites) {
  std::vector<weakening> all;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    switch (sites[k].order) {
    case std::memory_order_acquire:
    case std::memory_order_release: all.push_back({k, std::memory_order_relaxed}); break;
    case std::memory_order_acq_rel:
      all.push_back({k, std::memory_order_acquire});
      all.push_back({k, std::memory_order_release});
      break;
    case std::memory_order_seq_cst: all.push_back({k, std::memory_order_acq_rel}); break;
    default: break;
    }
  }
  return all;
}

inline const char* name_of(std::memory_order order) {
  switch (order) {
  case std::memory_order_relaxed: return "relaxed";
  case std::memory_order_acquire: return "acquire";
  case std::memory_order_release: return "release";
  case std::memory_order_acq_rel: return "acq_rel";
  default: return "seq_cst";
  }
}

/// "push: compare_exchange acq_rel, weakened to acquire": the same wherever the file stands and whatever its
/// line.
inline std::string name_of(const weakening& w, const std::vector<order_site>& sites) {
  const order_site& site = sites[w.site];
  // As compilers spell it: "push_result …::push(node_type &) [Sync = …]".
  std::string function = site.function.substr(0, site.function.find(" ["));
  function.resize(std::min(function.size(), function.rfind('(')));
  function.erase(0, function.find_last_of(": ") + 1);
  unsigned number = 1;  // of those that read the same in this function
  for (const order_site& other : sites) {
    number += other.file == site.file && other.function == site.function &&
                      other.operation == site.operation &&
                      (other.line < site.line || (other.line == site.line && other.column < site.column))
                  ? 1U
                  : 0U;
  }
  return function + ": " + site.operation + ' ' + std::to_string(number) + ", " + name_of(site.order) +
         " weakened to " + name_of(w.weaker);
}

}  // namespace pinion::sim::testing
