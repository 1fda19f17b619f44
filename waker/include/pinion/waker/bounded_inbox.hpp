// SPDX-License-Identifier: Apache-2.0
//
// bounded_inbox<256>: a ring of pointers that never refuses: what finds it full hangs on its newest cell.
//
// Against tagged_inbox, bounded_inbox saves the owner the walk over scattered nodes to turn a chain round,
// and costs its producers one more read-modify-write. A bounded_inbox allocates nothing and is 2 KB large.
//
//   bounded_inbox<256> inbox;                                          // used as every inbox
//   if (inbox.push(node) == push_result::signal) bell.signal();        // any thread
//   const bool is_too_small = inbox.overflowed() != 0;                 // said once through report(), too
//
// Position p, of all that were ever taken, is in cell p % 256, in lap p / 256. A cell's word is
//
//   vacant(lap)     free for the position of that lap; bit 1 is `sleeping`: the owner has armed here
//   node | parity   taken in a lap of this parity (bit 1): the newest node of a chain, nearly always of one
//   closed          for good
//
// A push takes the tail's cell by one compare-exchange from vacant(its lap) to its node: place, publication
// and the question whether the owner sleeps are one operation. So there are no holes: a thread that is
// descheduled hides no other thread's wakes. Then the tail goes on by one, and any push that finds it behind
// helps. A cell that still holds a node of the lap before means that the ring is full: the push puts its node
// before the newest cell's chain. All that its thread pushed before is there or earlier, and all that its
// thread pushes next is there or later, so the order of each producer holds. Only the owner empties cells.
//
// The owner arms in the cell at its head. If that cell is vacant nothing is queued, chains included, and
// every push must come here.
//
// Memory ordering. A cell: pushes are acq_rel. Release publishes node, link and what was done before; a
// chained push continues the release sequence, and the owner's exchange (acquire) sees all. Acquire is for
// the push that replaces `sleeping` (pairs with try_arm's release), and for a chained push: having met a node
// at position p its thread must from then on see a tail of at least p, or its next node could hang on an
// earlier cell. The owner's exchange releases, too, and pushes look at cells acquire: a push that meets a
// cell that was emptied sees a tail that is past it, and all earlier cells emptied, so the push does not look
// in vain again. The owner's own looks are relaxed: it only compares. tail_: loads acquire, advances release,
// and being read-modify-writes they continue each other's release sequences: a thread that sees tail t also
// sees cell t as the lap before left it, or later, so a node of the right parity in that cell is this lap's,
// and one bit of the lap is enough. A failed compare_exchange is followed by new looks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <pinion/base/assert.hpp>
#include <pinion/base/diagnostic.hpp>
#include <pinion/waker/concept.hpp>
#include <pinion/waker/detail/taken_wakes.hpp>
#include <utility>

namespace pinion::waker::inline PINION_MODE {

/// Over any sync_traits. Capacity is how many nodes it takes before it overflows.
template <sync_traits Sync, std::size_t Capacity>
class basic_bounded_inbox {
  static_assert(Capacity >= 2 && (Capacity & (Capacity - 1)) == 0,
                "a ring's capacity is a power of two, 2 at least");

 public:
  /// What it keeps, and what a drain takes out.
  using node_type = basic_wake_node<Sync>;
  using taken_type = basic_taken_wakes<Sync>;

  /// Empty, and awake.
  basic_bounded_inbox() noexcept {
    for (word& cell : cells_) {
      Sync::name(cell, "cell");
      cell.store(vacant(0), std::memory_order_relaxed);  // handing the inbox to other threads publishes it
    }
    Sync::name(tail_, "tail");
  }
  basic_bounded_inbox(const basic_bounded_inbox&) = delete;
  basic_bounded_inbox& operator=(const basic_bounded_inbox&) = delete;
  /// Nobody may push any more. Nodes that are still here are let go without being delivered.
  ~basic_bounded_inbox() {
    close([](node_type&) {});
  }

  /// Queues the node unless it is queued. Any thread; lock-free; see push_result for what to do next.
  [[nodiscard]] push_result push(node_type& node) noexcept;

  /// The owner: hands out what was here when the drain began, oldest first, and ends being armed. Returns how
  /// many. A drain within the sink takes over what the outer drain has left.
  template <class Sink>
  std::size_t drain(Sink&& sink);

  /// The owner: takes what is here, for running later. Until all is run, pushes of these nodes merge into
  /// what was taken.
  taken_type take() noexcept {
    if (closed_) return taken_type{};
    disarm();
    collect();
    return std::move(taken_);
  }

