// SPDX-License-Identifier: Apache-2.0
//
// regret: what each policy makes of each family of loads, and by how much the best fixed one does better.
//
// A policy's regret on a family is its score over the least score of a fixed policy, less one. Fixed are all
// but adaptive, balanced too: its modes follow latencies, but it is one of those that are there to be chosen.
//
//   const judgement all = judge(machine, contestants(), tuned_families());
//   std::cout << summary(all);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "costs.hpp"
#include "loads.hpp"
#include "machine.hpp"

namespace pinion::iosubmit::simulation {

/// What a phase came to, in numbers for people.
struct figures {
  double score_ns = 0;
  double mean_ns = 0;    ///< latency of the first client's requests
  double p99_ns = 0;     ///< the same
  double wall_ns = 0;    ///< an operation of the last client's
  double cpu_ns = 0;     ///< an operation
  double per_enter = 0;  ///< operations an enter
  double first_ns = 0;   ///< after idle time; 0 where there is none
  friend bool operator==(const figures&, const figures&) noexcept = default;
};

/// One of those who are judged: runs a case, and gives each phase's figures.
struct contestant {
  std::string name;
  bool is_fixed = true;
  std::function<std::vector<figures>(const costs&, const load_case&, std::uint64_t seed)> run;
};

[[nodiscard]] figures figures_of(const phase& what, const outcome& found);

/// A contestant that begins each case with a copy of that policy.
template <submit_policy Policy>
[[nodiscard]] contestant contestant_of(std::string name, Policy policy, bool is_fixed = true) {
  return {std::move(name), is_fixed, [policy](const costs& of, const load_case& load, std::uint64_t seed) {
            machine<Policy> executor{of, policy, load.keeps_back};
            std::vector<figures> all;
            for (const phase& one : load.phases) all.push_back(figures_of(one, executor.run(one, seed++)));
            return all;
          }};
}

/// adaptive, and whoever is fixed.
[[nodiscard]] std::vector<contestant> contestants();

/// By family, phase and contestant; each is the geometric mean over the seeds.
struct judgement {
  struct of_phase {
    std::string name;
    std::vector<figures> by_contestant{};
  };
  struct of_family {
    std::string name;
    std::vector<of_phase> phases{};
    std::vector<double> scores_ns{};  ///< by contestant
    std::vector<double> regrets{};
  };
  std::vector<std::string> names;
  std::vector<of_family> families;

  /// Of the contestant so named, which must be there, on that family.
  [[nodiscard]] double regret(const std::string& who, const std::string& family) const;
  /// The longest mean of a first operation's latency after idle time, in any phase.
  [[nodiscard]] double first_ns_max(const std::string& who) const;
};

[[nodiscard]] judgement judge(const costs& of, const std::vector<contestant>& all,
                              const std::vector<family>& loads);

/// Regrets by policy and family.
[[nodiscard]] std::string summary(const judgement& of);
/// docs/iosubmit/regret.md.
[[nodiscard]] std::string page(const judgement& tuned, const judgement& unseen);

}  // namespace pinion::iosubmit::simulation
