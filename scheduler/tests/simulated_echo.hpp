// SPDX-License-Identifier: Apache-2.0
//
// simulated_echo: an echo server with timeouts and its clients, in virtual time, from one seed.
//
//   simulated_echo all{100'000, seed};
//   all.run();
//   all.server();          // how the server's connections ended, and whether each wait had its length
//   all.clients();         // what the clients were answered, and when they saw their connection closed
//   all.network().hash();  // of every answer and its time
//
// Server and clients are tasks of one executor, over one virtual_network. Clients connect within 10 s, and
// none sends anything before all are connected. What a client does is drawn from the seed:
//
//   asks                 1 to 3 requests, each behind a pause, and closes
//   falls_silent         none to 2 requests, then nothing: the keep-alive time ends it
//   stops_in_a_request   none or 1 request, then half of one: the time for a read ends it
//   never_receives       more requests than its buffer has room for answers: the time for a write ends it
//
// Packets are late by up to 200 us, and a tenth of sends and receives move less than they could.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <pinion/config.hpp>
#include <pinion/preempt/fixed_sources.hpp>
#include <pinion/scheduler.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_network.hpp>
#include <pinion/sim/virtual_notifier.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/program/random_numbers.hpp"

namespace pinion::scheduler::testing::inline PINION_MODE {

/// How many waits had their length.
struct seen_times {
  std::uint64_t right = 0;
  std::uint64_t early = 0;
  std::uint64_t late = 0;

  /// Counts a wait that took so long.
  void see(duration took, duration least, duration most) noexcept {
    ++(took < least ? early : most < took ? late : right);
  }
};

/// What a client does at its end.
enum class client_kind : std::uint8_t { asks, falls_silent, stops_in_a_request, never_receives };
constexpr std::size_t client_kinds = 4;

/// How the server's connections ended, by the kind of client that ends so.
struct echo_server_account {
  std::array<std::uint64_t, client_kinds> ended{};
  std::uint64_t failed = 0;  ///< that ended otherwise: reset, say
  seen_times timeouts{};     ///< of the waits that a timeout ended, as the server saw them
  std::size_t open = 0;
  std::size_t open_max = 0;
};

/// What clients saw.
struct echo_clients_account {
  std::array<std::uint64_t, client_kinds> of_kind{};
  std::uint64_t bytes = 0;           ///< that came back
  std::uint64_t expected_bytes = 0;  ///< that should, by what the clients were drawn to do
  std::uint64_t requests = 0;        ///< of which the server had all bytes
  std::uint64_t wrong = 0;           ///< answers that differ from their request, and calls that failed
  seen_times closed{};               ///< from the last bytes that went either way to the server's close

  [[nodiscard]] std::uint64_t of(client_kind kind) const noexcept {
    return of_kind[static_cast<std::size_t>(kind)];
  }
};

class simulated_echo {
 public:
  static constexpr std::chrono::seconds keep_alive{30};
  static constexpr std::chrono::seconds read_time{5};
  static constexpr std::chrono::seconds write_time{5};
  static constexpr std::size_t message_bytes = 64;
  static constexpr std::size_t buffered_messages = 4;

  using loop_type = basic_executor<
      parts<timer::call_wheel, waker::tagged_inbox, sim::virtual_notifier, iosubmit::batch_or_idle,
            sim::virtual_ring, preempt::never_due, default_frames, sim::virtual_clock::view>>;

  simulated_echo(std::size_t connections, std::uint64_t seed)
      : network_(clock_, seed,
                 {.buffer = buffered_messages * message_bytes, .latency = latency, .shorts = 100}),
        connections_(connections), seed_(seed) {
    network_.serve(loop_.submission().ring());
  }

  /// Until the last connection is closed by both sides. `all_open` is called when all are open, and before
  /// any client has sent.
  void run(const std::function<void()>& all_open = {}) {
    loop_.spawn(serves_all()).detach();
    loop_.spawn(asks_all(all_open)).detach();
    const auto& counts = loop_.submission().ring().counts();
    loop_.run_until([&] { return loop_.empty() || counts.stuck != 0; });
  }

