// SPDX-License-Identifier: Apache-2.0
//
// W1, W2, W4, W5 and W7 between threads. Each scenario is bounded by numbers, not by time; the time limit is
// only there for an owner that is not woken, and says so. Under ThreadSanitizer the payload of each letter is
// a race unless the inbox orders it.
#include <chrono>
#include <latch>
#include <thread>

#include "laws.hpp"

namespace pinion::waker::testing {
namespace {

// Far beyond what any of these takes on a loaded machine.
instant give_up_at() { return monotonic_clock::now() + ceil(std::chrono::seconds{120}); }

// `each` letters for each of `producers` threads, which all push at once. Outlives the channel, which may
// hold letters.
class crowd {
 public:
  crowd(std::size_t producers, std::size_t each)
      : letters(producers), refused(producers), start_(static_cast<std::ptrdiff_t>(producers)) {
    for (auto& of_one : letters) of_one = std::vector<letter>(each);
  }
  void push_to(any_channel& channel) {
    for (std::size_t p = 0; p < letters.size(); ++p) {
      threads_.emplace_back([this, &channel, p] {
        start_.arrive_and_wait();
        for (std::size_t k = 0; k < letters[p].size(); ++k) {
          letter& node = letters[p][k];
          node.from = p;
          node.number = k;
          node.payload = p + k;
          if (channel.push(node) == push_result::closed) refused[p].push_back(k);
        }
      });
    }
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::vector<std::vector<letter>> letters;
  std::vector<std::vector<std::size_t>> refused;  // the numbers of those that came back

 private:
  std::latch start_;
  std::vector<std::thread> threads_;
};

// An owner that sleeps whenever there is nothing, until `total` letters have come, each in its producer's
// order.
violation everything_comes_in_order(const channel_factory& factory, std::size_t producers, std::size_t each) {
  crowd pushing{producers, each};
  const auto channel = factory.make();
  std::vector<std::size_t> next(producers);
  std::size_t came = 0, arms = 0, in_order = 0;
  const instant limit = give_up_at();
  violation wrong;
  pushing.push_to(*channel);
  while (came != producers * each && !wrong) {
    came += channel->drain([&](letter& node) {
      in_order += node.number == next[node.from]++ && node.payload == node.from + node.number ? 1U : 0U;
    });
    if (came == producers * each || !channel->try_arm()) continue;
    ++arms;
    if (!channel->wait(limit) && monotonic_clock::now() >= limit) {
      wrong = broken(factory, "of ", producers * each, " letters ", came,
                     " came; for the rest nobody woke the owner");
    }
  }
  pushing.join();
  if (wrong) return wrong;
  if (in_order != came)
    return broken(factory, came - in_order, " letters came out of their producer's order");
  if (channel->signals() > arms)
    return broken(factory, "an owner that armed ", arms, " times was signalled ", channel->signals(),
                  " times");
  return {};
}

violation one_producer(const channel_factory& factory) {
  return everything_comes_in_order(factory, 1, 20'000);
}
violation two_producers(const channel_factory& factory) {
  return everything_comes_in_order(factory, 2, 10'000);
}
violation four_producers(const channel_factory& factory) {
  return everything_comes_in_order(factory, 4, 5'000);
}

violation a_burst_of_four_threads_costs_one_signal(const channel_factory& factory) {
  for (int round = 0; round < 20; ++round) {
    crowd pushing{4, 50};
    const auto channel = factory.make();
    if (!channel->try_arm()) return broken(factory, "an empty inbox could not be armed");
    pushing.push_to(*channel);
    pushing.join();
    if (channel->signals() != 1)
      return broken(factory, "a burst of 4 threads made ", channel->signals(), " signals");
    if (channel->drain([](letter&) {}) != 200) return broken(factory, "the burst was not drained whole");
  }
  return {};
}

violation closing_in_the_middle_accounts_for_each_letter(const channel_factory& factory) {
  for (std::size_t round = 0; round < 60; ++round) {
    crowd pushing{3, 400};
    const auto channel = factory.make();
    pushing.push_to(*channel);
    const auto count = [](letter& node) { ++node.delivered; };
    for (std::size_t turn = 0; turn < round; ++turn) channel->drain(count);
    channel->close(count);
    pushing.join();
    if (channel->drain(count) != 0) return broken(factory, "something was delivered after close()");
    for (std::size_t p = 0; p < 3; ++p) {
      std::size_t fates = pushing.refused[p].size();
      for (const std::size_t k : pushing.refused[p])
        fates += pushing.letters[p][k].delivered != 0 ? 1'000U : 0U;
      for (const letter& node : pushing.letters[p]) fates += node.delivered;
      if (fates != 400)
        return broken(factory, "of 400 letters around a close() ", fates, " were delivered or refused");
    }
  }
  return {};
}

// Tasks that all threads wake at once. Each wake asks for one more; a task that runs serves all that was
// asked for so far, so a merged wake that the sink did not see leaves something unserved.
violation merged_wakes_are_served(const channel_factory& factory) {
  constexpr std::size_t tasks = 3, wakes = 6'000;
  std::vector<letter> task(tasks);
  const auto channel = factory.make();
  std::vector<std::atomic<std::size_t>> asked(tasks);
  std::vector<std::size_t> served(tasks);
  const instant limit = give_up_at();
  violation wrong;
  {
    std::vector<std::jthread> waking;
    for (int t = 0; t < 3; ++t) {
      waking.emplace_back([&] {
        for (std::size_t k = 0; k < wakes; ++k) {
          asked[k % tasks].fetch_add(1, std::memory_order_relaxed);
          channel->push(task[k % tasks]);
        }
      });
    }
    std::size_t total = 0;
    while (total != 3 * wakes && !wrong) {
      channel->drain([&](letter& node) {
        const auto which = static_cast<std::size_t>(&node - task.data());
        const std::size_t now = asked[which].load(std::memory_order_relaxed);
        total += now - std::exchange(served[which], now);
      });
      if (total == 3 * wakes || !channel->try_arm()) continue;
      if (!channel->wait(limit) && monotonic_clock::now() >= limit)
        wrong = broken(factory, "of ", 3 * wakes, " wakes ", total,
                       " were served; for the rest nobody woke the owner");
    }
  }
  return wrong;
}

// Senders of all ages, and an owner that goes while they push.
violation either_side_may_go_first(const channel_factory& factory) {
  for (int round = 0; round < 100; ++round) {
    crowd pushing{2, 20};
    const auto channel = factory.make();
    pushing.push_to(*channel);
    if (round % 2 == 0 && channel->try_arm()) channel->wait(monotonic_clock::now());
    channel->drop_owner();
    pushing.join();
    for (const auto& letters : pushing.letters) {
      for (const letter& node : letters) {
        if (node.is_queued()) return broken(factory, "a letter is queued, and its owner gone");
      }
    }
  }
  return {};
}

}  // namespace

std::vector<clause> between_threads() {
  return {{"W1", "EverythingFromOneProducerComesInOrder", one_producer},
          {"W1", "EverythingFromTwoProducersComesInOrder", two_producers},
          {"W1", "EverythingFromFourProducersComesInOrder", four_producers},
          {"W2", "ABurstOfFourThreadsCostsOneSignal", a_burst_of_four_threads_costs_one_signal},
          {"W5", "ClosingInTheMiddleAccountsForEachLetter", closing_in_the_middle_accounts_for_each_letter},
          {"W5", "EitherSideMayGoFirst", either_side_may_go_first},
          {"W7", "MergedWakesAreServed", merged_wakes_are_served}};
}

}  // namespace pinion::waker::testing
