// SPDX-License-Identifier: Apache-2.0
//
// chosen_policy: one of several policies, chosen at run time: by code, or by who starts the program (settings.hpp).
//
// A closed variant: it holds one of its policies by value, and each question is one branch, the same way each time; to all but the
// first of them a call. A program that names its policy in code pays for none of this.
//
//   submission<chosen_policy, uring_ring> io{uring_ring{{}}};                       // what the environment says, else adaptive
//   submission<chosen_policy, uring_ring> io{uring_ring{{}}, chosen_policy{effective({.mode = submit_mode::balanced})}};
//   if (const balanced* policy = io.policy().get_if<balanced>()) std::puts(to_string(*policy).c_str());
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/concept.hpp>
#include <pinion/iosubmit/policy/adaptive.hpp>
#include <pinion/iosubmit/policy/balanced.hpp>
#include <pinion/iosubmit/policy/high_throughput.hpp>
#include <pinion/iosubmit/policy/low_latency.hpp>
#include <pinion/iosubmit/policy/settings.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace pinion::iosubmit {

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

/// One of those policies, the usual one first. A value; at least one of them must follow latencies for the whole to be told them.
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
  // By comparisons, and not std::visit: the usual one is seen, and inlined. The others stand apart, and are handed the question by
  // value: what its address is known of would have to lie in memory for the usual one, too.
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

/// low_latency, high_throughput, balanced or adaptive, as settings say.
class chosen_policy
    : public policy_variant<adaptive, with_longest_wait<adaptive>, low_latency, high_throughput, balanced> {
 public:
  /// What the environment says, else adaptive. Reads it if nobody has yet, and reports what holds (settings.hpp).
  chosen_policy() : chosen_policy(effective()) {}
  /// What these settings say, and nothing else.
  explicit chosen_policy(const effective_settings& asked) noexcept
      : policy_variant(made(asked)), settings_(asked) {}

  /// What it was made with.
  [[nodiscard]] const effective_settings& settings() const noexcept { return settings_; }
  /// How it decides now: the mode that was asked for, or what balanced or adaptive has come to.
  [[nodiscard]] submit_mode mode() const noexcept {
    return of_modes([](const auto& policy) noexcept { return policy.mode(); }, settings_.mode);
  }
  /// How often that has changed, and how it last did.
  [[nodiscard]] std::uint64_t changes() const noexcept {
    return of_modes([](const auto& policy) noexcept { return policy.changes(); }, std::uint64_t{0});
  }
  [[nodiscard]] mode_change last_change() const noexcept {
    return of_modes([](const auto& policy) noexcept { return mode_change{policy.last_change()}; },
                    mode_change{.from = settings_.mode, .to = settings_.mode});
  }

  friend bool operator==(const chosen_policy&, const chosen_policy&) noexcept = default;

 private:
  template <class Question, class Answer>
  [[nodiscard]] Answer of_modes(Question question, Answer otherwise) const noexcept {
    if (const auto* usual = get_if<adaptive>()) return question(*usual);
    if (const auto* follows = get_if<balanced>()) return question(*follows);
    if (const auto* bounded = get_if<with_longest_wait<adaptive>>()) return question(bounded->policy);
    return otherwise;
  }

  static policy_variant made(const effective_settings& asked) noexcept {
    const auto set = [&](batch_rule& rule) {
      rule.batch = asked.batch_size.value_or(rule.batch);
      rule.wait_max = asked.max_wait.value_or(rule.wait_max);
    };
    switch (asked.mode) {
    case submit_mode::low_latency: {
      low_latency policy;
      set(policy.rule);
      return policy_variant{policy};
    }
    case submit_mode::high_throughput: {
      high_throughput policy;
      set(policy.rule);
      return policy_variant{policy};
    }
    case submit_mode::balanced: {
      balanced_options options;
      set(options.between);
      set(options.fast);
      set(options.high.rule);
      return policy_variant{balanced{options}};
    }
    case submit_mode::adaptive: break;
    }
    adaptive_options options;
    options.batch_max = asked.batch_size.value_or(options.batch_max);
    options.gather_max = asked.max_wait.value_or(options.gather_max);
    if (!asked.max_wait) return policy_variant{adaptive{options}};
    return policy_variant{with_longest_wait<adaptive>{adaptive{options}, *asked.max_wait}};
  }

  effective_settings settings_;
};

/// One line for people: the mode that was asked for, and what it goes by now.
[[nodiscard]] std::string to_string(const chosen_policy& policy);

}  // namespace pinion::iosubmit