  /// The owner, before it sleeps: from now on the first push is told to signal. False if there is something
  /// to drain, or the inbox is closed. Arming twice is arming once.
  [[nodiscard]] bool try_arm() noexcept {
    if (!taken_.empty() || closed_) return false;
    std::uint64_t seen = vacant(head_);
    armed_ = cell(head_).compare_exchange_strong(seen, seen | sleeping, std::memory_order_release,
                                                 std::memory_order_relaxed) ||
             seen == (vacant(head_) | sleeping);
    return armed_;
  }

  /// The owner: takes the arming back. True if the inbox was armed and stays unsignalled; false if it was not
  /// armed, or a push came first, whose signal is on its way.
  bool disarm() noexcept {
    if (!std::exchange(armed_, false)) return false;
    std::uint64_t seen = vacant(head_) | sleeping;
    return cell(head_).compare_exchange_strong(seen, vacant(head_), std::memory_order_relaxed,
                                               std::memory_order_relaxed);
  }

  /// The owner: whether a drain would find something. One load.
  [[nodiscard]] bool has_wakes() const noexcept {
    return !taken_.empty() || is_node(cells_[head_ % Capacity].load(std::memory_order_relaxed));
  }

  /// The owner: refuses every push from now on and hands what is here to the sink. Returns how many. Twice
  /// does no harm; after a sink that threw, the second call hands out the rest.
  template <class Sink>
  std::size_t close(Sink&& sink) {
    disarm();
    while (!closed_) {
      collect();
      std::uint64_t seen = vacant(head_);
      closed_ = cell(head_).compare_exchange_strong(seen, closed, std::memory_order_release,
                                                    std::memory_order_relaxed);
    }
    return taken_.run(sink);
  }

  /// The owner: whether close() was called.
  [[nodiscard]] bool is_closed() const noexcept { return closed_; }

  /// The owner: how many of the nodes taken so far had found the ring full.
  [[nodiscard]] std::uint64_t overflowed() const noexcept { return overflowed_; }

 private:
  using word = typename Sync::template atomic<std::uint64_t>;

  static constexpr std::uint64_t not_a_node = 1;
  static constexpr std::uint64_t sleeping = 2;
  static constexpr std::uint64_t odd_lap = 2;
  static constexpr std::uint64_t closed = not_a_node | 4;

  static constexpr std::uint64_t vacant(std::uint64_t position) noexcept {
    return position / Capacity << 3 | not_a_node;
  }
  static constexpr std::uint64_t parity(std::uint64_t position) noexcept {
    return (position / Capacity & 1) * odd_lap;
  }
  static bool is_node(std::uint64_t seen) noexcept { return (seen & not_a_node) == 0; }
  static bool is_node_at(std::uint64_t seen, std::uint64_t position) noexcept {
    return is_node(seen) && (seen & odd_lap) == parity(position);
  }
  static node_type* node_of(std::uint64_t seen) noexcept {
    return reinterpret_cast<node_type*>(seen & ~odd_lap);  // NOLINT(performance-no-int-to-ptr): tags, too
  }
  static std::uint64_t word_of(node_type& node, std::uint64_t parity_bit) noexcept {
    return reinterpret_cast<std::uintptr_t>(&node) | parity_bit;
  }

  word& cell(std::uint64_t position) noexcept { return cells_[position % Capacity]; }

  void advance(std::uint64_t tail) noexcept;
  bool chain(node_type& node, std::uint64_t tail) noexcept;
  std::uint64_t find_end() noexcept;
  node_type* take_cell() noexcept;
  void collect() noexcept;
  void warn_of_overflow() noexcept;

