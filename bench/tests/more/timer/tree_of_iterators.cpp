// SPDX-License-Identifier: Apache-2.0
//
// A contestant from outside the tree, the least there can be: timers in a std::multimap, named by iterators,
// so that nobody may cancel one that fired. It joins the program by the object at the end. `./check bench`
// copies it out of the tree and measures it; it is the one to copy.
#include <bench/program/program.hpp>
#include <cstdint>
#include <map>
#include <timer/bench/benchmarks.hpp>

namespace {

class tree_of_iterators {
  using tree = std::multimap<std::uint64_t, std::uint64_t>;

 public:
  explicit tree_of_iterators(std::uint64_t /*start_ns*/) {}

  tree::iterator arm(std::uint64_t deadline_ns, std::uint64_t payload) {
    return timers_.emplace(deadline_ns, payload);
  }
  std::uint64_t cancel(tree::iterator place) {
    const std::uint64_t payload = place->second;
    timers_.erase(place);
    return payload;
  }
  tree::iterator push_on(tree::iterator place, std::uint64_t deadline_ns, std::uint64_t payload) {
    timers_.erase(place);
    return arm(deadline_ns, payload);
  }
  template <class Fired>
  void advance(std::uint64_t now_ns, Fired fired) {
    for (; !timers_.empty() && timers_.begin()->first <= now_ns; timers_.erase(timers_.begin())) {
      fired(timers_.begin()->second);
    }
  }

 private:
  tree timers_;
};

const pinion::bench::more contestant{
    [] { pinion::timer::bench::add_touching<tree_of_iterators>("tree_of_iterators", 10'000); }};

}  // namespace
