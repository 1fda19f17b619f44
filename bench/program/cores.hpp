// SPDX-License-Identifier: Apache-2.0
//
// on_core: keeps a thread on one core, so that owner and sender are on two wherever there are two.
//
//   const on_core place{1};   // the second of those that this process may use, as long as `place` lives
#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace pinion::bench {

/// The cores that this program may use: as it was started, whatever its threads were told since.
inline const std::vector<std::size_t>& usable_cores() {
  static const std::vector<std::size_t> all = [] {
    std::vector<std::size_t> found;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &allowed)) found.push_back(core);
    }
    if (found.empty()) found.push_back(0);
    return found;
  }();
  return all;
}

class on_core {
 public:
  /// `which` counts round: with one core all threads share it.
  explicit on_core(std::size_t which) {
    const std::vector<std::size_t>& all = usable_cores();
    stay_on({all[which % all.size()]});
  }
  on_core(const on_core&) = delete;
  on_core& operator=(const on_core&) = delete;
  ~on_core() { stay_on(usable_cores()); }

 private:
  static void stay_on(const std::vector<std::size_t>& cores) {
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const std::size_t core : cores) CPU_SET(core, &wanted);
    sched_setaffinity(0, sizeof wanted, &wanted);
  }
};

}  // namespace pinion::bench
