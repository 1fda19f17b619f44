// SPDX-License-Identifier: Apache-2.0
//
// Operations on words, and fences. What may be read, and where a store may go, follows explore_memory.hpp.
#include <algorithm>
#include <atomic>

#include "explore_engine.hpp"

namespace pinion::sim::explore_detail {
namespace {

constexpr stamp first_stamp = stamp{1} << 32;
constexpr stamp stamp_distance = stamp{1} << 32;

std::uint64_t changed(change what, std::uint64_t value, std::uint64_t operand) {
  switch (what) {
  case change::exchange: return operand;
  case change::add: return value + operand;
  case change::subtract: return value - operand;
  case change::either: return value | operand;
  case change::both: return value & operand;
  case change::differ: return value ^ operand;
  }
  return 0;
}

const char* change_text(change what) {
  switch (what) {
  case change::exchange: return "exchange";
  case change::add: return "add";
  case change::subtract: return "subtract";
  case change::either: return "or";
  case change::both: return "and";
  case change::differ: return "xor";
  }
  return "";
}

}  // namespace

store_record& engine::fresh_record() {
  if (record_count_ == records_.size()) records_.push_back(std::make_unique<store_record>());
  store_record& record = *records_[record_count_++];
  record.step = steps_;
  record.thread = static_cast<std::uint8_t>(self().index);
  record.is_taken = false;
  record.has_message = false;
  record.sources = {};
  record.read_sources = {};
  record.self = {};
  record.read_self = {};
  return record;
}

word_handle engine::make_word(std::uint64_t value, value_kind kind, std::uint8_t bytes) {
  if (word_count_ == words_max) {
    broke("more than " + std::to_string(words_max) + " atomic words in one execution");
    abandon();
  }
  const auto number = static_cast<std::uint32_t>(word_count_++);
  explored_thread& thread = self();
  ++thread.known.clock[thread.index];
  word_record& word = words_[number];
  store_record& first = fresh_record();
  first.at = first_stamp;
  first.value = value;
  word.stores.assign(1, &first);
  word.name = nullptr;
  word.touched = {};
  word.made_by = first.thread;
  word.made_at = thread.known.clock[thread.index];
  word.is_gone = false;
  word.kind = kind;
  word.bytes = bytes;
  word.woken = 0;
  thread.known.raise(number, first_stamp);
  return {number, execution_};
}

word_record& engine::word_of(word_handle handle) {
  if (handle.execution != execution_ || handle.number >= word_count_) {
    broke("uses a word that was made outside this execution: keep it in the state");
    abandon();
  }
  word_record& word = words_[handle.number];
  explored_thread& thread = self();
  if (word.is_gone) {
    broke("use after its end: " + name_of(word) + " by " + thread_name(thread.index));
    abandon();
  }
  if (thread.known.clock[word.made_by] < word.made_at) {
    broke("data race: " + thread_name(thread.index) + " uses " + name_of(word) + ", and nothing says that " +
          thread_name(word.made_by) + "'s making of it has happened before");
    abandon();
  }
  word.touched[thread.index] = thread.known.clock[thread.index];
  return word;
}

void engine::end_word(word_handle handle) {
  word_record& word = word_of(handle);
  const explored_thread& thread = self();
  for (std::size_t other = 0; other < thread_count_; ++other) {
    if (word.touched[other] > thread.known.clock[other]) {
      broke("data race: " + thread_name(thread.index) + " ends " + name_of(word) +
            ", and nothing says that " + thread_name(other) + "'s use of it has happened before");
      abandon();
    }
  }
  word.is_gone = true;
}

void engine::name_word(word_handle handle, const char* name) { word_of(handle).name = name; }

// ---- what may be chosen ----

// The oldest store that this thread may still read.
std::size_t engine::oldest(const word_record& word, std::size_t number) {
  const stamp bound = self().known.at(number);
  std::size_t index = word.stores.size() - 1;
  if ((self().fresh >> number & 1) != 0) return index;
  while (word.stores[index]->at > bound) --index;
  return index;
}

// What of S comes after an access of the store at `index`, or of one put behind it, by coherence.
ordered_set engine::later_than(const word_record& word, std::size_t number, std::size_t index) const {
  ordered_set result = order_.fences_beyond(number, word.stores[index]->at);
  for (std::size_t later = index + 1; later < word.stores.size(); ++later) {
    result |= word.stores[later]->self | word.stores[later]->read_self;
  }
  return result;
}

// What points at an operation of S that reads the store at `index`, or with_reads that follows it.
ordered_set engine::up_to(const word_record& word, std::size_t index, bool with_reads) {
  ordered_set result;
  for (std::size_t earlier = 0; earlier <= index; ++earlier) {
    result |= word.stores[earlier]->sources;
    if (earlier < index || with_reads) result |= word.stores[earlier]->read_sources;
  }
  return result;
}

// Whether S stays without a cycle if this thread accesses the store at `index`, or puts one behind it. Only
// what its own past adds is to be looked at: what is earlier by coherence has its edges to what is later
// already, and so has what came to it in messages.
bool engine::fits(const word_record& word, std::size_t number, std::size_t index, bool is_ordered) {
  if (order_.empty() || index + 1 == word.stores.size()) return true;
  ordered_set before = self().known.fences;
  if (is_ordered) before |= self().known.earlier;
  return before.empty() || !order_.closure(later_than(word, number, index)).meets(before);
}

// Adds the edges of an access, which becomes `entered` if it is of S; returns what points at whatever is
// later by coherence.
ordered_set engine::enter(const word_record& word, std::size_t number, std::size_t index, bool writes,
                          bool is_ordered, ordered_set& entered) {
  const ordered_set fences = self().known.fences;
  if (!is_ordered && fences.empty()) return {};
  const ordered_set later = later_than(word, number, index);
  order_.connect(fences, later);
  if (!is_ordered) return fences;
  if (order_.full()) {
    broke("more than " + std::to_string(ordered_max) + " seq_cst operations in one execution");
    abandon();
  }
  entered.add(order_.add());
  order_.connect(entered, later);
  order_.connect(up_to(word, index, writes) | self().known.earlier, entered);
  return fences | entered;
}

// ---- what is done with the choice ----

void engine::take_message(const store_record& store, std::memory_order order) {
  if (!store.has_message) return;
  explored_thread& thread = self();
  if (acquires(order)) {
    thread.known.join(store.message);
  } else if (thread.has_pending) {
    thread.pending.join(store.message);
  } else {
    thread.pending = store.message;
    thread.has_pending = true;
  }
}

std::uint64_t engine::read(word_record& word, std::size_t number, std::size_t index,
                           std::memory_order order) {
  store_record& store = *word.stores[index];
  knowledge& known = self().known;
  ordered_set entered;
  store.read_sources |= enter(word, number, index, false, is_total(order), entered);
  store.read_self |= entered;
  known.raise(number, store.at);
  take_message(store, order);
  known.earlier |= entered;
  self().touched |= std::uint64_t{1} << number;
  return store.value;
}

void engine::write(word_record& word, std::size_t number, std::size_t index, std::uint64_t value,
                   std::memory_order order, bool takes) {
  store_record& before = *word.stores[index];
  explored_thread& thread = self();
  knowledge& known = thread.known;
  ordered_set entered;
  const ordered_set sources = enter(word, number, index, true, is_total(order), entered);
  if (takes) {
    known.raise(number, before.at);
    take_message(before, order);
    before.is_taken = true;
    thread.touched |= std::uint64_t{1} << number;
  }
  if (value != before.value) {
    ++news_;
    idle_rounds_ = 0;
    thread.pauses = 0;
    thread.fresh = 0;
  }
  store_record& record = fresh_record();
  record.at = index + 1 == word.stores.size() ? before.at + stamp_distance
                                              : before.at + (word.stores[index + 1]->at - before.at) / 2;
  record.value = value;
  record.sources = sources;
  record.self = entered;
  known.raise(number, record.at);
  if (releases(order)) {
    record.message = known;
    record.has_message = true;
  } else if (thread.has_released) {
    record.message = thread.released;
    record.has_message = true;
  }
  if (takes && before.has_message) {
    if (record.has_message) {
      record.message.join(before.message);
    } else {
      record.message = before.message;
      record.has_message = true;
    }
  }
  known.earlier |= entered;
  word.stores.insert(word.stores.begin() + static_cast<std::ptrdiff_t>(index) + 1, &record);
}

// Whether a store can go behind the one at `index`.
bool engine::has_room(const word_record& word, std::size_t index) {
  return !word.stores[index]->is_taken &&
         (index + 1 == word.stores.size() || word.stores[index + 1]->at - word.stores[index]->at >= 2);
}

// ---- operations ----

std::uint64_t engine::load(word_handle handle, std::memory_order order) {
  before_operation();
  word_record& word = word_of(handle);
  std::array<std::size_t, alternatives_max> able{};
  std::size_t count = 0;
  const std::size_t last = oldest(word, handle.number);
  for (std::size_t index = word.stores.size(); index-- > last && count < able.size();) {
    if (fits(word, handle.number, index, is_total(order))) {
      able[count++] = index;
    }
  }
  const std::size_t index = able[choose(count)];
  const std::uint64_t value = read(word, handle.number, index, order);
  if (is_traced_) note("load", order, name_of(word), value_text(word, value) + origin(word, index));
  return value;
}

void engine::store(word_handle handle, std::uint64_t value, std::memory_order order) {
  before_operation();
  word_record& word = word_of(handle);
  std::array<std::size_t, alternatives_max> able{};
  std::size_t count = 0;
  const std::size_t last = oldest(word, handle.number);
  for (std::size_t index = word.stores.size(); index-- > last && count < able.size();) {
    if (has_room(word, index) && fits(word, handle.number, index, is_total(order))) {
      able[count++] = index;
    }
  }
  const std::size_t index = able[choose(count)];
  write(word, handle.number, index, value, order, false);
  if (is_traced_) note("store", order, name_of(word), value_text(word, value) + place(word, index + 1));
}

std::uint64_t engine::read_modify_write(word_handle handle, change what, std::uint64_t operand,
                                        std::memory_order order) {
  before_operation();
  word_record& word = word_of(handle);
  std::array<std::size_t, alternatives_max> able{};
  std::size_t count = 0;
  const std::size_t last = oldest(word, handle.number);
  for (std::size_t index = word.stores.size(); index-- > last && count < able.size();) {
    if (has_room(word, index) && fits(word, handle.number, index, is_total(order))) {
      able[count++] = index;
    }
  }
  const std::size_t index = able[choose(count)];
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * word.bytes);
  const std::uint64_t value = word.stores[index]->value;
  const std::uint64_t result = changed(what, value, operand) & mask;
  write(word, handle.number, index, result, order, true);
  if (is_traced_) {
    note(change_text(what), order, name_of(word),
         value_text(word, value) + " -> " + value_text(word, result) + origin(word, index));
  }
  return value;
}

