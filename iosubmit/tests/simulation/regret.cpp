// SPDX-License-Identifier: Apache-2.0
#include "regret.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <pinion/iosubmit.hpp>
#include <stdexcept>
#include <utility>

namespace pinion::iosubmit::simulation {
namespace {

double mean(const std::vector<std::uint64_t>& of) {
  if (of.empty()) return 0;
  return static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t{0})) /
         static_cast<double>(of.size());
}

double p99(std::vector<std::uint64_t> of) {
  if (of.empty()) return 0;
  const auto place = of.begin() + static_cast<std::ptrdiff_t>(of.size() * 99 / 100);
  std::nth_element(of.begin(), place, of.end());
  return static_cast<double>(*place);
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<std::uint64_t>(1, b));
}

// The geometric mean of several sets of figures, field by field; a field that is 0 stays 0.
class geometric_mean {
 public:
  void add(const figures& one) {
    for (std::size_t i = 0; i < fields; ++i) logs_[i] += std::log(std::max(1e-9, one.*field[i]));
    ++count_;
  }
  [[nodiscard]] figures value() const {
    figures all;
    for (std::size_t i = 0; i < fields; ++i) {
      const double found = std::exp(logs_[i] / count_);
      all.*field[i] = found < 1e-6 ? 0 : found;
    }
    return all;
  }

 private:
  static constexpr std::size_t fields = 7;
  static constexpr double figures::* field[fields] = {
      &figures::score_ns, &figures::mean_ns,   &figures::p99_ns,  &figures::wall_ns,
      &figures::cpu_ns,   &figures::per_enter, &figures::first_ns};
  double logs_[fields] = {};
  double count_ = 0;
};

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::runtime_error("there is no contestant named " + name);
  return static_cast<std::size_t>(found - names.begin());
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace

figures figures_of(const phase& what, const outcome& found) {
  const seen& first = found.clients.front();
  const seen& last = found.clients.back();
  figures of{.mean_ns = mean(first.latencies_ns),
             .p99_ns = p99(first.latencies_ns),
             .wall_ns = ratio(found.wall_ns, last.done_in_time),
             .cpu_ns = ratio(found.cpu_ns, found.operations),
             .per_enter = ratio(found.operations, found.enters),
             .first_ns = mean(found.firsts_ns)};
  switch (what.by) {
  case score::p99: of.score_ns = of.p99_ns; break;
  case score::throughput: of.score_ns = std::sqrt(of.wall_ns * of.cpu_ns); break;
  case score::burst: of.score_ns = std::sqrt(of.first_ns * mean(found.bursts_ns)); break;
  case score::two_classes: of.score_ns = std::sqrt(of.p99_ns * of.wall_ns); break;
  }
  return of;
}

std::vector<contestant> contestants() {
  return {
      contestant_of("adaptive", adaptive{}, false),
      contestant_of("immediate", immediate{}),
      contestant_of("batch_or_idle 8", batch_or_idle{.batch = 8}),
      contestant_of("batch_or_idle 32", batch_or_idle{.batch = 32}),
      contestant_of("batch_or_idle 128", batch_or_idle{}),
      contestant_of("low_latency", low_latency{}),
      contestant_of("each_turn", each_turn{}),
      contestant_of("high_throughput", high_throughput{}),
      contestant_of("balanced", balanced{}),
  };
}

double judgement::regret(const std::string& who, const std::string& family) const {
  for (const of_family& one : families)
    if (one.name == family) return one.regrets[place_of(names, who)];
  throw std::runtime_error("there is no family named " + family);
}

double judgement::first_ns_max(const std::string& who) const {
  const std::size_t place = place_of(names, who);
  double most = 0;
  for (const of_family& one : families)
    for (const of_phase& of : one.phases) most = std::max(most, of.by_contestant[place].first_ns);
  return most;
}

