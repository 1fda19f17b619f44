// SPDX-License-Identifier: Apache-2.0
//
// The tutorial, step 6: the server over any executor, and a test that runs it in virtual time, in a network
// that fails as a seed says.
#include <array>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <pinion/preempt.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/sim.hpp>
#include <span>
#include <string>

using namespace pinion::scheduler;
using namespace std::chrono_literals;
namespace sim = pinion::sim;

// The program. What own() makes closes its descriptor, stamp() is what the worker does.
template <class Loop, class Own, class Stamp>
struct greeter {
  // A line, or less where the client says no more.
  task<std::string> line_of(int client) {
    std::string line;
    std::array<char, 64> part{};
    for (;;) {
      const auto bytes = std::as_writable_bytes(std::span{part});
      const auto got = co_await with_timeout(30s, loop.io().recv(client, bytes));
      if (!got || *got == 0) co_return line;
      line.append(part.data(), *got);
      if (line.ends_with('\n') || takes_a_part_for_whole) co_return line;
    }
  }
  task<> serve(int client) {
    const auto socket = own(client);
    const std::string line = co_await line_of(client);
    if (line.empty()) co_return;
    const auto stamped = co_await stamp(line);
    if (!stamped) co_return;
    const std::string greeting = std::to_string(*stamped) + ": hello, " + line;
    [[maybe_unused]] const auto sent =
        co_await with_timeout(30s, loop.io().send_all(client, std::as_bytes(std::span{greeting})));
  }
  task<> accept_clients(int listening) {
    const auto socket = own(listening);
    task_group connections;
    for (;;) {
      const auto client = co_await loop.io().accept(listening);
      if (client) {
        connections.spawn(serve(static_cast<int>(*client)));
      } else {  // no descriptor is free, say; or the server is cancelled
        const auto slept = co_await sleep_for(100ms);
        if (!slept) break;
      }
    }
    co_await connections.join();
  }

  Loop& loop;
  Own own;
  Stamp stamp;
  bool takes_a_part_for_whole = false;
};

// The test. Its world is a clock, a network, an executor of virtual parts, and clients.
using simulated =
    basic_executor<parts<pinion::timer::call_wheel, pinion::waker::tagged_inbox, sim::virtual_notifier,
                         pinion::iosubmit::batch_or_idle, sim::virtual_ring, pinion::preempt::never_due,
                         default_frames, sim::virtual_clock::view>>;

struct world {
  struct closing {
    sim::virtual_network& network;
    int descriptor;
    ~closing() { network.close(descriptor); }
  };
  struct closes {
    sim::virtual_network& network;
    closing operator()(int descriptor) const { return {network, descriptor}; }
  };
  // A worker that takes a second.
  struct counts_letters {
    task<pinion::expected<std::size_t, std::error_code>> operator()(std::string line) const {
      const auto slept = co_await sleep_for(1s);
      if (!slept) co_return pinion::unexpected{slept.error()};
      co_return line.size();
    }
  };

  world(std::uint64_t seed, bool takes_a_part_for_whole)
      : network(clock, seed, {.stalls = 5, .shorts = 10, .failed_accepts = 50}) {
    network.serve(loop.submission().ring());
    server.takes_a_part_for_whole = takes_a_part_for_whole;
  }

  // Sends that, and wants a right answer. The faults are such that a right server gives it.
  task<> asks(std::string line) {
    const closing socket{network, network.socket()};
    const auto connected = co_await loop.io().connect(socket.descriptor, &port, sizeof port);
    const auto sent = co_await loop.io().send_all(socket.descriptor, std::as_bytes(std::span{line}));
    std::array<char, 64> answer{};
    const auto bytes = std::as_writable_bytes(std::span{answer});
    const auto got = co_await loop.io().recv_all(socket.descriptor, bytes);
    const std::string wanted = line.empty() ? "" : std::to_string(line.size()) + ": hello, " + line;
    is_right = is_right && connected && sent && got && answer.data() == wanted;
  }
  task<> ask_all(join_handle<> accepting) {
    co_await when_all(asks("Ada\n"), asks("Bob\n"), asks("Grace\n"), asks(""));
    accepting.cancel();
  }
  bool run() {
    const int listening = network.listen(&port, sizeof port);
    loop.spawn(ask_all(loop.spawn(server.accept_clients(listening)))).detach();
    const auto& counts = loop.submission().ring().counts();
    loop.run_until([&] { return loop.empty() || counts.stuck != 0; });
    return is_right && loop.empty() && network.open_descriptors() == 0;
  }

  static constexpr std::uint16_t port = 7;
  bool is_right = true;
  sim::virtual_clock clock{pinion::instant{}};
  sim::virtual_network network;
  greeter<simulated, closes, counts_letters> server{loop, {network}, {}};
  simulated loop{{}, sim::virtual_ring{clock}, clock};  // goes first, and its tasks with it
};

void test(const char* server, bool takes_a_part_for_whole) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    world one{seed, takes_a_part_for_whole};
    if (one.run()) continue;
    std::printf("%s: seed %llu fails\n", server, static_cast<unsigned long long>(seed));
    return;
  }
  std::printf("%s: no seed of 1000 fails\n", server);
}

int main() {
  test("takes what came for the line", true);
  test("waits for the line's end", false);
}
