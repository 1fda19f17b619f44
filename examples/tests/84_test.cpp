// SPDX-License-Identifier: Apache-2.0
//
// The server of example 84 over the executor of a program, with sockets and a worker; and with more seeds.
#include <system_error>

#include "../sockets.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../84_tutorial_simulated.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

namespace {

task<std::size_t> counts(std::string line) { co_return line.size(); }

struct program {
  struct owns {
    descriptor operator()(int number) const { return descriptor{number}; }
  };
  struct asks_worker {
    const remote_executor& by;
    auto operator()(const std::string& line) const {
      return spawn_on(by, [&line] { return counts(line); });
    }
  };

  // What a client is told that sends this in two parts.
  task<std::string> asks(std::string line) {
    const descriptor socket{must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
    const auto connected = co_await loop.io().connect(socket.get(), &address, sizeof address);
    if (!connected) co_return connected.error().message();
    const auto bytes = std::as_bytes(std::span{line});
    const auto begun = co_await loop.io().send_all(socket.get(), bytes.first(1));
    const auto slept = co_await sleep_for(1ms);
    const auto sent = co_await loop.io().send_all(socket.get(), bytes.subspan(1));
    if (!begun || !slept || !sent) co_return "not sent";
    std::array<char, 64> answer{};
    const auto got = co_await loop.io().recv_all(socket.get(), std::as_writable_bytes(std::span{answer}));
    co_return got ? std::string(answer.data(), *got) : got.error().message();
  }
  task<std::string> asks_and_ends(join_handle<> accepting) {
    auto [ada, grace] = co_await when_all(asks("Ada\n"), asks("Grace\n"));
    accepting.cancel();
    co_await accepting;
    co_return ada + grace;
  }

  explicit program(listener&& listening)
      : address(listening.address), server_socket(::dup(listening.get())) {}
  std::string run() { return loop.run(asks_and_ends(loop.spawn(server.accept_clients(server_socket)))); }

  sockaddr_in address;
  int server_socket;  // the server's, which closes it
  pinion::scheduler::executor loop;
  executor_pool worker{{.count = 1}};
  greeter<pinion::scheduler::executor, owns, asks_worker> server{loop, {}, {worker[0]}};
};

}  // namespace

int main() {
  const std::string answers = program{listener{}}.run();
  const bool is_answered = answers == "4: hello, Ada\n6: hello, Grace\n";
  if (!is_answered) std::printf("the clients were told \"%s\"\n", answers.c_str());

  bool is_right = true;
  for (std::uint64_t seed = 1; seed <= 5000 && is_right; ++seed) {
    is_right = world{seed, false}.run();
    if (!is_right) std::printf("seed %llu fails\n", static_cast<unsigned long long>(seed));
  }
  return is_answered && is_right ? 0 : 1;
}
