// SPDX-License-Identifier: Apache-2.0
//
// chosen_policy: one of several policies, chosen at run time: by code, or by who starts the program
// (settings.hpp).
//
// A closed variant: it holds one of its policies by value, and each question is one branch, the same way each
// time; to all but the first of them a call. A program that names its policy in code pays for none of this.
//
//   submission<chosen_policy, uring_ring> io{uring_ring{{}}};  // what the environment says, else adaptive
//
//   submission<chosen_policy, uring_ring> io{
//       uring_ring{{}}, chosen_policy{effective({.mode = submit_mode::balanced})}};
//   if (const balanced* policy = io.policy().get_if<balanced>()) std::puts(to_string(*policy).c_str());
#pragma once

#include <cstdint>
#include <pinion/base/export.hpp>
#include <pinion/base/time.hpp>
#include <pinion/iosubmit/detail/policy_variant.hpp>
#include <pinion/iosubmit/policy/adaptive.hpp>
#include <pinion/iosubmit/policy/balanced.hpp>
#include <pinion/iosubmit/policy/high_throughput.hpp>
#include <pinion/iosubmit/policy/low_latency.hpp>
#include <pinion/iosubmit/policy/settings.hpp>
#include <pinion/iosubmit/policy/submit_mode.hpp>
#include <string>

namespace pinion::iosubmit {

/// low_latency, high_throughput, balanced or adaptive, as settings say.
class chosen_policy
    : public policy_detail::policy_variant<adaptive, policy_detail::with_longest_wait<adaptive>, low_latency,
                                           high_throughput, balanced> {
 public:
  /// What the environment says, else adaptive. Reads it if nobody has yet, and reports what holds
  /// (settings.hpp).
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
  using bounded_adaptive = policy_detail::with_longest_wait<adaptive>;

  template <class Question, class Answer>
  [[nodiscard]] Answer of_modes(Question question, Answer otherwise) const noexcept {
    if (const auto* usual = get_if<adaptive>()) return question(*usual);
    if (const auto* follows = get_if<balanced>()) return question(*follows);
    if (const auto* bounded = get_if<bounded_adaptive>()) return question(bounded->policy);
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
    return policy_variant{bounded_adaptive{adaptive{options}, *asked.max_wait}};
  }

  effective_settings settings_;
};

/// One line for people: the mode that was asked for, and what it goes by now.
PINION_EXPORT [[nodiscard]] std::string to_string(const chosen_policy& policy);

}  // namespace pinion::iosubmit
