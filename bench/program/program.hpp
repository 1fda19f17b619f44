// SPDX-License-Identifier: Apache-2.0
//
// What every benchmark program of the tree is made of, and what the harness relies on.
//
// A benchmark is named <workload>/<contestant>/<n>. Running it once does the work once and gives an outcome:
// figures, whose names end in their unit (_ns, _bytes, _count), and a checksum of the work. The checksum is
// compared with the right one here, and by the harness with every other contestant's at the same workload and
// n; a wrong one fails the run. The program runs its benchmarks with every option of Google Benchmark.
//
//   int main(int argc, char** argv) {
//     pinion::bench::add("churn/ordered_map/10000", [] { return outcome{...}; });
//     return pinion::bench::run(argc, argv);
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pinion::bench {

/// Some operations that were timed.
struct measured {
  double seconds = 0;
  std::size_t operations = 0;
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;  ///< what the checksum must be, computed without the contestant

  [[nodiscard]] double ns_each() const noexcept { return seconds * 1e9 / static_cast<double>(operations); }
};

struct figure {
  std::string name;  ///< ends in its unit, as in worst_batch_ns
  double value = 0;
};

struct outcome {
  double seconds = 0;  ///< what Google Benchmark shows as the time
  std::uint64_t checksum = 0;
  std::uint64_t expected = 0;
  std::vector<figure> figures;
  std::string fault{};  ///< what else went wrong, if anything did; it fails the run as a wrong checksum does
};

/// Where one figure is all that a workload yields.
inline outcome single(const char* name, const measured& work) {
  return {work.seconds, work.checksum, work.expected, {{name, work.ns_each()}}};
}

/// As benchmarks are named.
inline std::string named(const char* workload, const std::string& contestant, std::size_t n) {
  return std::string(workload) + '/' + contestant + '/' + std::to_string(n);
}

/// One benchmark's name and work.
void add(const std::string& name, std::function<outcome()> work);

/// Tells that a contestant is not in this program, and why, so that whoever reads the figures learns it.
void leave_out(const std::string& contestant, const std::string& reason);

/// An object of it at namespace scope adds benchmarks from a file that main() knows nothing of, as those from
/// outside the tree are (bench/README.md): run() calls the function before anything else.
class more {
 public:
  explicit more(void (*add_all)());
};

/// Obeys Google Benchmark's options. The exit status: 0 if all was done right, 1 if a checksum was wrong, 2
/// if an option is unknown or the filter matches no benchmark.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace pinion::bench
