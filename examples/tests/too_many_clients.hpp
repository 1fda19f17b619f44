// SPDX-License-Identifier: Apache-2.0
//
// too_many_clients: three times as many clients as an example's server has descriptors for.
//
// The clients are a process of their own, so that the limit is the server's alone. All connect at once and
// ask. While the server has no descriptor left, the clients that it has taken ask again and must be answered.
// Then they hang up, and the next ones must be answered, to the last. A server that asks at once for what was
// just refused is found by its calls: they are counted, not timed.
//
//   too_many_clients others;       // first of all: it forks
//   server serving{…};
//   return others.ask(serving.address, [&] { serving.run(); }, stop_it, [&] { return calls; });
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

class too_many_clients {
 public:
  static constexpr std::size_t room = 8;      // for so many connections the server has descriptors
  static constexpr std::size_t clients = 24;  // so many come
  static constexpr std::size_t calls_max = 2'000;

  too_many_clients() {
    must(::pipe(start_.data()), "pipe");
    child_ = must(::fork(), "fork");
    if (child_ == 0) std::_Exit(come_and_ask() ? 0 : 1);
  }
  too_many_clients(const too_many_clients&) = delete;
  too_many_clients& operator=(const too_many_clients&) = delete;

  // What the program returns: 0 where every client was answered, in at most calls_max calls of the server.
  template <class Serve, class Stop, class Calls>
  int ask(const sockaddr_in& address, Serve serve, Stop stop, Calls calls) {
    int status = 0;
    std::thread waiting{[&] {
      ::waitpid(child_, &status, 0);
      stop();
    }};
    leave_room();  // with the thread there: a sanitizer looks at a new one's object through a pipe
    must(::write(start_[1], &address, sizeof address), "write");
    bool served = true;
    try {
      serve();
    } catch (const std::exception& error) {
      std::printf("the server gave up: %s\n", error.what());
      served = false;
      ::kill(child_, SIGKILL);
    }
    waiting.join();
    if (!served || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    std::printf("%zu clients answered, %zu calls of the server\n", clients, calls());
    if (calls() <= calls_max) return 0;
    std::printf("the server spins: %zu calls would do\n", calls_max);
    return 1;
  }

 private:
  static int must(auto result, const char* call) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), call);
    return static_cast<int>(result);
  }

  static void leave_room() {
    const int next = must(::dup(STDIN_FILENO), "dup");
    ::close(next);
    rlimit limit{};
    must(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
    limit.rlim_cur = static_cast<rlim_t>(next) + room;
    must(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
  }

  // ---- The other process

  static bool send_letter(int socket) { return ::send(socket, "a", 1, MSG_NOSIGNAL) == 1; }

  // Whether an answer is there within the time.
  static bool is_answered(int socket, std::chrono::milliseconds within) {
    pollfd one{.fd = socket, .events = POLLIN, .revents = 0};
    char letter = 0;
    return ::poll(&one, 1, static_cast<int>(within.count())) == 1 && ::recv(socket, &letter, 1, 0) == 1;
  }

  bool come_and_ask() const {
    using namespace std::chrono_literals;
    ::alarm(40);
    sockaddr_in address{};
    if (::read(start_[0], &address, sizeof address) != sizeof address) return false;
    std::vector<int> waiting;
    for (std::size_t i = 0; i < clients; ++i) {
      waiting.push_back(must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
      must(::connect(waiting.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
      if (!send_letter(waiting.back())) return says("a client could not ask");
    }
    for (int waves = 0; !waiting.empty(); ++waves) {
      if (!is_answered(waiting.front(), 10s)) return says("a client that came first was not answered");
      // For the others that the server has a descriptor for. These pauses are short beside a server's read
      // timeout: a client that is taken just after the look asks again in the next wave.
      std::this_thread::sleep_for(30ms);
      const auto taken =
          std::partition(waiting.begin() + 1, waiting.end(), [](int each) { return is_answered(each, 0ms); });
      if (waves == 0 && taken == waiting.end())
        return says("the server had descriptors for all: nothing was tried");
      for (int round = 0; round < 3; ++round) {
        for (auto each = waiting.begin(); each != taken; ++each) {
          if (!send_letter(*each) || !is_answered(*each, 10s))
            return says("a client that the server has was not answered");
        }
        std::this_thread::sleep_for(10ms);
      }
      std::for_each(waiting.begin(), taken, [](int each) { ::close(each); });
      waiting.erase(waiting.begin(), taken);
    }
    return true;
  }

  static bool says(const char* what) {
    std::printf("%s\n", what);
    std::fflush(stdout);
    return false;
  }

  std::array<int, 2> start_{};
  pid_t child_ = 0;
};
