// SPDX-License-Identifier: Apache-2.0
//
// loads: what the policies are judged on, and by which number.
//
// A family (latency, throughput, burst, mix) has several cases, a case one phase or several in sequence on
// the same executor, and a phase some clients beside some computing. Each phase is judged by one number, in
// nanoseconds, less is better:
//
//   p99          of the first client's requests, from their arrival to the end of their being worked on
//   throughput   the geometric mean of wall time and CPU time an operation
//   burst        the geometric mean of the first request's latency after the idle time, and of the time until a burst is done
//   two_classes  the geometric mean of the first client's P99 and of the second's wall time an operation
//
// A family's score is the geometric mean over its phases and seeds.
//
//   for (const family& one : tuned_families()) …
#pragma once

#include <cstdint>
#include <pinion/base/time.hpp>
#include <string>
#include <vector>

#include "costs.hpp"

namespace pinion::iosubmit::simulation {

/// Who asks. One of rate, depth and burst is set.
struct client {
  kind what = kind::direct_read;
  double rate = 0;          ///< requests a second, of a Poisson process
  std::uint32_t depth = 0;  ///< so many at a time, each asking anew when it was answered
  duration
      quiet{};  ///< with depth, of receives: until the other side speaks, on average; it counts from there
  std::uint32_t burst = 0;  ///< so many within `spread`, once in `period`; one comes first, alone
  duration period{200'000'000};
  duration spread{50'000'000};
  duration before{1'000};  ///< CPU time of a request until it asks
  duration after{2'000};   ///< and once it was answered
};

/// Work that asks for nothing: each turn takes one slice of what is there.
struct computing {
  duration slice;
  std::uint32_t slices = 0;  ///< of a job; 0: without end
  double jobs = 0;           ///< a second, of a Poisson process
};

enum class score : std::uint8_t { p99, throughput, burst, two_classes };

struct phase {
  std::string name;
  score by = score::p99;
  duration length;
  std::vector<client> clients;
  computing beside{};
};

struct load_case {
  std::vector<phase> phases;
  bool keeps_back = true;  ///< completions come with an enter only (DEFER_TASKRUN)
};

struct family {
  std::string name;
  std::vector<load_case> cases;
  std::vector<std::uint64_t> seeds;
};

/// What adaptive's numbers were chosen on.
[[nodiscard]] std::vector<family> tuned_families();
/// What they were not: other rates, kinds, slices and seeds.
[[nodiscard]] std::vector<family> unseen_families();

}  // namespace pinion::iosubmit::simulation
