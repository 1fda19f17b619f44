// SPDX-License-Identifier: Apache-2.0
//
// What owners and the thread that ends their slices do to a word, a board and a gate, for the explorer: over
// any sync_traits, so that the shipped code and its weakened forms run the same scenarios.
//
// Time is a number that the bodies say. A thread that sleeps for ever though a slice has an end is one that
// the explorer calls a lost wake; the rest is required by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pinion/preempt.hpp>
#include <pinion/sim/explore.hpp>
#include <string>
#include <utility>

namespace pinion::preempt::testing {

using sim::require;

/// A word, and ends that come late.
template <class Sync, class Word = basic_slice_word<Sync>>
struct word_world {
  Word word;
  std::array<std::uint32_t, 2> seen{};  // each thread's
};

/// Slices that follow each other, and threads that each end the one they saw.
template <class Sync, class Word = basic_slice_word<Sync>>
sim::scenario<word_world<Sync, Word>> late_ends(std::size_t threads) {
  using world = word_world<Sync, Word>;
  sim::scenario<world> result;
  result.thread("owner", [](world& w) {
    for (int k = 0; k < 3; ++k) w.word.begin();
  });
  for (std::size_t k = 0; k < threads; ++k) {
    result.thread("ends", [k](world& w) {
      w.seen[k] = w.word.seen();
      w.word.end(w.seen[k]);
    });
  }
  result.finally([threads](world& w) {
    const std::uint32_t slice = w.word.seen() & ~basic_word<Sync>::due;
    bool was_ended = false;
    for (std::size_t k = 0; k < threads; ++k)
      was_ended = was_ended || (w.seen[k] & ~basic_word<Sync>::due) == slice;
    require(!w.word.is_due() || was_ended, "a slice is over that nobody has ended");
    require(w.word.is_due() || !was_ended, "a slice was ended, and isn't over");
  });
  return result;
}

/// A board, and slices whose ends must be their own.
template <class Sync>
struct board_world {
  basic_tick_board<Sync> board{duration{1}};
  std::array<basic_ticked_slice<Sync>, 2> slices;
  std::uint64_t ticked = 0;  // what time it is for the board
};

/// `owners` that each begin a slice that is over at 10, then one that is over at 20; a board that ticks at 10
/// and at 15.
template <class Sync>
sim::scenario<board_world<Sync>> ends_of_slices(std::size_t owners) {
  using world = board_world<Sync>;
  sim::scenario<world> result{[owners] {
    auto made = std::make_shared<world>();
    for (std::size_t k = 0; k < owners; ++k) made->board.add(made->slices[k], {});
    return made;
  }};
  for (std::size_t k = 0; k < owners; ++k) {
    result.thread("owner", [k](world& w) {
      for (const std::uint64_t end : {10U, 20U}) {
        w.slices[k].begin(instant{end});
        require(!w.slices[k].word().is_due() || end <= w.ticked, "a slice is over before its end");
      }
      require(!w.slices[k].word().is_due(), "a slice is over by the end of the one before");
    });
  }
  result.thread("ticks", [](world& w) {
    for (const std::uint64_t now : {10U, 15U}) {
      w.ticked = now;
      static_cast<void>(w.board.tick(instant{now}));
    }
  });
  result.finally([owners](world& w) {
    static_cast<void>(w.board.tick(instant{19}));
    for (std::size_t k = 0; k < owners; ++k)
      require(!w.slices[k].word().is_due(), "over before its end, when all is done");
    static_cast<void>(w.board.tick(instant{20}));
    for (std::size_t k = 0; k < owners; ++k)
      require(w.slices[k].word().is_due(), "not over at its end, when all is done");
  });
  return result;
}

/// What std::mutex is for the shipped ticker.
template <class Sync>
class explored_lock {
 public:
  void lock() noexcept {
    while (held_.exchange(1, std::memory_order_acquire) != 0) Sync::pause();
  }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  typename Sync::template atomic<std::uint32_t> held_{0};
};

/// ticker, with the explorer's threads: run() is as there, but for the clock.
template <class Sync>
class explored_ticker {
 public:
  using slice_type = basic_ticked_slice<Sync>;

  void add(slice_type& one, stall_watch watch) { board_.add(one, watch); }
  void remove(slice_type& one) noexcept { board_.remove(one); }
  void began(bool is_told, instant end) noexcept {
    if (is_told) gate_.opened(end);
  }
  void run() {
    for (;;) {
      instant next;
      {
        const std::scoped_lock lock{mutex_};
        if (is_ending_.read()) return;
        next = board_.tick(instant{100});
      }
      gate_.wait(next, [this](instant until) {
        const std::scoped_lock lock{mutex_};
        return board_.is_quiet_until(until);
      });
    }
  }
  /// As its destructor does. The explorer sees whether the thread comes to its end.
  void end() {
    {
      const std::scoped_lock lock{mutex_};
      is_ending_.write(true);
    }
    gate_.call();
  }

