// SPDX-License-Identifier: Apache-2.0
//
// W1, W2, W3 and W4 by one thread: what is pushed is drained once and in order, who must be signalled is,
// nothing is allocated.
#include <random>

#include "allocations.hpp"
#include "laws.hpp"

namespace pinion::waker::testing {
namespace {

using pinion::testing::allocations_so_far;

constexpr auto forget = [](letter&) {};

violation a_push_to_an_owner_that_sleeps_signals_it_each_time(const channel_factory& factory) {
  letter node;
  const auto channel = factory.make();
  for (std::size_t round = 1; round <= 1'000; ++round) {
    if (!channel->try_arm()) return broken(factory, "round ", round, ": an empty inbox could not be armed");
    channel->push(node);
    if (channel->signals() != round) {
      return broken(factory, "after ", round, " pushes to an armed owner it was signalled ",
                    channel->signals(), " times");
    }
    if (!channel->wait(never)) return broken(factory, "a signal before the wait did not end it");
    if (channel->drain(forget) != 1) return broken(factory, "round ", round, ": the node was not drained");
  }
  return {};
}

violation an_owner_with_something_to_drain_can_not_arm(const channel_factory& factory) {
  letter first, second;
  const auto channel = factory.make();
  channel->push(first);
  if (channel->try_arm()) return broken(factory, "an inbox that held a node was armed");
  if (!channel->has_wakes()) return broken(factory, "an inbox that holds a node says it has no wakes");
  channel->drain(forget);
  if (channel->has_wakes()) return broken(factory, "an inbox that was drained says it has wakes");
  if (!channel->try_arm()) return broken(factory, "an inbox that was drained could not be armed");
  if (!channel->try_arm()) return broken(factory, "arming twice is not arming once");
  channel->push(second);
  if (channel->try_arm())
    return broken(factory, "an inbox was armed again over the node that woke its owner");
  return channel->drain(forget) == 1 ? violation{} : broken(factory, "the node that woke the owner was lost");
}

// Against a count for each node, with any mix of pushes, drains, arms and disarms.
violation each_node_is_drained_once_for_each_time_it_was_queued(const channel_factory& factory) {
  std::mt19937_64 random{factory.seed};
  std::vector<letter> nodes(700);
  const auto channel = factory.make();
  std::vector<std::size_t> queued(nodes.size()), seen(nodes.size());
  std::size_t here = 0;
  bool armed = false;
  const auto count = [&](letter& node) { ++seen[static_cast<std::size_t>(&node - nodes.data())]; };
  for (int step = 0; step < 30'000; ++step) {
    const std::uint64_t draw = random() % 1'000;
    if (draw < 940) {
      const std::size_t which = random() % nodes.size();
      const bool was_queued = nodes[which].is_queued();
      const std::size_t signals = channel->signals();
      channel->push(nodes[which]);
      if (channel->signals() != signals + (armed ? 1U : 0U)) {
        return broken(factory, "step ", step, ": a push made ", channel->signals() - signals,
                      " signals, armed: ", armed);
      }
      armed = false;
      if (!was_queued) ++queued[which], ++here;
    } else if (draw < 942) {
      if (channel->drain(count) != here)
        return broken(factory, "step ", step, ": a drain did not take all ", here);
      here = 0;
      armed = false;
      if (seen != queued)
        return broken(factory, "step ", step, ": a node was not drained as often as it was queued");
    } else if (draw < 970) {
      if (channel->try_arm() != (here == 0))
        return broken(factory, "step ", step, ": armed over ", here, " nodes, or not over none");
      armed = here == 0;
    } else {
      if (channel->disarm() != armed)
        return broken(factory, "step ", step, ": disarm() did not say that it was armed: ", armed);
      armed = false;
    }
  }
  channel->drain(count);
  return seen == queued ? violation{} : broken(factory, "a node was not drained as often as it was queued");
}

violation a_burst_costs_one_signal(const channel_factory& factory) {
  std::vector<letter> burst(1'000);
  const auto channel = factory.make();
  if (!channel->try_arm()) return broken(factory, "an empty inbox could not be armed");
  std::size_t told = 0;
  for (letter& node : burst) told += channel->push(node) == push_result::signal ? 1U : 0U;
  if (channel->signals() != 1 || told != 1)
    return broken(factory, "1,000 pushes to an armed owner made ", channel->signals(), " signals, told ",
                  told);
  return channel->drain(forget) == 1'000 ? violation{} : broken(factory, "the burst was not drained whole");
}

violation an_owner_that_is_awake_is_not_signalled(const channel_factory& factory) {
  std::vector<letter> nodes(3'000);
  const auto channel = factory.make();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k % 100 == 50) channel->drain(forget);
    if (k % 100 == 50 && !channel->try_arm()) return broken(factory, "a drained inbox could not be armed");
    if (k % 200 == 50) channel->disarm();
    if (k % 200 == 150) channel->drain(forget);  // ends being armed
    channel->push(nodes[k]);
  }
  if (channel->signals() != 0)
    return broken(factory, "an owner that had not armed was signalled ", channel->signals(), " times");
  channel->drain(forget);
  return {};
}

violation force_signals_whoever_it_is_for(const channel_factory& factory) {
  letter node, other;
  const auto channel = factory.make();
  channel->force(node);
  if (channel->signals() != 1 || !channel->consume())
    return broken(factory, "force() did not signal an owner that was awake");
  channel->force(node);
  if (channel->signals() != 2 || !channel->consume())
    return broken(factory, "force() of a queued node did not signal");
  channel->drain(forget);
  if (!channel->try_arm()) return broken(factory, "an empty inbox could not be armed");
  channel->force(other);
  if (channel->signals() != 3)
    return broken(factory, "force() signalled an armed owner ", channel->signals() - 2, " times");
  channel->close(forget);
  if (channel->force(node) != push_result::closed || channel->signals() != 3)
    return broken(factory, "force() signalled an owner that was gone");
  return {};
}

violation pushing_allocates_nothing(const channel_factory& factory) {
  std::vector<letter> nodes(5'000);
  const auto channel = factory.make();
  const std::size_t before = allocations_so_far();
  for (letter& node : nodes) channel->push(node);
  const std::size_t after = allocations_so_far();
  channel->drain(forget);
  if (after != before) return broken(factory, "5,000 pushes allocated ", after - before, " times");
  return {};
}

violation draining_allocates_nothing(const channel_factory& factory) {
  std::vector<letter> nodes(5'000);
  const auto channel = factory.make();
  for (letter& node : nodes) channel->push(node);
  channel->drain(forget);  // the first overflow is reported, which may allocate
  for (letter& node : nodes) channel->push(node);
  const std::size_t before = allocations_so_far();
  channel->drain(forget);
  const std::size_t after = allocations_so_far();
  return after == before ? violation{} : broken(factory, "a drain allocated ", after - before, " times");
}

violation nothing_is_dropped_however_much_is_pushed(const channel_factory& factory) {
  std::vector<letter> nodes(100'000);
  const auto channel = factory.make();
  for (letter& node : nodes) {
    if (channel->push(node) != push_result::queued)
      return broken(factory, "a push to an awake owner was not queued");
  }
  const std::size_t drained = channel->drain([](letter& node) { ++node.delivered; });
  if (drained != nodes.size()) return broken(factory, "100,000 nodes were pushed, ", drained, " drained");
  for (const letter& node : nodes) {
    if (node.delivered != 1) return broken(factory, "a node was delivered ", node.delivered, " times");
  }
  return {};
}

violation one_producers_nodes_come_in_order(const channel_factory& factory) {
  std::mt19937_64 random{factory.seed};
  std::vector<letter> nodes(20'000);
  const auto channel = factory.make();
  std::size_t next = 0;
  bool in_order = true;
  const auto check = [&](letter& node) { in_order = in_order && &node == &nodes[next++]; };
  for (letter& node : nodes) {
    channel->push(node);
    if (random() % 400 == 0) channel->drain(check);
    if (!in_order) return broken(factory, "node ", next - 1, " did not come in its turn");
  }
  channel->drain(check);
  if (!in_order || next != nodes.size())
    return broken(factory, "of 20,000 nodes ", next, " came, in order: ", in_order);
  return {};
}

}  // namespace

std::vector<clause> no_lost_wake() {
  return {{"W1", "APushToAnOwnerThatSleepsSignalsItEachTime",
           a_push_to_an_owner_that_sleeps_signals_it_each_time},
          {"W1", "AnOwnerWithSomethingToDrainCanNotArm", an_owner_with_something_to_drain_can_not_arm},
          {"W1", "EachNodeIsDrainedOnceForEachTimeItWasQueued",
           each_node_is_drained_once_for_each_time_it_was_queued}};
}

std::vector<clause> one_signal_per_arm() {
  return {{"W2", "ABurstCostsOneSignal", a_burst_costs_one_signal},
          {"W2", "AnOwnerThatIsAwakeIsNotSignalled", an_owner_that_is_awake_is_not_signalled},
          {"W2", "ForceSignalsWhoeverItIsFor", force_signals_whoever_it_is_for}};
}

std::vector<clause> no_allocation_no_drop() {
  return {{"W3", "PushingAllocatesNothing", pushing_allocates_nothing, true},
          {"W3", "DrainingAllocatesNothing", draining_allocates_nothing, true},
          {"W3", "NothingIsDroppedHoweverMuchIsPushed", nothing_is_dropped_however_much_is_pushed}};
}

std::vector<clause> producers_order() {
  return {{"W4", "OneProducersNodesComeInOrder", one_producers_nodes_come_in_order}};
}

}  // namespace pinion::waker::testing
