// SPDX-License-Identifier: Apache-2.0
#include "loads.hpp"

namespace pinion::iosubmit::simulation {
namespace {

constexpr duration milliseconds(std::uint64_t count) { return duration{count * 1'000'000}; }
constexpr duration microseconds(std::uint64_t count) { return duration{count * 1'000}; }

// Computing that is always there, in slices of that length.
constexpr computing endless(duration slice) { return {.slice = slice}; }
// Jobs of so many slices.
constexpr computing jobs(duration slice, std::uint32_t slices, double a_second) {
  return {.slice = slice, .slices = slices, .jobs = a_second};
}

phase latency(std::string name, client who, computing beside, std::uint64_t ms = 1000) {
  return {.name = std::move(name),
          .by = score::p99,
          .length = milliseconds(ms),
          .clients = {who},
          .beside = beside};
}
phase throughput(std::string name, client who, std::uint64_t ms = 150) {
  return {.name = std::move(name), .by = score::throughput, .length = milliseconds(ms), .clients = {who}};
}
phase bursts(std::string name, client who, std::uint64_t ms = 1000) {
  return {.name = std::move(name), .by = score::burst, .length = milliseconds(ms), .clients = {who}};
}
phase two_classes(std::string name, client quick, client many, std::uint64_t ms = 500) {
  return {.name = std::move(name),
          .by = score::two_classes,
          .length = milliseconds(ms),
          .clients = {quick, many}};
}

}  // namespace

std::vector<family> tuned_families() {
  const phase low = latency("direct reads 20 k/s, jobs of 100 us", {.what = kind::direct_read, .rate = 20e3},
                            jobs(microseconds(5), 20, 1000));
  const phase medium = latency("direct reads 30 k/s, endless slices of 5 us",
                               {.what = kind::direct_read, .rate = 30e3}, endless(microseconds(5)));
  const phase receives = latency("receives 80 k/s, jobs of 400 us", {.what = kind::receive, .rate = 80e3},
                                 jobs(microseconds(20), 20, 1000), 500);
  const phase slices = latency("direct reads 2 k/s, endless slices of 50 us",
                               {.what = kind::direct_read, .rate = 2e3}, endless(microseconds(50)), 4000);
  const phase quiet = latency("512 connections that speak every 20 ms, jobs of 100 us",
                              {.what = kind::receive, .depth = 512, .quiet = milliseconds(20)},
                              jobs(microseconds(5), 20, 1000));
  const phase cached = throughput("256 cached reads", {.what = kind::cached_read, .depth = 256});
  const phase direct = throughput("128 direct reads", {.what = kind::direct_read, .depth = 128});
  const phase writes = throughput("32 writes of 1 MB", {.what = kind::large_write, .depth = 32}, 500);
  const phase echoes = throughput(
      "512 receives", {.what = kind::receive, .depth = 512, .before = duration{500}, .after = duration{500}});
  const phase burst = bursts("10000 direct reads in 50 ms", {.what = kind::direct_read, .burst = 10'000});
  const phase burst_at_once = bursts("20000 receives in 50 ms", {.what = kind::receive, .burst = 20'000});
  const phase classes =
      two_classes("direct reads 5 k/s beside 32 cached reads", {.what = kind::direct_read, .rate = 5e3},
                  {.what = kind::cached_read, .depth = 32});
  const phase other_classes =
      two_classes("receives 10 k/s beside 64 direct reads", {.what = kind::receive, .rate = 10e3},
                  {.what = kind::direct_read, .depth = 64});
  const auto alone = [](const phase& one) { return load_case{.phases = {one}}; };
  const std::vector<std::uint64_t> seeds{1, 2};
  return {
      {"latency", {alone(low), alone(medium), alone(receives), alone(slices), alone(quiet)}, seeds},
      {"throughput", {alone(cached), alone(direct), alone(writes), alone(echoes)}, seeds},
      {"burst", {alone(burst), alone(burst_at_once)}, seeds},
      {"mix",
       {{.phases = {low, direct, medium, burst, receives, echoes}}, alone(classes), alone(other_classes)},
       seeds},
  };
}

std::vector<family> unseen_families() {
  const phase low = latency("receives 15 k/s, jobs of 200 us", {.what = kind::receive, .rate = 15e3},
                            jobs(microseconds(10), 20, 1500));
  const phase medium = latency("direct reads 50 k/s, endless slices of 3 us",
                               {.what = kind::direct_read, .rate = 50e3}, endless(microseconds(3)), 500);
  const phase sends = latency("sends 40 k/s, endless slices of 8 us", {.what = kind::send, .rate = 40e3},
                              endless(microseconds(8)), 500);
  const phase cached = latency("cached reads 10 k/s, endless slices of 25 us",
                               {.what = kind::cached_read, .rate = 10e3}, endless(microseconds(25)));
  const phase quiet = latency("64 connections that speak every 10 ms",
                              {.what = kind::receive, .depth = 64, .quiet = milliseconds(10)}, {}, 2000);
  const phase writes_apart =
      latency("writes of 1 MB 7.5 k/s", {.what = kind::large_write, .rate = 7.5e3}, {}, 4000);
  const phase few = throughput("16 direct reads", {.what = kind::direct_read, .depth = 16});
  const phase many = throughput(
      "1024 direct reads, 5 us each",
      {.what = kind::direct_read, .depth = 1024, .before = duration{2'000}, .after = duration{3'000}});
  const phase sending = throughput("64 sends", {.what = kind::send, .depth = 64});
  const phase writes = throughput("8 writes of 1 MB", {.what = kind::large_write, .depth = 8}, 500);
  const phase burst = bursts("4000 direct reads in 10 ms",
                             {.what = kind::direct_read, .burst = 4'000, .spread = milliseconds(10)});
  const phase cached_burst =
      bursts("20000 cached reads in 50 ms", {.what = kind::cached_read, .burst = 20'000});
  const phase classes =
      two_classes("direct reads 8 k/s beside 128 receives", {.what = kind::direct_read, .rate = 8e3},
                  {.what = kind::receive, .depth = 128}, 300);
  const phase other_classes =
      two_classes("cached reads 2 k/s beside 16 writes of 1 MB", {.what = kind::cached_read, .rate = 2e3},
                  {.what = kind::large_write, .depth = 16}, 2000);
  const auto alone = [](const phase& one) { return load_case{.phases = {one}}; };
  const auto not_kept_back = [](const phase& one) { return load_case{.phases = {one}, .keeps_back = false}; };
  const std::vector<std::uint64_t> seeds{1001, 1002};
  return {
      {"latency",
       {alone(low), alone(medium), alone(sends), alone(cached), alone(quiet), alone(writes_apart),
        not_kept_back(medium)},
       seeds},
      {"throughput", {alone(few), alone(many), alone(sending), alone(writes), not_kept_back(few)}, seeds},
      {"burst", {alone(burst), alone(cached_burst)}, seeds},
      {"mix",
       {{.phases = {sends, few, low, burst, many, medium}}, alone(classes), alone(other_classes)},
       seeds},
  };
}

}  // namespace pinion::iosubmit::simulation
