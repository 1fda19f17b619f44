// SPDX-License-Identifier: Apache-2.0
//
// W5, W6 and W7 by one thread: what is closed stays closed, a drain ends, a node is queued once.
#include <stdexcept>

#include "laws.hpp"

namespace pinion::waker::testing {
namespace {

constexpr auto forget = [](letter&) {};

violation a_closed_inbox_hands_nodes_back(const channel_factory& factory) {
  letter node;
  const auto channel = factory.make();
  if (channel->is_closed()) return broken(factory, "a new inbox is closed");
  channel->close(forget);
  if (!channel->is_closed()) return broken(factory, "an inbox that was closed is not");
  for (int again = 0; again < 2; ++again) {
    if (channel->push(node) != push_result::closed) return broken(factory, "a closed inbox took a node");
    if (node.is_queued()) {
      node.unclaim();  // or its end would be a second violation
      return broken(factory, "a node that was handed back is queued");
    }
  }
  if (channel->signals() != 0) return broken(factory, "a push to a closed inbox signalled");
  const auto other = factory.make();
  if (other->push(node) != push_result::queued || other->drain(forget) != 1)
    return broken(factory, "a node that was handed back could not be pushed elsewhere");
  return {};
}

violation closing_hands_back_what_is_there(const channel_factory& factory) {
  std::vector<letter> nodes(600);
  const auto channel = factory.make();
  for (letter& node : nodes) channel->push(node);
  std::size_t next = 0;
  bool in_order = true;
  const std::size_t count =
      channel->close([&](letter& node) { in_order = in_order && &node == &nodes[next++]; });
  if (count != nodes.size() || next != nodes.size())
    return broken(factory, "of 600 nodes close() handed back ", next);
  if (!in_order) return broken(factory, "close() did not hand nodes back in order");
  if (channel->close(forget) != 0) return broken(factory, "a second close() handed something back");
  return {};
}

violation after_close_nothing_is_delivered_and_nobody_sleeps(const channel_factory& factory) {
  letter node, late;
  const auto channel = factory.make();
  if (!channel->try_arm()) return broken(factory, "an empty inbox could not be armed");
  channel->push(node);
  channel->close([&](letter&) { channel->push(late); });
  std::size_t delivered = 0;
  channel->drain([&](letter&) { ++delivered; });
  if (delivered != 0 || late.is_queued()) return broken(factory, "something was delivered after close()");
  if (channel->try_arm()) return broken(factory, "a closed inbox was armed: its owner would sleep for ever");
  return {};
}

violation a_sender_outlives_its_owner(const channel_factory& factory) {
  letter queued, late;
  const auto channel = factory.make();
  if (!channel->try_arm()) return broken(factory, "an empty inbox could not be armed");
  channel->push(queued);
  channel->drop_owner();
  if (queued.is_queued()) return broken(factory, "a node is queued in an inbox whose owner is gone");
  for (int again = 0; again < 3; ++again) {
    if (channel->push(late) != push_result::closed)
      return broken(factory, "a dead owner's inbox took a node");
  }
  return {};
}

violation what_a_sink_pushes_waits_for_the_next_drain(const channel_factory& factory) {
  for (const std::size_t first : {1U, 2U, 3U, 255U, 256U, 257U, 1'000U}) {
    std::vector<letter> nodes(first);
    const auto channel = factory.make();
    std::size_t calls = 0;
    for (letter& node : nodes) channel->push(node);
    for (std::size_t round = 1; round <= 3; ++round) {
      channel->drain([&](letter& node) {
        ++calls;
        channel->push(node);
      });
      if (calls != round * first) {
        return broken(factory, "drain ", round, " of ", first, " nodes that push themselves made ",
                      calls - (round - 1) * first, " calls");
      }
    }
    channel->drain(forget);
  }
  return {};
}

violation a_sink_that_throws_loses_nothing(const channel_factory& factory) {
  std::vector<letter> nodes(600);
  letter later;
  const auto channel = factory.make();
  std::size_t next = 0;
  bool in_order = true;
  for (letter& node : nodes) channel->push(node);
  for (const std::size_t until : {1U, 2U, 300U, 599U}) {
    bool came_through = false;
    try {
      channel->drain([&](letter& node) {
        in_order = in_order && &node == &nodes[next];
        if (++next == until) throw std::runtime_error{"sink"};
      });
    } catch (const std::runtime_error&) {
      came_through = true;
    }
    if (!came_through) return broken(factory, "what a sink threw did not come through");
    if (!channel->has_wakes() || channel->try_arm())
      return broken(factory, "after a throw the rest was forgotten");
  }
  channel->push(later);
  const std::size_t rest = channel->drain(
      [&](letter& node) { in_order = in_order && (&node == &later || &node == &nodes[next++]); });
  if (!in_order || next != nodes.size() || rest != 2 || later.is_queued())
    return broken(factory, "of 600 nodes behind throwing sinks ", next, " came, in order: ", in_order);
  return channel->try_arm() ? violation{} : broken(factory, "an inbox that was drained could not be armed");
}

violation a_drain_within_a_drain_takes_over(const channel_factory& factory) {
  std::vector<letter> nodes(10);
  const auto channel = factory.make();
  for (letter& node : nodes) channel->push(node);
  bool nested = false;
  const auto count = [](letter& node) { ++node.delivered; };
  channel->drain([&](letter& node) {
    count(node);
    if (!std::exchange(nested, true)) channel->drain(count);
  });
  for (const letter& node : nodes) {
    if (node.delivered != 1)
      return broken(factory, "with a nested drain a node was delivered ", node.delivered, " times");
  }
  return {};
}

violation a_queued_node_is_not_queued_again(const channel_factory& factory) {
  letter task, other;
  const auto channel = factory.make();
  channel->push(other);
  for (int wake = 0; wake < 40'000; ++wake) {
    if (channel->push(task) != push_result::queued)
      return broken(factory, "wake ", wake, " of a queued task was not merged");
  }
  std::size_t runs = 0;
  channel->drain([&](letter& node) { runs += &node == &task ? 1U : 0U; });
  if (runs != 1) return broken(factory, "a task that was woken 40,000 times ran ", runs, " times");
  if (task.is_queued()) return broken(factory, "a drained task is still queued");
  channel->push(task);
  return channel->drain(forget) == 1 ? violation{}
                                     : broken(factory, "a task that had run could not be woken again");
}

violation a_node_can_be_pushed_from_its_own_sink(const channel_factory& factory) {
  letter task;
  const auto channel = factory.make();
  channel->push(task);
  bool was_queued = true;
  channel->drain([&](letter& node) {
    was_queued = node.is_queued();
    channel->push(node);
  });
  if (was_queued) return broken(factory, "a node is queued while its own sink runs");
  return channel->drain(forget) == 1
             ? violation{}
             : broken(factory, "a push from the node's own sink was merged into nothing");
}

}  // namespace

std::vector<clause> lifetime() {
  return {{"W5", "AClosedInboxHandsNodesBack", a_closed_inbox_hands_nodes_back},
          {"W5", "ClosingHandsBackWhatIsThere", closing_hands_back_what_is_there},
          {"W5", "AfterCloseNothingIsDeliveredAndNobodySleeps",
           after_close_nothing_is_delivered_and_nobody_sleeps},
          {"W5", "ASenderOutlivesItsOwner", a_sender_outlives_its_owner}};
}

std::vector<clause> bounded_drain() {
  return {{"W6", "WhatASinkPushesWaitsForTheNextDrain", what_a_sink_pushes_waits_for_the_next_drain},
          {"W6", "ASinkThatThrowsLosesNothing", a_sink_that_throws_loses_nothing},
          {"W6", "ADrainWithinADrainTakesOver", a_drain_within_a_drain_takes_over}};
}

std::vector<clause> already_there() {
  return {{"W7", "AQueuedNodeIsNotQueuedAgain", a_queued_node_is_not_queued_again},
          {"W7", "ANodeCanBePushedFromItsOwnSink", a_node_can_be_pushed_from_its_own_sink}};
}

}  // namespace pinion::waker::testing
