// SPDX-License-Identifier: Apache-2.0
//
// What the samples of every part speak of (tools/documentation/header_samples.py). Nothing here is run.
#pragma once

#include <array>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <pinion/base.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using namespace pinion;

// A coroutine that may await anything.
template <class Result = void>
struct task_of {
  struct promise_type {
    task_of get_return_object();
    std::suspend_never initial_suspend() noexcept;
    std::suspend_never final_suspend() noexcept;
    void return_void();
    void unhandled_exception();
  };
  bool await_ready();
  void await_suspend(std::coroutine_handle<>);
  Result await_resume();
};

struct block {};
bool parse(std::string_view);
template <class... Rest>
void log(std::string_view, Rest&&...);
void report(std::string_view);
void use_epoll();
void tell();
void enter();
void work();
bool more();

struct my_log {
  template <class Seen>
  void add(const Seen&);
};

struct common {
  using awaited = task_of<>;
  instant now, deadline, until;
  pinion::duration quantum, q, length, took, waited, timeout;
  std::vector<block> blocks;
  std::vector<int> values;
  std::vector<std::string_view> lines;
  int socket, listener, file, fd, epoll, n, m, k, sum, a, b;
  std::uint64_t user_data, seed, i;
  std::array<std::byte, 512> bytes;
};
