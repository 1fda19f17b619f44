// SPDX-License-Identifier: Apache-2.0
#include "costs.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pinion::iosubmit::simulation {
namespace {

using row = std::vector<std::uint64_t>;

constexpr std::size_t lower_quartile = 16;
constexpr std::size_t median = 32;
constexpr std::size_t quantile_max = 60;

// By kind, then by batch size.
class service_table {
 public:
  explicit service_table(std::istream& stream) {
    for (std::string line; std::getline(stream, line);) {
      if (line.empty() || line[0] == '#' || line.starts_with("kind,")) continue;
      std::istringstream cells{line};
      std::string name;
      std::string cell;
      std::getline(cells, name, ',');
      row numbers;
      while (std::getline(cells, cell, ',')) numbers.push_back(std::stoull(cell));
      if (numbers.size() != 2 + costs::quantiles)
        throw std::runtime_error("service times: a row of " + name + " is too short");
      rows_[name][numbers[0]] = row(numbers.begin() + 2, numbers.end());
    }
  }

  [[nodiscard]] const std::map<std::uint64_t, row>& kind(const std::string& name) const {
    const auto found = rows_.find(name);
    if (found == rows_.end()) throw std::runtime_error("service times: there is no row of " + name);
    return found->second;
  }
  [[nodiscard]] duration low(const std::string& name, std::uint64_t batch) const {
    return duration{kind(name).at(batch)[lower_quartile]};
  }
  // What asking for it costs, less the reading of a clock that the rows of calls contain.
  [[nodiscard]] costs::call call(const std::string& name) const {
    const auto& rows = kind(name);
    const std::uint64_t few = rows.find(1) == rows.end() ? 0 : 1;
    const std::uint64_t many = rows.rbegin()->first;
    const duration each{(low(name, many) - low(name, few)).ns / (many - few)};
    return {.first = low(name, few) - low("enter_nop", 0) - each * few, .each = each};
  }
  // Each service time, less that part of it which is charged as the call.
  [[nodiscard]] std::array<duration, costs::quantiles> services(const std::string& name,
                                                                duration charged) const {
    std::array<duration, costs::quantiles> times;
    const row& measured = kind(name).at(1);
    for (std::size_t i = 0; i < costs::quantiles; ++i)
      times[i] = std::max(duration{1'000}, duration{measured[std::min(i, quantile_max)]} - charged);
    return times;
  }

 private:
  std::map<std::string, std::map<std::uint64_t, row>> rows_;
};

}  // namespace

costs costs::of(std::istream& stream) {
  const service_table table{stream};
  costs found{};
  found.enter = table.low("enter_nop", 0) - table.low("clock", 0);
  found.completion = table.call("enter_nop").each;
  found.wake = duration{table.kind("wake").at(1)[median]};
  found.sleep = table.low("sleep_cpu", 1);
  const auto place = [](kind what) { return static_cast<std::size_t>(what); };
  found.calls[place(kind::cached_read)] = table.call("read_cached");
  found.calls[place(kind::send)] = table.call("send");
  found.calls[place(kind::direct_read)] = table.call("read_direct_call");
  found.calls[place(kind::large_write)] = table.call("read_direct_call");  // its own was not captured
  found.calls[place(kind::receive)] = table.call("recv_armed");
  const duration of_read = table.low("read_direct_call", 1);
  found.services[place(kind::direct_read)] = table.services("read_direct", of_read);
  found.services[place(kind::large_write)] = table.services("write_1mb_direct", of_read);
  found.services[place(kind::receive)] =
      table.services("echo_round", table.low("send", 1) + table.low("recv_armed", 1));
  return found;
}

}  // namespace pinion::iosubmit::simulation
