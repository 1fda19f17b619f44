// SPDX-License-Identifier: Apache-2.0
#include "traced_calls.hpp"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <set>
#include <system_error>

namespace pinion::testing {
namespace {

// PTRACE_GET_SYSCALL_INFO, which C libraries have under different names or not at all.
constexpr auto get_call = static_cast<__ptrace_request>(0x420e);

// Two calls that the library, the C library's threads and the tests have no use for.
constexpr long begin_mark = SYS_getppid;
constexpr long end_mark = SYS_getsid;

// What the kernel says of a stop at a call; of the union only what all kinds have in common, and the number
// of an entry's.
struct stop_at_call {
  std::uint8_t kind;  // 1: before the call
  std::uint8_t padding[3];
  std::uint32_t architecture;
  std::uint64_t instruction, stack;
  std::uint64_t number;
  std::uint64_t arguments[6];
};

[[noreturn]] void be_traced(const std::function<bool()>& body) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(3);
  std::raise(SIGSTOP);
  // No destructors and no sanitizer's checks at exit: those want to trace, too.
  ::_exit(body() ? 0 : 1);
}

class tracer {
 public:
  explicit tracer(pid_t child) : child_(child) {}

  traced_calls watch() {
    for (int status = 0;;) {
      const pid_t who = ::waitpid(-1, &status, __WALL);
      if (who < 0 && errno == EINTR) continue;
      if (who < 0) return with_refusal(std::string{"a traced child is gone: "} + std::strerror(errno));
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        if (who != child_) continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
          return with_refusal("this machine lets nobody trace a child");
        seen_.is_right = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        return seen_;
      }
      ::ptrace(PTRACE_SYSCALL, who, nullptr, signal_for(who, status));
    }
  }

 private:
  // Looks at what stopped the thread; the signal that it is to get.
  long signal_for(pid_t who, int status) {
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      count(who);
      return 0;
    }
    if (signal == SIGSTOP && known_.insert(who).second) {
      // The child's own stop, at which options are set, and the first stop of each of its threads, which
      // inherit them.
      if (who == child_)
        ::ptrace(PTRACE_SETOPTIONS, who, nullptr,
                 PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
      return 0;
    }
    return signal == SIGTRAP ? 0 : signal;
  }

  void count(pid_t who) {
    stop_at_call at{};
    if (::ptrace(get_call, who, sizeof at, &at) <= 0) {
      seen_.refusal = "this kernel does not say which call was made";
      return;
    }
    if (at.kind != 1) return;
    const auto number = static_cast<long>(at.number);
    if (number == begin_mark) {
      counted_.insert(who);
    } else if (number == end_mark) {
      counted_.erase(who);
    } else if (counted_.contains(who)) {
      ++seen_.counts[number];
    }
  }

  traced_calls with_refusal(std::string why) {
    seen_.refusal = std::move(why);
    return seen_;
  }

  pid_t child_;
  std::set<pid_t> known_, counted_;
  traced_calls seen_;
};

}  // namespace

std::size_t traced_calls::all() const {
  std::size_t sum = 0;
  for (const auto& [call, count] : counts) sum += count;
  return sum;
}

std::string traced_calls::to_string() const {
  std::string text;
  for (const auto& [call, count] : counts)
    text += "call " + std::to_string(call) + ": " + std::to_string(count) + " times; ";
  return text;
}

void begin_counting() noexcept { ::syscall(begin_mark); }
void end_counting() noexcept { ::syscall(end_mark, 0); }

traced_calls trace(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) be_traced(body);
  return tracer{child}.watch();
}

}  // namespace pinion::testing
