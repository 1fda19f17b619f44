// SPDX-License-Identifier: Apache-2.0
//
// What two or three threads do to an inbox, for the explorer: each scenario is over any sync_traits and any
// inbox, so that the shipped code and its mutants run the same ones.
//
// An owner that is not woken waits for ever, which the explorer calls a violation; a letter that is read
// before it has happened is a data race on its `plain`; the rest is required by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <pinion/sim/explore.hpp>
#include <pinion/waker.hpp>
#include <string>
#include <vector>

namespace pinion::waker::testing {

using sim::require;

template <class Sync>
struct explored_letter : basic_wake_node<Sync> {
  typename Sync::template plain<int> text{0};
  int from = 0;
  int number = 0;
  int fates = 0;  // how often it was delivered, handed back or refused
};

template <class Sync, class Inbox>
struct explored_world {
  using letter = explored_letter<Sync>;

  typename Sync::event bell;
  typename Sync::template plain<int> prepared{0};
  std::array<typename Sync::template atomic<std::uint32_t>, 2> asked{};
  std::array<std::array<letter, 4>, 3> letters;
  std::array<int, 3> next{};
  std::array<std::uint32_t, 2> served{};
  int arms = 0;
  bool arms_twice = false;
  std::array<int, 3> signals{};
  Inbox inbox;  // goes first, and lets go of letters

  // A thread's: pushes the letter, and signals if told to.
  void send(int from, int number, int text) {
    letter& sent = letters[static_cast<std::size_t>(from)][static_cast<std::size_t>(number)];
    sent.text.write(text);
    sent.from = from;
    sent.number = number;
    deliver(from, sent);
  }
  void deliver(int from, letter& sent) {
    const push_result result = inbox.push(sent);
    if (result == push_result::closed) {
      ++sent.fates;
      require(prepared.read() == 9, "a refused push does not see what the owner did before it closed");
    }
    if (result != push_result::signal) return;
    ++signals[static_cast<std::size_t>(from)];
    require(prepared.read() == arms, "who is told to signal does not see what the owner did before it armed");
    bell.post();
  }

  // The owner's: drains and sleeps until `done`.
  template <class Done, class Sink>
  void serve(Done done, Sink sink) {
    while (!done()) {
      inbox.drain(sink);
      if (done()) break;
      if (arms_twice && arm() && !inbox.disarm()) {
        bell.wait();
        continue;
      }
      if (arm()) {
        bell.wait();
      } else {
        Sync::pause();
      }
    }
  }
  bool arm() {
    prepared.write(++arms);
    if (inbox.try_arm()) return true;
    prepared.write(--arms);
    return false;
  }
};

/// W1, W2, W4: `senders` threads with `each` letters and an owner that sleeps in between.
template <class Sync, class Inbox>
sim::scenario<explored_world<Sync, Inbox>> letters_to_a_sleeper(int senders, int each,
                                                                bool arms_twice = false) {
  using world = explored_world<Sync, Inbox>;
  sim::scenario<world> result;
  for (int from = 0; from < senders; ++from) {
    result.thread("sender " + std::to_string(from + 1), [from, each](world& w) {
      for (int k = 0; k < each; ++k) w.send(from, k, 1 + k);
    });
  }
  result.thread("owner", [senders, each, arms_twice](world& w) {
    int came = 0;
    w.arms_twice = arms_twice;
    w.serve([&] { return came == senders * each; },
            [&](basic_wake_node<Sync>& node) {
              auto& letter = static_cast<explored_letter<Sync>&>(node);
              ++came;
              require(letter.text.read() == 1 + letter.number, "a letter does not hold what was written");
              require(letter.number == w.next[static_cast<std::size_t>(letter.from)]++,
                      "a letter overtook an earlier one of its sender");
            });
  });
  result.finally([](world& w) {
    require(w.signals[0] + w.signals[1] + w.signals[2] <= w.arms, "more signals than arms");
  });
  return result;
}

/// W1 and W7: two threads wake one task, each having asked for something before; the owner ends when all was
/// served.
template <class Sync, class Inbox>
sim::scenario<explored_world<Sync, Inbox>> two_wakes_of_one_task(std::uint32_t each) {
  using world = explored_world<Sync, Inbox>;
  sim::scenario<world> result;
  for (int from = 0; from < 2; ++from) {
    result.thread("waker " + std::to_string(from + 1), [from, each](world& w) {
      for (std::uint32_t k = 1; k <= each; ++k) {
        w.asked[static_cast<std::size_t>(from)].store(k, std::memory_order_relaxed);
        w.deliver(from, w.letters[0][0]);
      }
    });
  }
  result.thread("owner", [each](world& w) {
    w.serve([&] { return w.served[0] == each && w.served[1] == each; },
            [&](basic_wake_node<Sync>&) {
              for (std::size_t i : {0U, 1U}) w.served[i] = w.asked[i].load(std::memory_order_relaxed);
            });
    w.inbox.drain([](basic_wake_node<Sync>&) {});
  });
  return result;
}

/// W5: an owner that closes while two threads push: each letter has one fate.
template <class Sync, class Inbox>
sim::scenario<explored_world<Sync, Inbox>> closing_in_the_middle(int each) {
  using world = explored_world<Sync, Inbox>;
  sim::scenario<world> result;
  for (int from = 0; from < 2; ++from) {
    result.thread("sender " + std::to_string(from + 1), [from, each](world& w) {
      for (int k = 0; k < each; ++k) w.send(from, k, 1);
    });
  }
  result.thread("owner", [](world& w) {
    const auto count = [](basic_wake_node<Sync>& node) {
      auto& letter = static_cast<explored_letter<Sync>&>(node);
      letter.fates += letter.text.read();
    };
    w.inbox.drain(count);
    w.prepared.write(9);
    w.inbox.close(count);
    require(w.inbox.drain(count) == 0, "something was delivered after close()");
  });
  result.finally([each](world& w) {
    for (const std::size_t from : {0U, 1U}) {
      for (int k = 0; k < each; ++k) {
        const auto& sent = w.letters[from][static_cast<std::size_t>(k)];
        require(sent.fates == 1, "a letter around a close() has not one fate");
        require(!sent.is_queued(), "a letter is queued in a closed inbox");
      }
    }
  });
  return result;
}

template <class Sync, class Inbox>
struct named_scenario {
  const char* name;
  sim::scenario<explored_world<Sync, Inbox>> what;
};

/// All of them, smallest first. `deepest` is how many letters one sender must push to meet every path.
template <class Sync, class Inbox>
std::vector<named_scenario<Sync, Inbox>> scenarios(int deepest) {
  return {{"one letter to a sleeper", letters_to_a_sleeper<Sync, Inbox>(1, 1)},
          {"a letter each from two", letters_to_a_sleeper<Sync, Inbox>(2, 1)},
          {"two wakes of one task", two_wakes_of_one_task<Sync, Inbox>(1)},
          {"closing in the middle", closing_in_the_middle<Sync, Inbox>(1)},
          {"an owner that arms twice", letters_to_a_sleeper<Sync, Inbox>(1, 2, true)},
          {"letters from one", letters_to_a_sleeper<Sync, Inbox>(1, deepest)},
          {"letters from two", letters_to_a_sleeper<Sync, Inbox>(2, deepest - 1)},
          {"two wakes each of one task", two_wakes_of_one_task<Sync, Inbox>(2)}};
}

}  // namespace pinion::waker::testing
