// SPDX-License-Identifier: Apache-2.0
//
// policy_variant, with_longest_wait: what chosen_policy is made of: one of several policies, and a bound on
// any. The usual one stands first: a question to it is inlined, one to the others is a call.
#pragma once

#include <concepts>
#include <cstddef>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <type_traits>
#include <utility>
#include <variant>

namespace pinion::iosubmit::policy_detail {

/// A policy, and an age beyond which nothing waits for an enter, whatever the policy says.
template <submit_policy Policy>
struct with_longest_wait {
  Policy policy{};
  duration wait_max = forever;

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept {
    const bool wanted = policy.queued(state);  // asked in any case: it may learn from the question
    return wanted || (state.depth != 0 && state.age() > wait_max);
  }
  void entered(const entered_batch& batch) noexcept { policy.entered(batch); }
  void reaped(const reaped_batch& batch) noexcept { policy.reaped(batch); }
  void completed(duration latency) noexcept
    requires latency_policy<Policy>
  {
    policy.completed(latency);
  }
  park_wait about_to_park(const queue_state& state) noexcept { return policy.about_to_park(state); }
  friend bool operator==(const with_longest_wait&, const with_longest_wait&) noexcept = default;
};

/// One of those policies, the usual one first. A value; at least one of them must follow latencies for the
/// whole to be told them.
template <submit_policy... Policies>
class policy_variant {
 public:
  /// Holds that one.
  template <class Policy>
    requires(std::same_as<Policy, Policies> || ...)
  explicit policy_variant(Policy policy) noexcept : held_(std::move(policy)) {}

  /// The hooks of a policy (concept.hpp).
  bool queued(const queue_state& state) noexcept {
    return ask([&](auto& policy) noexcept { return policy.queued(state); });
  }
  void entered(const entered_batch& batch) noexcept {
    ask([&](auto& policy) noexcept { policy.entered(batch); });
  }
  void reaped(const reaped_batch& batch) noexcept {
    ask([&](auto& policy) noexcept { policy.reaped(batch); });
  }
  void completed(duration latency) noexcept
    requires(latency_policy<Policies> || ...)
  {
    ask([&](auto& policy) noexcept {
      if constexpr (latency_policy<std::remove_reference_t<decltype(policy)>>) policy.completed(latency);
    });
  }
  park_wait about_to_park(const queue_state& state) noexcept {
    return ask([&](auto& policy) noexcept { return policy.about_to_park(state); });
  }

  /// That one if it is the one held, else nullptr.
  template <class Policy>
  [[nodiscard]] Policy* get_if() noexcept {
    return std::get_if<Policy>(&held_);
  }
  template <class Policy>
  [[nodiscard]] const Policy* get_if() const noexcept {
    return std::get_if<Policy>(&held_);
  }

  /// Calls with the one held; what it returns must be of the same type for each.
  template <class Question>
  [[gnu::always_inline]] decltype(auto) ask(Question question) noexcept {
    return ask_usual(held_, question);
  }
  template <class Question>
  [[gnu::always_inline]] decltype(auto) ask(Question question) const noexcept {
    return ask_usual(held_, question);
  }

  friend bool operator==(const policy_variant&, const policy_variant&) noexcept = default;

 private:
  // By comparisons, and not std::visit: the usual one is seen, and inlined. The others stand apart, and are
  // handed the question by value: what its address is known of would have to lie in memory for the usual one,
  // too.
  template <class Held, class Question>
  [[gnu::always_inline]] static decltype(auto) ask_usual(Held& held, Question question) noexcept {
    if constexpr (sizeof...(Policies) > 1) {
      if (held.index() != 0) [[unlikely]]
        return ask_others(held, question);
    }
    return question(*std::get_if<0>(&held));
  }
  template <class Held, class Question>
  [[gnu::noinline]] static decltype(auto) ask_others(Held& held, Question question) noexcept {
    return ask_from<1>(held, question);
  }
  // The last one needs no comparison.
  template <std::size_t K, class Held, class Question>
  static decltype(auto) ask_from(Held& held, Question& question) noexcept {
    if constexpr (K + 1 < sizeof...(Policies)) {
      if (held.index() != K) return ask_from<K + 1>(held, question);
    }
    return question(*std::get_if<K>(&held));
  }

  std::variant<Policies...> held_;
};

}  // namespace pinion::iosubmit::policy_detail