judgement judge(const costs& of, const std::vector<contestant>& all, const std::vector<family>& loads) {
  judgement found;
  for (const contestant& one : all) found.names.push_back(one.name);
  for (const family& load : loads) {
    judgement::of_family here{.name = load.name};
    for (const load_case& each : load.cases) {
      std::vector<std::vector<geometric_mean>> by_phase(each.phases.size(),
                                                        std::vector<geometric_mean>(all.size()));
      for (std::size_t who = 0; who < all.size(); ++who)
        for (const std::uint64_t seed : load.seeds) {
          const std::vector<figures> phases = all[who].run(of, each, seed);
          for (std::size_t i = 0; i < phases.size(); ++i) by_phase[i][who].add(phases[i]);
        }
      for (std::size_t i = 0; i < by_phase.size(); ++i) {
        judgement::of_phase one{.name = each.phases[i].name};
        if (!each.keeps_back) one.name += ", not kept back";
        for (const geometric_mean& figures : by_phase[i]) one.by_contestant.push_back(figures.value());
        here.phases.push_back(std::move(one));
      }
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t who = 0; who < all.size(); ++who) {
      geometric_mean score;
      for (const judgement::of_phase& one : here.phases) score.add(one.by_contestant[who]);
      here.scores_ns.push_back(score.value().score_ns);
      if (all[who].is_fixed) best = std::min(best, here.scores_ns.back());
    }
    for (const double score : here.scores_ns) here.regrets.push_back(score / best - 1);
    found.families.push_back(std::move(here));
  }
  return found;
}

std::string summary(const judgement& of) {
  std::string text = "| policy |";
  std::string rule = "|---|";
  for (const judgement::of_family& one : of.families) {
    text += ' ' + one.name + " |";
    rule += "---:|";
  }
  text += '\n' + rule + '\n';
  for (std::size_t who = 0; who < of.names.size(); ++who) {
    text += "| " + of.names[who] + " |";
    for (const judgement::of_family& one : of.families) {
      const std::string percent = fixed(one.regrets[who] * 100, 1);
      text += ' ' + (percent == "-0.0" ? "0.0" : percent) + "% |";
    }
    text += '\n';
  }
  return text;
}

std::string details(const judgement& of, const std::string& title, double figures::* what, double unit,
                    int decimals) {
  std::string text = "| " + title + " |";
  std::string rule = "|---|";
  for (const std::string& name : of.names) {
    text += ' ' + name + " |";
    rule += "---:|";
  }
  text += '\n' + rule + '\n';
  for (const judgement::of_family& family : of.families)
    for (const judgement::of_phase& phase : family.phases) {
      text += "| " + family.name + ": " + phase.name + " |";
      for (const figures& one : phase.by_contestant) text += ' ' + fixed(one.*what / unit, decimals) + " |";
      text += '\n';
    }
  return text;
}

std::string page(const judgement& tuned, const judgement& unseen) {
  std::string text = "# Regret of the submission policies, in simulation\n\n"
                     "By how much a policy's score on a family of loads is above that of the best fixed one "
                     "(all but adaptive). Less is better;\n"
                     "below 0 it is ahead of them all. Made by `iosubmit_regret_table`, compared by "
                     "`regret_test.cpp`; what the loads are and\n"
                     "what the scores mean stands in `iosubmit/tests/simulation/loads.hpp`, the machine's "
                     "costs in `service_times.csv` beside it.\n";
  const auto section = [&](const std::string& title, const judgement& of) {
    text += "\n## " + title + "\n\n" + summary(of);
    text += "\nThe scores, in us:\n\n" + details(of, "score", &figures::score_ns, 1e3, 1);
    text += "\nCPU time of an operation, in ns, all that the core did divided by all that was answered:\n\n";
    text += details(of, "CPU", &figures::cpu_ns, 1, 0);
    text += "\nOperations an enter:\n\n" + details(of, "per enter", &figures::per_enter, 1, 2);
  };
  section("Loads that adaptive's numbers were chosen on", tuned);
  section("Loads and seeds that they were not chosen on", unseen);
  return text;
}

}  // namespace pinion::iosubmit::simulation
