// SPDX-License-Identifier: Apache-2.0
//
// What a schedule looks like in print.
#include <algorithm>
#include <cstdio>

#include "explore_engine.hpp"

namespace pinion::sim::explore_detail {
namespace {

const char* order_text(std::memory_order order) {
  switch (order) {
  case std::memory_order_relaxed: return "relaxed";
  case std::memory_order_consume: return "consume";
  case std::memory_order_acquire: return "acquire";
  case std::memory_order_release: return "release";
  case std::memory_order_acq_rel: return "acq_rel";
  case std::memory_order_seq_cst: return "seq_cst";
  }
  return "";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

}  // namespace

std::string engine::thread_name(std::size_t index) const {
  if (index == 0) return "main";
  const std::string& name = scenario_.threads[index - 1].name;
  return name.empty() ? "thread " + std::to_string(index) : name;
}

std::string engine::name_of(const word_record& word) const {
  return word.name != nullptr ? word.name : "word " + std::to_string(&word - words_.data());
}

std::string engine::name_of(const event_record& event) const {
  return event.name != nullptr ? event.name : "event " + std::to_string(&event - events_.data());
}

std::string engine::value_text(const word_record& word, std::uint64_t value) {
  if (word.kind == value_kind::unsigned_number) return std::to_string(value);
  if (word.kind == value_kind::pointer) {
    if (value == 0) return "null";
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
  }
  const unsigned shift = 64U - 8U * word.bytes;
  return std::to_string(static_cast<std::int64_t>(value << shift) >> shift);
}

// Who stored what is read, and whether it is out of date.
std::string engine::origin(const word_record& word, std::size_t index) const {
  const store_record& store = *word.stores[index];
  std::string text =
      " (" + (store.thread == 0 ? "the initial value"
                                : "of " + thread_name(store.thread) + ", line " + std::to_string(store.step));
  const auto newer = static_cast<std::size_t>(
      std::count_if(word.stores.begin() + static_cast<std::ptrdiff_t>(index) + 1, word.stores.end(),
                    [this](const store_record* later) { return later->step != steps_; }));
  if (newer != 0) text += "; " + std::to_string(newer) + " newer";
  return text + ')';
}

// Where a store went, if not to the end.
std::string engine::place(const word_record& word, std::size_t index) {
  const std::size_t later = word.stores.size() - index - 1;
  return later == 0 ? "" : " (before " + std::to_string(later) + " older in time)";
}

void engine::note(const char* operation, std::memory_order order, const std::string& object,
                  const std::string& text) {
  note((std::string{operation} + ' ' + order_text(order)).c_str(), object, text);
}

void engine::note(const char* operation, const std::string& object, const std::string& text) {
  lines_.push_back(padded(std::to_string(steps_), 5) + padded(thread_name(self().index), 10) + ' ' +
                   padded(operation, 22) + ' ' + padded(object, 12) + ' ' + text);
}

std::string engine::schedule_text() const {
  std::string text;
  for (std::string line : lines_) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace pinion::sim::explore_detail
