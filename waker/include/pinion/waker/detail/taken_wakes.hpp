// SPDX-License-Identifier: Apache-2.0
//
// taken_wakes: wakes that were taken out of an inbox and have not been run: an obligation, as a type.
//
// A wake that is taken and dropped is lost for ever: its node stays `queued`, and every later push merges
// into it. So what take() returns is [[nodiscard]], and in a checked build destroying it with anything inside
// is a violation.
//
//   auto wakes = inbox.take();
//   wakes.run([&](wake_node& node) { ready.push_back(node); }, 64);   // at most 64 now
//   wakes.run(to_ready);                                              // and the rest
//
// A taken_wakes is a list, oldest first, that one thread uses.
#pragma once

#include <cstddef>
#include <limits>
#include <pinion/base/assert.hpp>
#include <pinion/waker/wake_node.hpp>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// For run(): all that is there.
inline constexpr std::size_t all_wakes = std::numeric_limits<std::size_t>::max();

/// Over any sync_traits.
template <sync_traits Sync>
class [[nodiscard]] basic_taken_wakes {
 public:
  /// What was woken.
  using node_type = basic_wake_node<Sync>;

  /// None.
  basic_taken_wakes() noexcept = default;
  /// Takes over what `other` has; `other` is empty then.
  basic_taken_wakes(basic_taken_wakes&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  basic_taken_wakes& operator=(basic_taken_wakes&&) = delete;
  /// Everything in it must have been run.
  ~basic_taken_wakes() {
    PINION_ASSERT(empty(), "wakes were taken and not run: run() them, or their nodes are never woken again");
  }

  /// Whether nothing is left to run.
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  /// Hands up to `most` nodes to the sink, oldest first, and returns how many. Each is out of the list, and
  /// may be pushed again, before its call. If the sink throws, the rest is still here.
  template <class Sink>
  std::size_t run(Sink&& sink, std::size_t most = all_wakes) {
    std::size_t count = 0;
    while (first_ != nullptr && count != most) {
      node_type& node = *first_;
      first_ = node.next();
      ++count;
      node.unclaim();
      sink(node);
    }
    return count;
  }

  // For inboxes.

  /// Appends a chain that begins with its newest node and ends with null; returns its length.
  std::size_t append_newest_first(node_type* newest) noexcept {
    if (newest == nullptr) return 0;
    std::size_t count = 0;
    node_type* oldest = nullptr;
    for (node_type* node = newest; node != nullptr; ++count) {
      node_type* const older = node->next();
      node->set_next(oldest);
      oldest = node;
      node = older;
    }
    if (empty()) {
      first_ = oldest;
    } else {
      last_->set_next(oldest);
    }
    last_ = newest;
    return count;
  }

 private:
  node_type* first_ = nullptr;
  node_type* last_ = nullptr;  // means nothing while first_ is null
};

/// The list that is shipped.
using taken_wakes = basic_taken_wakes<std_sync>;

}  // namespace pinion::waker::inline PINION_MODE