bool engine::compare_exchange(word_handle handle, std::uint64_t& expected, std::uint64_t desired,
                              bool may_fail, std::memory_order success, std::memory_order failure) {
  before_operation();
  word_record& word = word_of(handle);
  struct alternative {
    std::size_t index;
    bool succeeds;
  };
  std::array<alternative, alternatives_max + 1> able{};
  std::size_t count = 0;
  const std::size_t last = oldest(word, handle.number);
  for (std::size_t index = word.stores.size(); index-- > last && count + 1 < able.size();) {
    const store_record& store = *word.stores[index];
    const bool is_equal = store.value == expected;
    if (is_equal && has_room(word, index) && fits(word, handle.number, index, is_total(success))) {
      able[count++] = {index, true};
    }
    if ((!is_equal || (may_fail && spurious_ < bounds_.spurious_max)) &&
        fits(word, handle.number, index, is_total(failure))) {
      able[count++] = {index, false};
    }
  }
  const auto [index, succeeds] = able[choose(std::min(count, alternatives_max))];
  const std::uint64_t found = word.stores[index]->value;
  if (succeeds) {
    write(word, handle.number, index, desired, success, true);
  } else {
    read(word, handle.number, index, failure);
    if (found == expected) ++spurious_;
  }
  if (is_traced_) {
    note(succeeds ? "exchanged" : "not exchanged", succeeds ? success : failure, name_of(word),
         value_text(word, found) + (succeeds ? " -> " + value_text(word, desired) : std::string{}) +
             origin(word, index) + (!succeeds && found == expected ? ", without cause" : ""));
  }
  expected = found;
  return succeeds;
}

void engine::fence(std::memory_order order) {
  if (order == std::memory_order_relaxed) return;
  before_operation();
  explored_thread& thread = self();
  knowledge& known = thread.known;
  const ordered_set strongly = known.earlier;
  if (acquires(order) && thread.has_pending) {
    known.join(thread.pending);
    thread.has_pending = false;
  }
  ordered_set entered;
  if (is_total(order)) {
    if (order_.full()) {
      broke("more than " + std::to_string(ordered_max) + " seq_cst operations in one execution");
      abandon();
    }
    const std::size_t number = order_.add();
    entered.add(number);
    ordered_set before = strongly;
    for (std::size_t word = 0; word < word_count_; ++word) {
      const stamp known_at = known.at(word);
      for (const store_record* store : words_[word].stores) {
        if (store->at > known_at) break;
        before |= store->sources;
        if (store->at < known_at) before |= store->read_sources;
      }
    }
    order_.connect(before, entered);
    order_.remember_fence(number, known);
    known.fences |= entered;
  }
  if (releases(order)) {
    thread.released = known;
    thread.has_released = true;
  }
  known.earlier |= entered;
  if (is_traced_) note("fence", order, "", "");
}

}  // namespace pinion::sim::explore_detail
