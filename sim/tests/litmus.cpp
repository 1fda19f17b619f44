// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <istream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

namespace pinion::sim::litmus {
namespace {

struct operation {
  char kind = 0;
  std::size_t word = 0;
  int expected = 0;
  int written = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::size_t result = 0;  // where what it reads is kept
};

struct program {
  std::vector<std::vector<operation>> threads;
  std::string words;
  std::size_t results = 0;
};

constexpr std::array<const char*, 3> names = {"x", "y", "z"};

struct state {
  explicit state(const program& p) : words(p.words.size()), results(p.results) {
    for (std::size_t word = 0; word < words.size(); ++word) {
      explored_sync::name(words[word], names.at(static_cast<std::size_t>(p.words[word] - 'x')));
    }
  }
  std::vector<explored_sync::atomic<int>> words;
  std::vector<int> results;
};

std::memory_order order_of(const std::string& text) {
  static const std::map<std::string, std::memory_order> orders = {{"rlx", std::memory_order_relaxed},
                                                                  {"acq", std::memory_order_acquire},
                                                                  {"rel", std::memory_order_release},
                                                                  {"ar", std::memory_order_acq_rel},
                                                                  {"sc", std::memory_order_seq_cst}};
  return orders.at(text);
}

std::memory_order for_failure(std::memory_order order) {
  if (order == std::memory_order_release) return std::memory_order_relaxed;
  return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
}

program parse(const std::string& text) {
  program result;
  for (const char letter : std::string{"xyz"}) {
    if (text.find(letter) != std::string::npos) result.words += letter;
  }
  result.threads.emplace_back();
  std::istringstream tokens{text};
  for (std::string token; tokens >> token;) {
    if (token == "|") {
      result.threads.emplace_back();
      continue;
    }
    const std::size_t colon = token.find(':');
    operation next;
    next.kind = token.at(0);
    next.order = order_of(token.substr(colon + 1));
    if (next.kind != 'F') next.word = result.words.find(token.at(1));
    if (next.kind == 'C') next.expected = token.at(2) - '0';
    if (next.kind == 'W' || next.kind == 'U' || next.kind == 'C') next.written = token.at(colon - 1) - '0';
    if (next.kind == 'R' || next.kind == 'U' || next.kind == 'C') next.result = result.results++;
    result.threads.back().push_back(next);
  }
  return result;
}

void perform(state& s, const operation& next) {
  switch (next.kind) {
  case 'W': s.words[next.word].store(next.written, next.order); break;
  case 'R': s.results[next.result] = s.words[next.word].load(next.order); break;
  case 'U': s.results[next.result] = s.words[next.word].exchange(next.written, next.order); break;
  case 'C': {
    int found = next.expected;
    s.words[next.word].compare_exchange_strong(found, next.written, next.order, for_failure(next.order));
    s.results[next.result] = found;
    break;
  }
  case 'F': explored_sync::fence(next.order); break;
  default: throw std::invalid_argument{"no such operation"};
  }
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream stream{text};
  std::set<std::string> result;
  for (std::string word; stream >> word;) result.insert(word);
  return result;
}

}  // namespace

std::vector<row> read(std::istream& table) {
  std::vector<row> rows;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#') || line.starts_with("name,")) continue;
    std::array<std::string, 4> fields;
    std::istringstream stream{line};
    for (std::string& field : fields) std::getline(stream, field, ',');
    rows.push_back({fields[0], fields[1], words_of(fields[2]), words_of(fields[3])});
    if (rows.back().outcomes.empty()) throw std::invalid_argument{"a row without outcomes: " + line};
  }
  return rows;
}

found run(const std::string& text) {
  const program parsed = parse(text);
  found result;
  scenario<state> explored{[&parsed] { return std::make_shared<state>(parsed); }};
  for (const std::vector<operation>& thread : parsed.threads) {
    explored.thread("", [&thread](state& s) {
      for (const operation& next : thread) perform(s, next);
    });
  }
  explored.finally([&result](state& s) {
    std::string outcome;
    for (const int value : s.results) outcome += static_cast<char>('0' + value);
    outcome += '/';
    for (auto& word : s.words) outcome += static_cast<char>('0' + word.load(std::memory_order_relaxed));
    result.outcomes.insert(outcome);
  });
  result.how = explore(explored, {.preemptions_max = std::numeric_limits<std::uint32_t>::max(),
                                  .executions_max = std::numeric_limits<std::uint64_t>::max()});
  return result;
}

}  // namespace pinion::sim::litmus