 private:
  explored_lock<Sync> mutex_;
  typename Sync::template plain<bool> is_ending_{false};
  basic_tick_board<Sync> board_{duration{1}};
  basic_tick_gate<Sync> gate_;
};

/// The thread, and owners who begin while it goes to sleep.
template <class Sync>
struct ticker_world {
  explored_ticker<Sync> ticker;
  std::array<basic_ticker_source<explored_ticker<Sync>>, 2> sources{
      basic_ticker_source<explored_ticker<Sync>>{ticker}, basic_ticker_source<explored_ticker<Sync>>{ticker}};
  typename Sync::template atomic<std::uint32_t> left{0};  // owners who aren't done
};

/// Each owner begins so many slices, waits until each is over, and rests. The last one ends the ticker.
template <class Sync>
sim::scenario<ticker_world<Sync>> owners_who_rest(std::uint32_t owners, int slices) {
  using world = ticker_world<Sync>;
  sim::scenario<world> result{[owners] {
    auto made = std::make_shared<world>();
    made->left.store(owners, std::memory_order_relaxed);
    return made;
  }};
  for (std::uint32_t k = 0; k < owners; ++k) {
    result.thread("owner", [k, slices](world& w) {
      for (int slice = 0; slice < slices; ++slice) {
        w.sources[k].begin({}, instant{50});
        while (!w.sources[k].word().is_due()) Sync::pause();
        w.sources[k].rest();
      }
      if (w.left.fetch_sub(1, std::memory_order_relaxed) == 1) w.ticker.end();
    });
  }
  result.thread("ticker", [](world& w) { w.ticker.run(); });
  return result;
}

/// An owner whose slice ends long after, and who goes at once: the thread hears of it, wherever it is.
template <class Sync>
sim::scenario<ticker_world<Sync>> a_ticker_that_ends(bool rests) {
  using world = ticker_world<Sync>;
  sim::scenario<world> result;
  result.thread("owner", [rests](world& w) {
    w.sources[0].begin({}, instant{200});
    if (rests) w.sources[0].rest();
    w.ticker.end();
  });
  result.thread("ticker", [](world& w) { w.ticker.run(); });
  return result;
}

/// A gate, and what the thread that waits there is to see: the end of a slice, or a note.
template <class Sync>
struct gate_world {
  basic_tick_gate<Sync> gate;
  typename Sync::template atomic<std::uint64_t> end{never.ns};
  explored_lock<Sync> mutex;
  typename Sync::template plain<bool> is_noted{false};
};

/// An owner begins a slice as the thread goes to sleep for ever: the thread doesn't, or is woken.
template <class Sync>
sim::scenario<gate_world<Sync>> an_end_before_sleep() {
  using world = gate_world<Sync>;
  sim::scenario<world> result;
  result.thread("owner", [](world& w) {
    w.end.store(50, std::memory_order_relaxed);
    w.gate.opened(instant{50});
  });
  result.thread("sleeper", [](world& w) {
    const auto end = [&w] { return instant{w.end.load(std::memory_order_relaxed)}; };
    while (end() == never) w.gate.wait(never, [&](instant until) { return until <= end(); });
  });
  return result;
}

/// A note is left under the lock, and the thread called.
template <class Sync>
sim::scenario<gate_world<Sync>> a_call_before_sleep() {
  using world = gate_world<Sync>;
  sim::scenario<world> result;
  result.thread("caller", [](world& w) {
    {
      const std::scoped_lock lock{w.mutex};
      w.is_noted.write(true);
    }
    w.gate.call();
  });
  result.thread("sleeper", [](world& w) {
    const auto is_noted = [&w] {
      const std::scoped_lock lock{w.mutex};
      return w.is_noted.read();
    };
    while (!is_noted()) w.gate.wait(never, [&](instant) { return !is_noted(); });
  });
  return result;
}

/// What the first of them that breaks says, or nothing. `judge` is given a name and a scenario, and says what
/// breaks.
template <class Sync, class Judge>
std::string what_breaks(Judge judge) {
  std::string report;
  const auto see = [&](const char* name, const auto& scenario) {
    if (report.empty()) report = judge(name, scenario);
  };
  see("one late end", late_ends<Sync>(1));
  see("two late ends", late_ends<Sync>(2));
  see("ends of one owner's slices", ends_of_slices<Sync>(1));
  see("ends of two owners' slices", ends_of_slices<Sync>(2));
  see("an end before sleep", an_end_before_sleep<Sync>());
  see("a call before sleep", a_call_before_sleep<Sync>());
  see("an owner who rests", owners_who_rest<Sync>(1, 2));
  see("two owners who rest", owners_who_rest<Sync>(2, 1));
  see("a ticker that ends", a_ticker_that_ends<Sync>(false));
  see("a ticker that ends at rest", a_ticker_that_ends<Sync>(true));
  return report;
}

}  // namespace pinion::preempt::testing
