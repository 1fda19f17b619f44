// SPDX-License-Identifier: Apache-2.0
//
// Waits for what a real ticker does: bounded by a clock only for the case that it never does it, which is
// then said.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <pinion/base/sync.hpp>
#include <pinion/preempt.hpp>
#include <string>
#include <vector>

namespace pinion::preempt::testing {

/// Far beyond what any of these takes on a loaded machine.
inline instant give_up_at() { return monotonic_clock::now() + ceil(std::chrono::seconds{120}); }

/// Whether that came to be true.
template <class IsSo>
bool comes_true(IsSo is_so) {
  for (const instant limit = give_up_at(); !is_so();) {
    if (limit < monotonic_clock::now()) return false;
    std_sync::yield();
  }
  return true;
}

/// Begins a slice of that length; whether it becomes due.
template <class Source>
bool is_ended_by(Source& source, duration length) {
  const instant now = monotonic_clock::now();
  source.begin(now, now + length);
  return comes_true([&] { return source.word().is_due(); });
}

/// The threads of tickers in this process, as /proc has them.
inline std::vector<std::filesystem::path> ticker_threads() {
  std::vector<std::filesystem::path> found;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream file{thread.path() / "comm"};
    std::string name;
    std::getline(file, name);
    if (name == "pinion-ticker") found.push_back(thread.path());
  }
  return found;
}

/// Lets as much time pass as another ticker needs for so many slices of a millisecond: for what must not
/// happen meanwhile.
inline bool time_passes(int slices) {
  ticker another;
  ticker_source source{another};
  for (int k = 0; k < slices; ++k)
    if (!is_ended_by(source, duration{1'000'000})) return false;
  return true;
}

}  // namespace pinion::preempt::testing
