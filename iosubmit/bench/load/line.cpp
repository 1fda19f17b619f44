// SPDX-License-Identifier: Apache-2.0
//
// The client as a program of its own: its line of figures, and starting it.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

#include "load.hpp"

extern char** environ;

namespace pinion::iosubmit::bench::load {

std::string as_line(const figures& seen) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "operations=%" PRIu64 " p50_ns=%.1f p99_ns=%.1f server_cpu_ns=%.1f",
                seen.operations, seen.p50_ns, seen.p99_ns, seen.server_cpu_ns);
  return text.data();
}

figures from_line(const std::string& line) {
  figures seen;
  const int read = std::sscanf(line.c_str(), "operations=%" SCNu64 " p50_ns=%lf p99_ns=%lf server_cpu_ns=%lf",
                               &seen.operations, &seen.p50_ns, &seen.p99_ns, &seen.server_cpu_ns);
  if (read != 4) return {.fault = line.empty() ? "the load program printed nothing" : line};
  return seen;
}

figures run_program(const std::string& path, const request& wanted, int core) {
  std::vector<std::string> words = {path,
                                    "--port",
                                    std::to_string(wanted.port),
                                    "--connections",
                                    std::to_string(wanted.connections),
                                    "--server",
                                    std::to_string(wanted.server),
                                    "--warm-up-ms",
                                    std::to_string(wanted.warm_up.count()),
                                    "--measured-ms",
                                    std::to_string(wanted.measured.count()),
                                    "--core",
                                    std::to_string(core)};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {.fault = std::string("a pipe: ") + std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], output);
  }
  for (const int end : ends) posix_spawn_file_actions_addclose(&actions, end);
  pid_t child = 0;
  const int failed = posix_spawn(&child, path.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  if (failed == 0) {
    std::array<char, 512> part{};
    for (ssize_t length = 0; (length = read(ends[0], part.data(), part.size())) > 0;) {
      said.append(part.data(), static_cast<std::size_t>(length));
    }
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  if (failed != 0) return {.fault = path + " can't be run: " + std::strerror(failed)};
  return from_line(said);
}

}  // namespace pinion::iosubmit::bench::load
