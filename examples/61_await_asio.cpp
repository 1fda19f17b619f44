// SPDX-License-Identifier: Apache-2.0
//
// A task of pinion's awaits what Asio has: a coroutine of another library, say, and a timer. One thread runs
// the io_context, main's thread the tasks. What takes too long is cancelled there, and so is what is awaited
// at the end of the executor.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <pinion/scheduler.hpp>
#include <string>
#include <thread>
#include <utility>

#include "from_asio.hpp"

namespace net = boost::asio;
using net::awaitable;
using net::use_awaitable;
using net::ip::tcp;
using pinion::scheduler::sleep_for;
using pinion::scheduler::task;
using pinion::scheduler::with_timeout;
using namespace std::chrono_literals;

// ---- What there is: a server, and a coroutine that asks it

awaitable<void> serve(tcp::socket client) {
  std::string line;
  co_await net::async_read_until(client, net::dynamic_buffer(line), '\n', use_awaitable);
  if (line == "nobody\n")  // is not answered
    co_await net::async_read_until(client, net::dynamic_buffer(line), "for ever", use_awaitable);
  co_await net::async_write(client, net::buffer("hello, " + line), use_awaitable);
}
awaitable<void> accept_clients(tcp::acceptor& acceptor) {
  for (;;) {
    tcp::socket client = co_await acceptor.async_accept(use_awaitable);
    net::co_spawn(acceptor.get_executor(), serve(std::move(client)), net::detached);
  }
}

awaitable<std::string> ask(tcp::endpoint server, std::string line) {
  tcp::socket socket{co_await net::this_coro::executor};
  co_await socket.async_connect(server, use_awaitable);
  co_await net::async_write(socket, net::buffer(line), use_awaitable);
  std::string answer;
  co_await net::async_read_until(socket, net::dynamic_buffer(answer), '\n', use_awaitable);
  co_return answer;
}

// ---- Tasks that use it

struct program {
  task<> asks(std::string line) {
    const auto asks_there = [&](auto done) { net::co_spawn(context, ask(server, line), std::move(done)); };
    const auto answer = co_await with_timeout(patience, from_asio<std::string>(context, asks_there));
    if (answer)
      std::printf("%s", answer->c_str());
    else
      std::printf("%s %s", answer.error() == std::errc::timed_out ? "no answer in time to" : "cancelled:",
                  line.c_str());
  }
  task<> runs() {
    co_await asks("Ada\n");

    net::steady_timer timer{context, 1ms};
    const auto waited =
        co_await from_asio<void>(context, [&](auto done) { timer.async_wait(std::move(done)); });
    if (waited) std::puts("the timer is over");

    patience = 50ms;
    co_await asks("nobody\n");
    patience = 1h;
    pinion::scheduler::spawn(asks("nobody\n")).detach();
    co_await sleep_for(10ms);
  }

  net::io_context& context;
  tcp::endpoint server;
  std::chrono::milliseconds patience = 10s;
};

struct thread_of {
  explicit thread_of(net::io_context& context) : of(context) {}
  ~thread_of() {
    of.stop();
    thread.join();
  }
  net::io_context& of;
  std::thread thread{[this] { of.run(); }};
};

int main() {
  net::io_context context{1};
  tcp::acceptor acceptor{context, {net::ip::address_v4::loopback(), 0}};
  program mine{context, acceptor.local_endpoint()};
  net::co_spawn(context, accept_clients(acceptor), net::detached);
  const thread_of runs{context};
  pinion::scheduler::executor loop;  // ends first, and cancels what its tasks wait for
  loop.run(mine.runs());
}
