// SPDX-License-Identifier: Apache-2.0
//
// checked_cell, unchecked_cell: how an executor reaches what its tasks share, and what is looked at there.
//
//   struct watched_parts : default_parts {
//     using cell = checked_cell;
//   };
//   basic_executor<watched_parts> loop;
//
// An executor's queues, and the order in which they run, are reached by a *borrow*, which enter() gives. The
// borrow of an unchecked cell is the bare reference: no instruction and no byte more. That is safe by the
// rules below. A checked cell looks whether they hold, in each build. A broken one reaches the violation
// handler (assert.hpp): its condition is the rule, its place is in the executor's function.
//
//   U1  The thread that made an executor makes all calls to it. channel() alone is for every thread.
//       checked_cell: each borrow, each task that is made ready, each timer that is armed, each call.
//   U2  A borrow ends before a task runs, and is not used afterwards. So nobody holds a reference to what
//       is shared while resume() changes it.
//       By type: what is shared is private, enter() is the way there, a borrow is neither copied nor moved.
//       checked_cell: its generation moves on where a borrow begins and ends.
//   U3  There is one borrow at a time, and inside it no code of the program is called.
//       checked_cell: a borrow that begins while there is one; so also one that is held across a task.
//   U4  An executor does not run inside a task, its own or that of another executor on this thread. It does
//       not end inside its own.
//       checked_cell: where run() begins, and the destructor.
//   U5  A queue lives as long as its executor, and has tasks of that one alone.
//       By type: no queue is removed, and only its executor destroys one. checked_cell: the queue of each
//       task that is made ready.
//
// No cell sees a join_handle that is dropped, asked or cancelled on a foreign thread, a list of tasks that is
// made there, a coroutine that is resumed there by hand and ends, or plain memory that tasks share with
// another thread. ThreadSanitizer does.
#pragma once

#include <concepts>
#include <cstdint>
#include <pinion/base/assert.hpp>
#include <pinion/config.hpp>
#include <source_location>
#include <string_view>
#include <thread>

namespace pinion::scheduler::inline PINION_MODE {

/// Looks at nothing.
class unchecked_cell {
 public:
  static constexpr bool is_checking = false;  ///< whether it looks at anything

  /// A reference, until the borrow ends: by leave(), or where it is destroyed.
  template <class T>
  class borrow {
   public:
    /// Of that.
    explicit borrow(T& what) noexcept : what_(what) {}
    borrow(const borrow&) = delete;
    borrow& operator=(const borrow&) = delete;
    ~borrow() = default;
    /// What is borrowed.
    [[nodiscard]] T* operator->() const noexcept { return &what_; }
    /// Ends it.
    static void leave() noexcept {}

   private:
    T& what_;
  };

  /// Begins a borrow.
  template <class T>
  [[nodiscard]] static borrow<T> enter(T& what, const std::source_location& /*place*/) noexcept {
    return borrow<T>{what};
  }
  /// The calling thread made the cell.
  static void expect_owner(const std::source_location& /*place*/) noexcept {}
  /// `holds` answers true, or that rule is broken. Not called here.
  template <std::predicate Holds>
  static void expect(Holds&& /*holds*/, std::string_view /*rule*/, std::string_view /*meaning*/,
                     const std::source_location& /*place*/) noexcept {}
};

/// Looks at each rule. Nothing in it is noexcept, for a handler may throw.
class checked_cell {
 public:
  static constexpr bool is_checking = true;  ///< whether it looks at anything

  /// As unchecked_cell's, and knows whether it has ended (rule U2).
  template <class T>
  class borrow {
   public:
    /// Of that; there is no other.
    borrow(checked_cell& cell, T& what) noexcept
        : cell_(cell), what_(what), generation_(++cell.generation_) {}
    borrow(const borrow&) = delete;
    borrow& operator=(const borrow&) = delete;
    /// As leave().
    ~borrow() { leave(); }
    /// What is borrowed; not of one that has ended.
    [[nodiscard]] T* operator->() const {
      cell_.expect([this] { return generation_ == cell_.generation_; }, "U2",
                   "what tasks share was used by a borrow that has ended: begin another one behind the task",
                   std::source_location::current());
      return &what_;
    }
    /// Ends it; again, it does nothing.
    void leave() noexcept {
      if (generation_ == cell_.generation_) ++cell_.generation_;
    }

   private:
    checked_cell& cell_;
    T& what_;
    std::uint64_t generation_;
  };

  checked_cell() noexcept = default;
  checked_cell(const checked_cell&) = delete;
  checked_cell& operator=(const checked_cell&) = delete;
  ~checked_cell() = default;

  /// Begins a borrow: by the owner, and where there is none (rules U1 and U3).
  template <class T>
  [[nodiscard]] borrow<T> enter(T& what, const std::source_location& place) {
    expect_owner(place);
    expect([this] { return generation_ % 2 == 0; }, "U3",
           "what tasks share was entered while it is borrowed: end the borrow before a task runs", place);
    return {*this, what};
  }
  /// The calling thread made the cell (rule U1).
  void expect_owner(const std::source_location& place) const {
    expect([this] { return owner_ == std::this_thread::get_id(); }, "U1",
           "an executor was called from a foreign thread: push into its channel instead", place);
  }
  /// `holds` answers true, or that rule is broken.
  template <std::predicate Holds>
  void expect(Holds&& holds, std::string_view rule, std::string_view meaning,
              const std::source_location& place) const {
    if (!holds()) assert_detail::violated(rule, meaning, place);
  }

 private:
  std::thread::id owner_ = std::this_thread::get_id();
  std::uint64_t generation_ = 0;  // odd: there is a borrow
};

/// What an executor asks of its cell.
template <class Cell>
concept executor_cell =
    std::default_initializable<Cell> &&
    requires(Cell& cell, const Cell& seen, int& what, bool holds(), const std::source_location& place) {
      { Cell::is_checking } -> std::convertible_to<bool>;
      { cell.enter(what, place).operator->() } -> std::same_as<int*>;
      { cell.enter(what, place).leave() } -> std::same_as<void>;
      { seen.expect_owner(place) } -> std::same_as<void>;
      { seen.expect(holds, "", "", place) } -> std::same_as<void>;
    };

}  // namespace pinion::scheduler::inline PINION_MODE
