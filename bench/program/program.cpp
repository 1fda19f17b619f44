// SPDX-License-Identifier: Apache-2.0
//
// Debian's Google Benchmark warns that it "was built as DEBUG". It only keeps the loop around ours, which
// runs once for many thousand operations and is not within the time that is taken.
#include "program.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "build.hpp"

namespace pinion::bench {
namespace {

bool any_failed = false;
std::string left_out;

/// Not an object of its own at namespace scope: other files' objects may be made before it.
std::vector<void (*)()>& added_by_others() {
  static std::vector<void (*)()> all;
  return all;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Google Benchmark has none of its own; for whoever runs a program by hand with repetitions.
double median_absolute_deviation(const std::vector<double>& values) {
  const double median = median_of(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double v : values) distances.push_back(v < median ? median - v : v - median);
  return median_of(distances);
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016" PRIx64, number);
  return digits.data();
}

void account(benchmark::State& state, const outcome& result) {
  const std::string fault = result.checksum == result.expected
                                ? result.fault
                                : "the checksum of the work is " + hexadecimal(result.checksum) +
                                      ", right is " + hexadecimal(result.expected);
  if (!fault.empty()) {
    any_failed = true;
    state.SkipWithError(fault.c_str());
    return;
  }
  state.SetIterationTime(result.seconds);
  // A label, because a counter is a double and would lose the lower bits.
  state.SetLabel(hexadecimal(result.checksum));
  for (const figure& each : result.figures) state.counters[each.name] = each.value;
}

}  // namespace

void add(const std::string& name, std::function<outcome()> work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work = std::move(work)](benchmark::State& state) {
                                 for (auto _ : state) account(state, work());
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond)
      ->ComputeStatistics("mad", median_absolute_deviation);
}

void leave_out(const std::string& contestant, const std::string& reason) {
  if (!left_out.empty()) left_out += "; ";
  left_out += contestant + ": " + reason;
}

more::more(void (*add_all)()) { added_by_others().push_back(add_all); }

int run(int argc, char** argv) {
  for (const auto add_all : added_by_others()) add_all();
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("build", build());
  benchmark::AddCustomContext("left_out", left_out);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::cerr << "no benchmark has a name that the filter matches; --benchmark_list_tests=true lists them\n";
    return 2;
  }
  return any_failed ? 1 : 0;
}

}  // namespace pinion::bench