  alignas(cache_line_bytes) word tail_{0};
  alignas(cache_line_bytes) std::array<word, Capacity> cells_{};
  // The owner's.
  alignas(cache_line_bytes) std::uint64_t head_ = 0;
  taken_type taken_;
  std::uint64_t overflowed_ = 0;
  bool armed_ = false;
  bool closed_ = false;
  bool warned_ = false;
};

/// The inbox that is shipped.
template <std::size_t Capacity = 256>
using bounded_inbox = basic_bounded_inbox<std_sync, Capacity>;

// ---- Implementation ----

template <sync_traits Sync, std::size_t Capacity>
push_result basic_bounded_inbox<Sync, Capacity>::push(node_type& node) noexcept {
  if (!node.claim()) return push_result::queued;
  for (;;) {
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    std::uint64_t seen = cell(tail).load(std::memory_order_acquire);
    if ((seen & ~sleeping) == vacant(tail)) {
      node.set_next(nullptr);
      if (cell(tail).compare_exchange_strong(seen, word_of(node, parity(tail)), std::memory_order_acq_rel,
                                             std::memory_order_relaxed)) {
        advance(tail);
        return (seen & sleeping) != 0 ? push_result::signal : push_result::queued;
      }
    } else if (is_node_at(seen, tail)) {
      advance(tail);
    } else if (is_node(seen)) {
      if (chain(node, tail)) return push_result::queued;
    } else if (seen == closed) {
      node.unclaim();
      return push_result::closed;
    }
  }
}

// Moves the tail past a cell that is taken, unless somebody has.
template <sync_traits Sync, std::size_t Capacity>
void basic_bounded_inbox<Sync, Capacity>::advance(std::uint64_t tail) noexcept {
  tail_.compare_exchange_strong(tail, tail + 1, std::memory_order_release, std::memory_order_relaxed);
}

// Puts the node before the chain in the newest cell; false if that has changed meanwhile.
template <sync_traits Sync, std::size_t Capacity>
bool basic_bounded_inbox<Sync, Capacity>::chain(node_type& node, std::uint64_t tail) noexcept {
  word& newest = cell(tail - 1);
  std::uint64_t seen = newest.load(std::memory_order_acquire);
  if (!is_node(seen)) return false;
  node.set_next(node_of(seen));
  return newest.compare_exchange_strong(seen, word_of(node, seen & odd_lap), std::memory_order_acq_rel,
                                        std::memory_order_relaxed);
}

// The end of what is queued. Helps the tail past nodes whose pushers have not come so far, or one that is
// descheduled there would keep the owner from sleeping.
template <sync_traits Sync, std::size_t Capacity>
std::uint64_t basic_bounded_inbox<Sync, Capacity>::find_end() noexcept {
  for (;;) {
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    if (!is_node_at(cell(tail).load(std::memory_order_relaxed), tail)) return tail;
    advance(tail);
  }
}

template <sync_traits Sync, std::size_t Capacity>
auto basic_bounded_inbox<Sync, Capacity>::take_cell() noexcept -> node_type* {
  const std::uint64_t seen = cell(head_).exchange(vacant(head_ + Capacity), std::memory_order_acq_rel);
  PINION_ASSERT(is_node(seen), "the tail passed a cell that nobody had taken");
  ++head_;
  return node_of(seen);
}

template <sync_traits Sync, std::size_t Capacity>
void basic_bounded_inbox<Sync, Capacity>::collect() noexcept {
  for (const std::uint64_t end = find_end(); head_ < end;) {
    overflowed_ += taken_.append_newest_first(take_cell()) - 1;
  }
  warn_of_overflow();
}

template <sync_traits Sync, std::size_t Capacity>
template <class Sink>
std::size_t basic_bounded_inbox<Sync, Capacity>::drain(Sink&& sink) {
  if (closed_) return taken_.run(sink);
  disarm();
  const std::uint64_t end = find_end();
  // Pushes may hang on to the last cell while this drain is at work; they belong to the next one.
  const node_type* const latest =
      head_ < end ? node_of(cell(end - 1).load(std::memory_order_relaxed)) : nullptr;
  std::size_t count = taken_.run(sink);
  while (head_ < end) {
    const bool is_last = head_ + 1 == end;
    node_type* const newest = take_cell();
    std::size_t later = 0;
    for (const node_type* node = newest; is_last && node != latest; node = node->next()) {
      PINION_ASSERT(node != nullptr, "what was the newest node of a cell is not in its chain");
      ++later;
    }
    const std::size_t length = taken_.append_newest_first(newest);
    overflowed_ += length - 1;
    count += taken_.run(sink, length - later);
  }
  warn_of_overflow();
  return count;
}

template <sync_traits Sync, std::size_t Capacity>
void basic_bounded_inbox<Sync, Capacity>::warn_of_overflow() noexcept {
  if (overflowed_ == 0 || std::exchange(warned_, true)) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "an inbox of %zu overflowed into its list, which is slower and loses nothing: drain it more "
                "often, or take bounded_inbox<%zu>",
                Capacity, 2 * Capacity);
  report(severity::warning, "waker", "inbox-overflow", text);
}

}  // namespace pinion::waker::inline PINION_MODE
