// SPDX-License-Identifier: Apache-2.0
//
// The client of the echo workload as a program: load.hpp says what it does. It prints its figures in one line
// and ends with 0; what went wrong stands on stderr, and the exit status is 1, or 2 for an option that can't
// be used, or 3 where the server fell silent.
#include <sched.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "load.hpp"

namespace {

namespace load = pinion::iosubmit::bench::load;

constexpr std::string_view usage = "iosubmit_load --port P [--connections C] [--server PROCESS] "
                                   "[--warm-up-ms T] [--measured-ms T] [--core K]";

/// -1: not a number that fits.
long number_of(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole && value >= 0 && value <= std::numeric_limits<int>::max() ? value : -1;
}

/// Which option can't be used; empty if all can.
std::string obey(int argc, char** argv, load::request& wanted, int& core) {
  for (int place = 1; place < argc; place += 2) {
    const std::string_view name = argv[place];
    const long value = place + 1 < argc ? number_of(argv[place + 1]) : -1;
    if (value < 0) return std::string(name) + " takes a number";
    if (name == "--port" && value <= std::numeric_limits<std::uint16_t>::max()) {
      wanted.port = static_cast<std::uint16_t>(value);
    } else if (name == "--connections") {
      wanted.connections = static_cast<std::size_t>(value);
    } else if (name == "--server") {
      wanted.server = static_cast<int>(value);
    } else if (name == "--warm-up-ms") {
      wanted.warm_up = std::chrono::milliseconds{value};
    } else if (name == "--measured-ms") {
      wanted.measured = std::chrono::milliseconds{value};
    } else if (name == "--core" && value < CPU_SETSIZE) {
      core = static_cast<int>(value);
    } else {
      return std::string(name) + " " + argv[place + 1] + " is none of the options";
    }
  }
  return {};
}

bool stay_on(int core) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  CPU_SET(static_cast<std::size_t>(core), &wanted);
  return sched_setaffinity(0, sizeof wanted, &wanted) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  load::request wanted;
  int core = -1;
  if (const std::string refused = obey(argc, argv, wanted, core); !refused.empty()) {
    std::fprintf(stderr, "%s\n%s\n", refused.c_str(), usage.data());
    return 2;
  }
  if (core >= 0 && !stay_on(core)) {
    std::fprintf(stderr, "iosubmit_load may not run on core %d\n", core);
    return 2;
  }
  const load::figures seen = load::run(wanted);
  if (!seen.fault.empty()) {
    std::fprintf(stderr, "iosubmit_load: %s\n", seen.fault.c_str());
    return seen.was_silence ? 3 : 1;
  }
  std::puts(load::as_line(seen).c_str());
  return 0;
}