  [[nodiscard]] const echo_server_account& server() const noexcept { return server_; }
  [[nodiscard]] const echo_clients_account& clients() const noexcept { return clients_; }
  [[nodiscard]] const sim::virtual_network& network() const noexcept { return network_; }
  [[nodiscard]] loop_type& loop() noexcept { return loop_; }

 private:
  static constexpr std::uint16_t port = 7;
  static constexpr duration latency{200'000};
  static constexpr std::chrono::seconds all_are_open{11};

  using message = std::array<std::byte, message_bytes>;
  using random_numbers = pinion::bench::random_numbers;

  struct closing {
    sim::virtual_network& network;
    int descriptor;
    ~closing() { network.close(descriptor); }
  };

  // ---- the server

  task<> serves_all() {
    const closing listening{network_, network_.listen(&port, sizeof port)};
    task_group open;
    for (std::size_t accepted = 0; accepted != connections_; ++accepted) {
      const auto socket = co_await loop_.io().accept(listening.descriptor);
      if (!socket) break;
      open.spawn(serves(static_cast<int>(*socket)));
    }
    co_await open.join();
  }

  task<> serves(int socket) {
    const closing at_end{network_, socket};
    server_.open_max = std::max(server_.open_max, ++server_.open);
    message bytes{};
    while (co_await echoes(socket, bytes)) {
    }
    --server_.open;
  }

  // One request; whether another one may come.
  task<bool> echoes(int socket, std::span<std::byte> bytes) {
    const auto io = loop_.io();
    instant since = clock_.time();
    const auto first = co_await with_timeout(keep_alive, io.recv(socket, bytes));
    if (!first || *first == 0) {
      ends(first ? client_kind::asks : client_kind::falls_silent, first, since, keep_alive);
      co_return false;
    }
    if (const auto rest = bytes.subspan(*first); !rest.empty()) {
      since = clock_.time();
      const auto got = co_await with_timeout(read_time, io.recv_all(socket, rest));
      if (!got || *got != rest.size()) {
        ends(client_kind::stops_in_a_request, got, since, read_time);
        co_return false;
      }
    }
    since = clock_.time();
    const auto sent = co_await with_timeout(write_time, io.send_all(socket, bytes));
    if (!sent) ends(client_kind::never_receives, sent, since, write_time);
    co_return sent.has_value();
  }

  // Counts an end: of that kind where a timeout has ended the wait, or the client has closed; else a failure.
  template <class Result>
  void ends(client_kind by, const Result& result, instant since, std::chrono::seconds time) noexcept {
    const bool is_late = !result && result.error() == std::errc::timed_out;
    if (is_late) server_.timeouts.see(clock_.time() - since, ceil(time), latest(time));
    ++(is_late || by == client_kind::asks ? server_.ended[static_cast<std::size_t>(by)] : server_.failed);
  }

  // The last moment at which a timeout of that length may come: what the store of timers promises.
  [[nodiscard]] duration latest(std::chrono::seconds time) noexcept {
    return ceil(time) + loop_.timers().lateness_bound(ceil(time));
  }

  // ---- the clients

  task<> asks_all(std::function<void()> all_open) {
    task_group clients;
    for (std::size_t number = 0; number != connections_; ++number) clients.spawn(asks(number));
    co_await sleep_for(all_are_open);
    if (all_open) all_open();
    co_await clients.join();
  }

  static std::chrono::nanoseconds drawn(random_numbers& random, std::chrono::nanoseconds below) noexcept {
    return std::chrono::nanoseconds{random.below(static_cast<std::uint64_t>(below.count()))};
  }

  task<> asks(std::size_t number) {
    random_numbers random{(seed_ << 32U) + number};
    const std::uint64_t of_ten = random.below(10);
    const client_kind kind = of_ten < 6    ? client_kind::asks
                             : of_ten < 8  ? client_kind::falls_silent
                             : of_ten == 8 ? client_kind::stops_in_a_request
                                           : client_kind::never_receives;
    ++clients_.of_kind[static_cast<std::size_t>(kind)];

    const auto connects_after = drawn(random, all_are_open - std::chrono::seconds{1});
    co_await sleep_for(connects_after);
    const closing socket{network_, network_.socket()};
    const auto connected = co_await loop_.io().connect(socket.descriptor, &port, sizeof port);
    if (!connected) ++clients_.wrong;
    instant last = clock_.time();
    // The server waits for this client from its accept on, so a client that never sends anything counts from
    // there.
    const bool asks_none = kind == client_kind::falls_silent && random.below(3) == 0;
    if (!asks_none) co_await sleep_for(all_are_open - connects_after);

    if (kind == client_kind::never_receives) {
      co_await never_receives(socket.descriptor, random);
      co_return;
    }
    const std::uint64_t requests = asks_none                           ? 0
                                   : kind == client_kind::asks         ? 1 + random.below(3)
                                   : kind == client_kind::falls_silent ? 1 + random.below(2)
                                                                       : random.below(2);
    clients_.expected_bytes += requests * message_bytes;
    for (std::uint64_t left = requests; left != 0; --left) {
      co_await sleep_for(drawn(random, std::chrono::seconds{10}));
      co_await asks_once(socket.descriptor, random);
      last = clock_.time();
    }
    if (kind == client_kind::asks) co_return;
    if (kind == client_kind::stops_in_a_request) {
      const message half = drawn_message(random);
      const auto sent =
          co_await loop_.io().send_all(socket.descriptor, std::span{half}.first(message_bytes / 2));
      if (!sent) ++clients_.wrong;
      last = clock_.time();
    }
    co_await is_closed(socket.descriptor, last, kind == client_kind::falls_silent ? keep_alive : read_time);
  }

  static message drawn_message(random_numbers& random) noexcept {
    message bytes;
    for (auto& each : bytes) each = static_cast<std::byte>(random.next());
    return bytes;
  }

  task<> asks_once(int socket, random_numbers& random) {
    const message asked = drawn_message(random);
    message told{};
    const auto sent = co_await loop_.io().send_all(socket, asked);
    const auto got = co_await loop_.io().recv_all(socket, told);
    clients_.bytes += got ? *got : 0;
    ++clients_.requests;
    if (!sent || !got || told != asked) ++clients_.wrong;
  }

  // The wait that the server ends began one packet before `last` or after it, and its close is a packet.
  task<> is_closed(int socket, instant last, std::chrono::seconds time) {
    message none{};
    const auto got = co_await loop_.io().recv(socket, none);
    if (!got || *got != 0) ++clients_.wrong;
    clients_.closed.see(clock_.time() - last, ceil(time) - latency, latest(time) + latency + latency);
  }

  // Looks at its answers when the server has given it up: as many as there was room for.
  task<> never_receives(int socket, random_numbers& random) {
    std::vector<std::byte> asked;
    for (std::size_t left = buffered_messages + 1; left != 0; --left) {
      co_await sleep_for(drawn(random, std::chrono::seconds{2}));
      const message each = drawn_message(random);
      const auto sent = co_await loop_.io().send_all(socket, each);
      if (!sent) ++clients_.wrong;
      ++clients_.requests;
      asked.insert(asked.end(), each.begin(), each.end());
    }
    co_await sleep_for(2 * write_time);
    std::vector<std::byte> told(asked.size());
    const auto got = co_await loop_.io().recv_all(socket, told);
    asked.resize(buffered_messages * message_bytes);
    clients_.expected_bytes += asked.size();
    clients_.bytes += got ? *got : 0;
    if (!got || *got != asked.size() || !std::equal(asked.begin(), asked.end(), told.begin()))
      ++clients_.wrong;
  }

  sim::virtual_clock clock_{instant{0}};
  sim::virtual_network network_;
  std::size_t connections_;
  std::uint64_t seed_;
  echo_server_account server_;
  echo_clients_account clients_;
  loop_type loop_{{}, sim::virtual_ring{clock_}, clock_};  // goes first, and its tasks with it
};

}  // namespace pinion::scheduler::testing::inline PINION_MODE
